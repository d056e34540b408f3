"""Whether a page says something new: which words, and pairs of words, its site has not said before.

What is counted as new, and why, is told in docs/traps.md. Letters at random are told by the share
of words that were never seen: any language repeats itself (Heaps 1978, Information Retrieval, 7.5).

What is read of a page is bounded: a few cuts from its text, spread evenly. What a site has said are
bits in two tables that take turns: when the newer one is an eighth full, the older one is
forgotten. So a site costs 32 KB however large it is, and what was said long ago is new again.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING
from urllib.parse import unquote
from zlib import crc32

import numpy as np

from frontier.traps._tables import is_noted, note
from frontier.traps._words import Which, Words
from ranking.letters import folded

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CUTS, _CUT = 4, 400
"""How many cuts of how many characters: some 250 words."""
_SPACES = re.compile(r"[_+-]")
"""What stands for a space in a URL."""
TABLE = 1 << 14
"""Bytes of a table."""
_FULL = 8 * TABLE // 8
_FIGURES = 4
"""So many figures count for a word: a table has many, a page that counts its visitors has few."""
_NEW_WORDS = 3
"""As few make a page new."""
_FEW_PAIRS, _MOST_PAIRS = 0.04, 0.75
"""Share of new pairs below which a page repeats, and above which it is shuffled."""
_NEW_PAIRS = 3
"""As many are something new in any frame, however small their share."""
_FEWEST_PAIRS = 8
"""As few are no proof of being shuffled: of an honest page's pairs two thirds are new at most, and
all of so many by chance in one page of 25."""
_RANDOM_SHARE = 0.4
"""Of a page's words that were never seen. From the sixteenth page of a recorded site on it is
above that in one page of a thousand, and in no two of the same site."""
_ACQUAINTED = 15
"""Pages after which a site's language is known."""


class Verdict(Enum):
    """What a page proves of its site."""

    NEW = 1
    """It says something in words that the site had not used."""
    REWORDED = 2
    """It says something in words that the site has used."""
    REPEATS = 3
    """It says nothing new."""
    SAME = 4
    """The same, to the last word."""
    SHUFFLED = 5
    """Its words follow one another as never before: they are in random order."""
    RANDOM = 6
    """Most of its words are no language."""
    SILENT = 7
    """It says nothing."""
    ECHO = 8
    """It says what its URL says, and nothing else that is new."""
    MENTIONS = 9
    """It says something in words that the site has used, and one or two that it has not."""

    @property
    def is_said(self) -> bool:
        """Whether the page says something."""
        return self in (Verdict.NEW, Verdict.REWORDED, Verdict.MENTIONS, Verdict.ECHO)


def words_of(text: str) -> Words:
    """Read the words of a text; about 0.01 ms for a long one."""
    return Words(text, _CUTS, _CUT) if text.isascii() else Words(folded(_cuts(text)))


def _cuts(text: str) -> str:
    """A few parts of a long text, at the ends of words."""
    if len(text) <= _CUTS * _CUT:
        return text
    step = (len(text) - _CUT) // (_CUTS - 1)
    return " ".join([_within(text, at * step, at * step + _CUT) for at in range(_CUTS)])


def _within(text: str, start: int, end: int) -> str:
    """What stands between the first space and the last; all of it where that is nothing."""
    first, last = text.find(" ", start, end), text.rfind(" ", start, end)
    return text[first + 1 : last] if first + 1 < last else text[start:end]


class SiteWords:
    """What the pages of one site have said, and how many pages that were.

    What was never noted is taken for known in up to a quarter of the cases, never the other way
    round before it is forgotten.
    """

    def __init__(self, pages: int = 0, tables: NDArray[np.uint8] | None = None) -> None:
        """`tables` are two rows of bits, the newer one first."""
        self.pages = pages
        self._filled = self._filled_before = 0
        if tables is None:
            # Not counted: of many domains a single page is read.
            self.tables = np.zeros((2, TABLE), np.uint8)
        else:
            self.tables = tables
            self._filled, self._filled_before = (int(np.unpackbits(one).sum()) for one in tables)

    def emptied(self) -> SiteWords:
        """Return this one as if no page had been read: memory in use costs less than new."""
        self.tables[0] = 0
        if self._filled_before:
            self.tables[1] = 0
        self.pages = self._filled = self._filled_before = 0
        return self

    def judge(self, words: Words, names: Words | None = None, url: str = "") -> Verdict:
        """Judge a page, and note its words.

        `names` is what it calls pages it links to first. What it says in the words of `url`, if
        that is given, makes it an echo.
        """
        self.pages += 1
        if not len(words):
            return Verdict.SILENT
        n, n_figures, total, unheard = words.look(names, self.tables)
        random = (
            self.pages > _ACQUAINTED and total >= _NEW_WORDS and unheard > _RANDOM_SHARE * total
        )
        verdict = Verdict.RANDOM if random else Verdict.NEW
        if not random and n + n_figures // _FIGURES < _NEW_WORDS:
            verdict = self._of_pairs(words, url)
        self._make_room(2 * len(words) - 1)
        self._filled += words.note(self.tables[0])
        return verdict

    def _of_pairs(self, words: Words, url: str) -> Verdict:
        """Judge a page of old words by how they follow one another."""
        n, found = self._new_among(words, Which.OLD)
        if found >= _FEWEST_PAIRS and n > _MOST_PAIRS * found:
            return Verdict.SHUFFLED
        n, found = self._new_among(words, Which.COUNTED)
        if not _is_enough(n, found):
            return Verdict.REPEATS if n or words.has_new(Which.COUNTED) else Verdict.SAME
        if url:
            words.look_at_url(words_of(_SPACES.sub(" ", unquote(url))))
            if not _is_enough(*self._new_among(words, Which.OWN)):
                return Verdict.ECHO
        return Verdict.MENTIONS if words.has_new(Which.OWN) else Verdict.REWORDED

    def _new_among(self, words: Words, which: Which) -> tuple[float, int]:
        """How many pairs of some of the words are new, and how many there are, distinct ones.

        Made up for those that are taken for known by mistake.
        """
        n, found = words.pairs(which, self.tables)
        bits = 8 * TABLE
        told = (1 - self._filled / bits) * (1 - self._filled_before / bits)
        return n / told, found

    def has_had(self, body: bytes) -> bool:
        """Note the hash of a body without words, and tell whether it was noted before."""
        number = crc32(body.hex().encode())
        known = is_noted(number, self.tables)
        self._make_room(1)
        self._filled += note(number, self.tables[0])
        return known

    def _make_room(self, words: int) -> None:
        if self._filled + words > _FULL:
            self.tables[1] = self.tables[0]
            self.tables[0] = 0
            self._filled, self._filled_before = 0, self._filled


def _is_enough(n: float, pairs: int) -> bool:
    """Whether so many new pairs of all of a page's say something."""
    return n > 0 and n >= min(_NEW_PAIRS, _FEW_PAIRS * pairs)
