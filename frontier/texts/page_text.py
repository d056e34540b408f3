"""The text of a page, as it is kept."""

from __future__ import annotations

import zlib
from typing import Final, NamedTuple

OFF: Final = "off"
ALL: Final = "all"
"""Ways of FRONTIER_TEXT: no text is kept, or all visible text of a page."""

_LEVEL: Final = 4  # of zlib: a tenth smaller than 1 and 3 % larger than 6, for half its time
_BETWEEN: Final = "\0"


class StoredText(NamedTuple):
    """The text of a page; `markdown` is "" where only its visible text is known."""

    title: str
    text: str
    markdown: str = ""

    def packed(self) -> bytes:
        """Return it compressed; NUL characters become blanks."""
        parts = (part.replace(_BETWEEN, " ") for part in self)
        return zlib.compress(_BETWEEN.join(parts).encode("utf-8", "surrogatepass"), _LEVEL)

    @classmethod
    def unpacked(cls, data: bytes) -> StoredText:
        """Return what was packed; raises ValueError or zlib.error for anything else."""
        parts = zlib.decompress(data).decode("utf-8", "surrogatepass").split(_BETWEEN)
        title, text, markdown = parts
        return cls(title, text, markdown)
