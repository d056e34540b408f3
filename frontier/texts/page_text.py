"""The text of a page, as it is kept."""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

OFF: Final = "off"
ALL: Final = "all"
MAIN: Final = "main"
"""Ways of FRONTIER_TEXT: no text is kept, all visible text of a page, or its main text."""

_LEVEL: Final = 4  # of zlib: a tenth smaller than 1 and 3 % larger than 6, for half its time
_BETWEEN: Final = "\0"
_WORD: Final = re.compile(r"[^\W\d_]+")
FENCE: Final = "```"


class PackedText(NamedTuple):
    """A text, compressed, and the numbers of its blocks, see `block_numbers`."""

    data: bytes
    blocks: bytes = b""


class StoredText(NamedTuple):
    """The text of a page; `markdown` is "" where only its visible text is known."""

    title: str
    text: str
    markdown: str = ""

    def packed(self) -> PackedText:
        """Return it compressed; NUL characters become blanks."""
        parts = (part.replace(_BETWEEN, " ") for part in self)
        data = zlib.compress(_BETWEEN.join(parts).encode("utf-8", "surrogatepass"), _LEVEL)
        return PackedText(data, block_numbers(self.markdown).tobytes())

    @classmethod
    def unpacked(cls, data: bytes) -> StoredText:
        """Return what was packed; raises ValueError or zlib.error for anything else."""
        parts = zlib.decompress(data).decode("utf-8", "surrogatepass").split(_BETWEEN)
        title, text, markdown = parts
        return cls(title, text, markdown)


def number_of(line: str) -> int:
    """Return 32 bits for the words of a line, whatever its markup, case and figures; 0: none."""
    words = " ".join(_WORD.findall(line.casefold()))
    return zlib.crc32(words.encode("utf-8", "surrogatepass")) if words else 0


def block_numbers(markdown: str) -> NDArray[np.uint32]:
    """Return the distinct numbers of the lines of a Markdown text, ascending, without code."""
    numbers, is_code = set(), False
    for line in markdown.splitlines():
        if line.lstrip().startswith(FENCE):
            is_code = not is_code
        elif not is_code:
            numbers.add(number_of(line))
    return np.array(sorted(numbers - {0}), np.uint32)
