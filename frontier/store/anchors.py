"""Texts as blobs: those of a page's links and around them are cut, joined by line ends, compressed.

Together they compress to about half, since menus repeat words; a text a row would cost more than
the link it belongs to. An empty blob stands for a page without links.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

MAX_ANCHOR = 200
"""Characters kept of a text, as many as are read from a page (`frontier/parsing/html.py`)."""
_LEVEL = 1
"""Of zlib: higher ones save a few per cent and take twice the time."""
_LINE_ENDS = str.maketrans("\n", " ")


def packed(anchors: Sequence[str]) -> bytes:
    """Return the blob of one text a link; a line end in one becomes a space."""
    if not anchors:
        return b""
    lines = [anchor[:MAX_ANCHOR].translate(_LINE_ENDS) for anchor in anchors]
    return deflated("\n".join(lines))


def unpacked(blob: bytes, links: int) -> tuple[str, ...]:
    """Return the texts of `links` links; ValueError where the blob holds something else."""
    if not blob and not links:
        return ()
    found = tuple(inflated(blob).split("\n"))
    if len(found) != links:
        raise ValueError(f"expected the texts of {links} links, found {len(found)}")
    return found


def deflated(text: str) -> bytes:
    """Return a text compressed; a lone surrogate, which cannot be stored, becomes "?"."""
    return zlib.compress(text.encode("utf-8", "replace"), _LEVEL)


def inflated(blob: bytes) -> str:
    """Return the text of a blob; ValueError where it holds something else."""
    try:
        return zlib.decompress(blob).decode("utf-8")
    except zlib.error as error:
        raise ValueError(f"texts of links or pages cannot be unpacked: {error}") from None
