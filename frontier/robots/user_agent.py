"""The name by which rules address a crawler: the product token of its User-Agent."""

from __future__ import annotations

import re

_PRODUCT = re.compile(r"\s*([^\s/();,]+)")
_COMPATIBLE = re.compile(r"\bcompatible;\s*([^\s/();,]+)", re.IGNORECASE)


def product_token(user_agent: str) -> str:
    """Return the product token of a User-Agent in lower case; "" where it names no product.

    That is the name before the first slash or space: `probe/1.0 (+https://...)` is `probe`. Of one
    with other characters than RFC 9309 allows (section 2.2.1) the whole is taken. One that comes as
    a browser, `Mozilla/5.0 (compatible; probe/1.0)`, is `probe` too.
    """
    product = _COMPATIBLE.search(user_agent) or _PRODUCT.match(user_agent)
    return product[1].lower() if product else ""
