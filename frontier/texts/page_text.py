"""The text of a page, as it is kept."""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

OFF: Final = "off"
ALL: Final = "all"
MAIN: Final = "main"
"""Ways of FRONTIER_TEXT: no text is kept, all visible text of a page, or its main text."""

_LEVEL: Final = 4  # of zlib: a tenth smaller than 1 and 3 % larger than 6, for half its time
MOST: Final = 1000
"""Numbers of a page, 4 bytes each."""
_BETWEEN: Final = "\0"
_WORD: Final = re.compile(r"[^\W\d_]+")
_FENCE: Final = re.compile(r"\s*(`{3,})([^`]*)$")


class PackedText(NamedTuple):
    """A text, compressed, and distinct numbers of the blocks of its page, uint32, ascending."""

    data: bytes
    blocks: bytes = b""


class StoredText(NamedTuple):
    """The text of a page; `markdown` is "" where only its visible text is known."""

    title: str
    text: str
    markdown: str = ""

    def packed(self, visible: Iterable[str] = ()) -> PackedText:
        """Return it compressed; NUL characters become blanks, lone surrogates question marks.

        `visible` are the blocks of all text of the page: they are numbered, as those of a main text
        are.
        """
        parts = (part.replace(_BETWEEN, " ") for part in self)
        data = zlib.compress(_BETWEEN.join(parts).encode("utf-8", "replace"), _LEVEL)
        numbers = {number for number, _ in numbered(self.markdown)}.union(map(number_of, visible))
        return PackedText(data, np.array(sorted(numbers - {0})[:MOST], np.uint32).tobytes())

    @classmethod
    def unpacked(cls, data: bytes) -> StoredText:
        """Return what was packed; raises ValueError or zlib.error for anything else."""
        parts = zlib.decompress(data).decode().split(_BETWEEN)
        title, text, markdown = parts
        return cls(title, text, markdown)


def number_of(line: str) -> int:
    """Return 32 bits for the words of a line, whatever its markup, case and figures; 0: none."""
    words = " ".join(_WORD.findall(line.casefold()))
    return zlib.crc32(words.encode("utf-8", "surrogatepass")) if words else 0


def numbered(markdown: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a Markdown text with their numbers, 0 for fences and code."""
    fence = ""
    for line in markdown.splitlines():
        found = _FENCE.match(line)
        if found is None:
            yield 0 if fence else number_of(line), line
            continue
        if not fence:
            fence = found[1]
        elif len(found[1]) >= len(fence) and not found[2].strip():
            fence = ""
        yield 0, line
