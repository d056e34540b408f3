"""XML of strangers, cut into texts and tags in one pass, in time linear to its length.

For files that are worth reading to their end whatever is wrong in them: feeds. The
recovering parser of libxml2 (lxml, `recover=True`) is not used. It ends without a word at the first
bad attribute, second root or markup before the declaration, and leaves letters out of the text at
an `&` that stands for itself, so that addresses come out that nobody wrote. Here such damage costs
the element that it is in. No entity of a document's own is expanded, nothing is fetched, and no
tree is built, so there is nothing that a bomb could blow up.
"""

from __future__ import annotations

import re
from html import unescape
from html.entities import html5
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import urljoin

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Piece", "attributes_of", "joined", "pieces"]

_LONGEST = 4_000
"""Characters of a tag's attributes."""
# Only what begins with a quote can fail, once a tag for either sort: a quote may stand alone.
_TOKEN = re.compile(
    r"<!--.*?(?:-->|\Z)|<!\[CDATA\[(.*?)(?:\]\]>|\Z)|<[!?][^>]*>?"
    r"|<(/?)([A-Za-z_][^\s/<>]*)((?:[^<>\"']+|\"[^\"<]*\"|'[^'<]*'|[\"'])*)(>?)",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r"\s([\w:.-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_REFERENCE = re.compile(r"&(?:#[0-9]{1,8}|#[xX][0-9a-fA-F]{1,8}|[A-Za-z][A-Za-z0-9]{1,31});")


Piece: TypeAlias = tuple[str, str, str, bool]
"""A text, the name of the tag behind it, its attributes, and whether it ends an element.

Names are in lower case, with any prefix, and "" at the end of the document; attributes are as they
are written, and end in "/" where an element is empty by its own tag (`<a/>`).
"""


def pieces(text: str) -> Iterator[Piece]:
    """Yield the texts and tags of a document, without its comments and instructions."""
    at, before = 0, ""
    for token in _TOKEN.finditer(text):
        literal, slash, name, attributes, closed = token.groups()
        if name and not closed:
            continue  # no tag but a `<` that stands for itself
        start, end = token.span()
        if at < start:
            before += _text(text[at:start])
        at = end
        if name:
            yield before, name.lower(), attributes, slash == "/"
            before = ""
        elif literal:
            before += literal
    yield before + _text(text[at:]), "", "", False


def _text(written: str) -> str:
    return _REFERENCE.sub(_letter, written) if "&" in written else written


def _letter(reference: re.Match[str]) -> str:
    """What is referred to; what XML and HTML have no name for stands for itself."""
    written = reference[0]
    return unescape(written) or written if written[1] == "#" or written[1:] in html5 else written


def attributes_of(tag: str) -> dict[str, str]:
    """Attributes by name, in lower case."""
    found = _ATTRIBUTE.findall(tag[:_LONGEST])
    return {name.lower(): _text(double or single) for name, double, single in found}


def joined(base: str, address: str) -> str:
    """An address under a base, which may be unknown (""); as it is where it cannot be joined."""
    try:
        return urljoin(base, address)
    except ValueError:
        return address
