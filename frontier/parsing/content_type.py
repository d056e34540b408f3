"""What an answer is, where its server says so more than once: `text/html, text/html; charset=x`.

RFC 9110 (8.3) allows one Content-Type, and names what becomes of several, for proxies join them
with commas. Browsers take the last one that is valid, and a charset from an earlier one of the same
type: Fetch Standard, "extract a MIME type", which parses each as the MIME Sniffing Standard
(4.4, "parse a MIME type") does.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["is_listed", "media_type"]

_LONGEST = 2_000
"""Characters of all values that are read."""
_NAME = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_ESSENCE = re.compile(rf"[\t\n\r ]*({_NAME}/{_NAME})[\t\n\r ]*(?:;|\Z)")
# A quote that nothing ends goes on to the end, as it does for browsers.
_VALUE = re.compile(r'(?:"(?:[^"\\]|\\.)*(?:"|\Z)|[^",])*', re.DOTALL)
_CHARSET = re.compile(
    r';[\t\n\r ]*charset=(?:"((?:[^"\\]|\\.)*)|([^;"]*))', re.IGNORECASE | re.DOTALL
)
_ANY = "*/*"


def is_listed(values: Sequence[str]) -> bool:
    """Whether the values of Content-Type headers may name more than one type."""
    return len(values) > 1 or any("," in value for value in values)


def media_type(values: Sequence[str]) -> str:
    """Return the type that Content-Type headers come to, with its charset if it has one.

    In lower case; "" where none of them is valid. Never raises.
    """
    essence = charset = ""
    for value in _split(",".join(values)[:_LONGEST]):
        found = _ESSENCE.match(value)
        if found is None or found[1] == _ANY:
            continue
        own = found[1].lower()
        said = _CHARSET.search(value)
        named = "" if said is None else (said[1] or said[2] or "").strip()
        charset = named or (charset if own == essence else "")
        essence = own
    return f"{essence}; charset={charset}" if charset else essence


def _split(text: str) -> Iterator[str]:
    """Yield what commas separate that do not stand in quotes."""
    at = 0
    while at <= len(text):
        value = _VALUE.match(text, at)
        assert value is not None, "it matches nothing, too"
        yield value[0]
        at = value.end() + 1
