"""The name by which rules address a crawler: the product token of its User-Agent.

Groups of robots.txt (RFC 9309, section 2.2.1), robots meta elements and X-Robots-Tag headers all
name crawlers by it.
"""

from __future__ import annotations

import re

_PRODUCT = re.compile(r"\s*([^\s/();,]+)")
_COMPATIBLE = re.compile(r"\bcompatible;\s*([^\s/();,]+)", re.IGNORECASE)


def product_token(user_agent: str) -> str:
    """Return the product token of a User-Agent in lower case; "" where it names no product.

    That is the name before the first slash or space: `probe/1.0 (+https://...)` is `probe`. RFC
    9309 allows letters, hyphens and underscores; of a name with other characters the whole is
    taken, so that a crawler called `probe2` is not taken for one called `probe`. One that comes as
    a browser, `Mozilla/5.0 (compatible; probe/1.0)`, is `probe` too: nobody writes rules for
    Mozilla.
    """
    product = _COMPATIBLE.search(user_agent) or _PRODUCT.match(user_agent)
    return product[1].lower() if product else ""
