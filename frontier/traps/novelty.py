"""Whether a page says something new: which words, and pairs of words, its site has not said before.

Endless pages are cheap to make because they repeat themselves. A calendar differs from day to day
in numbers and in a few names, a list in its order, a search page in what was searched for. So a
page's words are counted that none of the site's pages had so far; dates and small numbers are no
words, longer figures are. Nor is what a page calls the pages it is the first to link to: a name
that is made up costs nothing, nor do names that are made up of others.

A large site runs out of words before it runs out of things to say. Then it still says them in other
combinations: of the pairs of neighbouring words of an honest page between a twentieth and two
thirds are new to its site. A page made of numbers and a frame has none; one of words in random
order has, of pairs of words that the site had used, hardly any other. And one that says nothing
new but what stands in its own URL ("You searched for ...") is an echo of who asked for it.

The other way round, a text of which most words were never seen, on a site of which a dozen pages
were read, is made of random letters: any language repeats itself (Heaps 1978, Information
Retrieval, 7.5).

What is read of a page is bounded: a few cuts from its text, spread evenly. What a site has said are
bits in two tables that take turns: when the newer one is an eighth full, the older one is
forgotten. So a site costs 32 KB however large it is, and what was said long ago is new again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CUTS, _CUT = 4, 400
"""How many cuts of how many characters: some 250 words, 0.1 ms."""
# Letters alone, or digits with points and commas; a mix of both is an identifier and no word.
_WORD = re.compile(r"(?<![^\W_])(?:[^\W\d_]{2,}|[0-9][0-9.,]*[0-9])(?![^\W_])")
# Up to three digits, a year, a date: what calendars and counters are made of.
_NO_FIGURE = re.compile(r"[0-9]{1,3}|[12][0-9]{3}|[0-9]{1,4}(?:[.,][0-9]{1,4}){2}")
# Thai to Burmese, Khmer, Kana, Han: no spaces between words, so pairs of letters stand for them.
_UNSPACED = re.compile("[\u0e00-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_LONGEST_WORD = 40
_AT_ESCAPES = re.compile(r"%[0-9a-fA-F]{2}|[_+-]")
"""What stands for a space in a URL, and what is written with a percent sign."""
_TABLE = 1 << 14
"""Bytes of a table."""
_FULL = 8 * _TABLE // 8
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
_LEFT, _RIGHT = np.uint32(0x9E3779B1), np.uint32(0x85EBCA77)
"""Odd numbers with evenly mixed bits, by which the hashes of a pair are joined."""


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


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """The k words of a page in their order, as 32-bit hashes, and of which kind each is.

    `kinds` is 1 for a word, 0 for a pair of letters of a script without spaces, -1 for a figure.
    """

    hashes: NDArray[np.uint32]
    kinds: NDArray[np.int8]

    @property
    def whole(self) -> int:
        """32 bits that stand for all words in their order."""
        return crc32(self.hashes.tobytes())


def words_of(text: str) -> Words:
    """Read the words of a text; about 0.1 ms for a long one."""
    found = [one for one in _WORD.findall(_cuts(text).lower()) if not _NO_FIGURE.fullmatch(one)]
    if not text.isascii() and _UNSPACED.search(text):
        found = [part for one in found for part in _taken_apart(one)]
    found = [one for one in found if len(one) <= _LONGEST_WORD]
    return Words(
        np.array([_hashed(one) for one in found], dtype=np.uint32),
        np.array([_kind(one) for one in found], dtype=np.int8),
    )


@lru_cache(maxsize=1 << 15)
def _hashed(word: str) -> int:
    return crc32(word.encode("utf-8", "replace"))


def _kind(word: str) -> int:
    if word.isascii():
        return -1 if word[0] <= "9" else 1
    return 0 if _UNSPACED.search(word) else 1


def _cuts(text: str) -> str:
    """A few parts of a long text, at the ends of words."""
    if len(text) <= _CUTS * _CUT:
        return text
    step = (len(text) - _CUT) // (_CUTS - 1)
    cuts = (text[at * step : at * step + _CUT] for at in range(_CUTS))
    return " ".join(cut.partition(" ")[2].rpartition(" ")[0] or cut for cut in cuts)


def _taken_apart(word: str) -> list[str]:
    """The pairs of letters of a word of a script without spaces; any other word."""
    if word.isascii() or not _UNSPACED.search(word):
        return [word]
    return [word[at : at + 2] for at in range(len(word) - 1)]


class SiteWords:
    """What the pages of one site have said, and how many pages that were.

    What was never noted is taken for known in up to a quarter of the cases, never the other way
    round before it is forgotten.
    """

    def __init__(self, pages: int = 0, tables: NDArray[np.uint8] | None = None) -> None:
        """`tables` are two rows of bits, the newer one first."""
        self.pages = pages
        self.tables = np.zeros((2, _TABLE), np.uint8) if tables is None else tables
        self._filled, self._filled_before = (int(np.unpackbits(one).sum()) for one in self.tables)

    def judge(self, words: Words, names: Words | None = None, url: str = "") -> Verdict:
        """Judge a page, and note its words.

        `names` is what it calls pages it links to first. What it says in the words of `url`, if
        that is given, makes it an echo.
        """
        self.pages += 1
        if not len(words.hashes):
            return Verdict.SILENT
        new = ~self._known(words.hashes)
        random = self.pages > _ACQUAINTED and _is_random(words.kinds, new)
        counted = np.ones(len(new), np.bool_)
        if names is not None:
            counted = ~np.isin(words.hashes, names.hashes)
        pairs = words.hashes[:-1] * _LEFT ^ words.hashes[1:] * _RIGHT
        n = _amount(words, new & counted)
        verdict = Verdict.RANDOM if random else Verdict.NEW
        if not random and n < _NEW_WORDS:
            verdict = self._of_pairs(words.hashes, pairs, counted & (words.kinds >= 0), new, url)
        self._note(np.concatenate([words.hashes, pairs]))
        return verdict

    def _of_pairs(
        self,
        words: NDArray[np.uint32],
        pairs: NDArray[np.uint32],
        counted: NDArray[np.bool_],
        new: NDArray[np.bool_],
        url: str,
    ) -> Verdict:
        """Judge a page of old words by how they follow one another."""
        old = counted & ~new
        n, found = self._new_among(pairs, old)
        if found >= _FEWEST_PAIRS and n > _MOST_PAIRS * found:
            return Verdict.SHUFFLED
        n, found = self._new_among(pairs, counted)
        if not _is_enough(n, found):
            return Verdict.REPEATS if n or (new & counted).any() else Verdict.SAME
        own = counted
        if url:
            own = counted & ~np.isin(words, words_of(_AT_ESCAPES.sub(" ", url)).hashes)
            if not _is_enough(*self._new_among(pairs, own)):
                return Verdict.ECHO
        return Verdict.MENTIONS if (new & own).any() else Verdict.REWORDED

    def _new_among(self, pairs: NDArray[np.uint32], of: NDArray[np.bool_]) -> tuple[float, int]:
        """How many pairs of some of the words are new, and how many there are, distinct ones.

        Made up for those that are taken for known by mistake.
        """
        pairs = np.unique(pairs[of[:-1] & of[1:]])
        bits = 8 * _TABLE
        told = (1 - self._filled / bits) * (1 - self._filled_before / bits)
        return int(np.count_nonzero(~self._known(pairs))) / told, len(pairs)

    def has_had(self, body: bytes) -> bool:
        """Note the hash of a body without words, and tell whether it was noted before."""
        number = np.array([_hashed(body.hex())], np.uint32)
        known = bool(self._known(number)[0])
        self._note(number)
        return known

    def _known(self, hashes: NDArray[np.uint32]) -> NDArray[np.bool_]:
        places, bits = _places(hashes)
        known: NDArray[np.bool_] = ((self.tables[0][places] | self.tables[1][places]) & bits) > 0
        return known

    def _note(self, hashes: NDArray[np.uint32]) -> None:
        if self._filled + len(hashes) > _FULL:
            self.tables[1] = self.tables[0]
            self.tables[0] = 0
            self._filled, self._filled_before = 0, self._filled
        places, bits = _places(hashes)
        self._filled += int(np.count_nonzero((self.tables[0][places] & bits) == 0))
        np.bitwise_or.at(self.tables[0], places, bits)


def _is_enough(n: float, pairs: int) -> bool:
    """Whether so many new pairs of all of a page's say something."""
    return n > 0 and n >= min(_NEW_PAIRS, _FEW_PAIRS * pairs)


def _is_random(kinds: NDArray[np.int8], new: NDArray[np.bool_]) -> bool:
    """Whether too many of a page's words, each as often as it is there, are new."""
    words = kinds > 0
    total = int(np.count_nonzero(words))
    n = int(np.count_nonzero(new & words))
    return total >= _NEW_WORDS and n > _RANDOM_SHARE * total


def _amount(words: Words, new: NDArray[np.bool_]) -> int:
    """How many distinct words are new, figures included for what they are worth."""
    figures = words.kinds < 0
    n_figures = len(np.unique(words.hashes[new & figures]))
    return len(np.unique(words.hashes[new & ~figures])) + n_figures // _FIGURES


def _places(hashes: NDArray[np.uint32]) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Byte and bit of each hash in a table."""
    places = (hashes >> np.uint32(3)).astype(np.int64) & (_TABLE - 1)
    bits = np.left_shift(np.uint8(1), (hashes & np.uint32(7)).astype(np.uint8))
    return places, bits
