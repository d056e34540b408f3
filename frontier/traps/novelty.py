"""Whether a page says something new: which of its words its site has not said before.

Endless pages are cheap to make because they repeat themselves. A calendar differs from day to day
in numbers and in a few names, a list in its order, a search page in what was searched for. So a
page's words are counted that none of the site's pages had so far; dates and small numbers are no
words, longer figures are. Nor is what a page calls the pages it is the first to link to: a name
that is made up costs nothing. The other way round, a text of which most words were never seen, on
a site of which a dozen pages were read, is made of random words: any language repeats itself
(Heaps 1978, Information Retrieval, 7.5).

What is read of a page is bounded: a few cuts from its text, spread evenly. A site's words are bits
in two tables that take turns: when the newer one is an eighth full, the older one is forgotten. So
a site costs 16 KB however large it is, and an honest one never runs out of new words, for what was
said long ago is new again.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CUTS, _CUT = 5, 400
"""How many cuts of how many characters: some 300 words, 0.15 ms."""
# Letters alone, or digits with points and commas; a mix of both is an identifier and no word.
_WORD = re.compile(r"(?<![^\W_])(?:[^\W\d_]{2,}|[0-9][0-9.,]*[0-9])(?![^\W_])")
# Up to three digits, a year, a date: what calendars and counters are made of.
_NO_FIGURE = re.compile(r"[0-9]{1,3}|[12][0-9]{3}|[0-9]{1,4}(?:[.,][0-9]{1,4}){2}")
# Thai to Burmese, Khmer, Kana, Han: no spaces between words, so pairs of letters stand for them.
_UNSPACED = re.compile("[\u0e00-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_LONGEST_WORD = 40
_TABLE = 1 << 13
"""Bytes of a table of 65,536 bits."""
_FULL = 8 * _TABLE // 8
_FIGURES = 4
"""So many figures count for a word: a table has many, a page that counts its visitors has few."""
_NEW_WORDS = 3
"""As few make a page new. On recorded sites half of the pages and more have them to the last."""
_RANDOM_SHARE = 0.4
"""Of a page's words that were never seen. From the sixteenth page of a recorded site on it is
above that in one page of a thousand, and in no two of the same site."""
_ACQUAINTED = 15
"""Pages after which a site's language is known."""


class Verdict(Enum):
    """What a page proves of its site."""

    NEW = 1
    """It says something that the site had not said."""
    REPEATS = 2
    """It says nothing new in other words or another order."""
    SAME = 3
    """It says nothing else than one page before it."""
    RANDOM = 4
    """Most of its words are no language."""
    SILENT = 5
    """It says nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """The k distinct words of a page as 32-bit hashes, and how often each is there.

    `counts` is 0 for pairs of letters of a script without spaces and -1 for figures. `whole` stands
    for all words in their order.
    """

    hashes: NDArray[np.uint32]
    counts: NDArray[np.int32]
    whole: int


def words_of(text: str) -> Words:
    """Read the words of a text; about 0.15 ms for a long one."""
    found = [one for one in _WORD.findall(_cuts(text).lower()) if not _NO_FIGURE.fullmatch(one)]
    counts = Counter(one for one in found if len(one) <= _LONGEST_WORD)
    if not text.isascii() and _UNSPACED.search(text):
        counts = _taken_apart(found)
    counts.update({one: -1 - counts[one] for one in counts if one[0].isdigit()})
    hashes = np.array([_hashed(one) for one in counts], dtype=np.uint32)
    return Words(hashes, np.array([*counts.values()], dtype=np.int32), _hashed("\n".join(found)))


def _hashed(word: str) -> int:
    return crc32(word.encode("utf-8", "replace"))


def _cuts(text: str) -> str:
    """A few parts of a long text, at the ends of words."""
    if len(text) <= _CUTS * _CUT:
        return text
    step = (len(text) - _CUT) // (_CUTS - 1)
    cuts = (text[at * step : at * step + _CUT] for at in range(_CUTS))
    return " ".join(cut.partition(" ")[2].rpartition(" ")[0] or cut for cut in cuts)


def _taken_apart(found: list[str]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for one in found:
        if _UNSPACED.search(one):
            counts.update({one[at : at + 2]: 0 for at in range(len(one) - 1)})
        elif len(one) <= _LONGEST_WORD:
            counts[one] += 1
    return counts


class SiteWords:
    """The words that the pages of one site have said, and how many pages that were.

    A hash that was never noted is taken for known in up to a quarter of the cases, never the other
    way round before it is forgotten.
    """

    def __init__(self, pages: int = 0, tables: NDArray[np.uint8] | None = None) -> None:
        """`tables` are two rows of bits, the newer one first."""
        self.pages = pages
        self.tables = np.zeros((2, _TABLE), np.uint8) if tables is None else tables
        self._filled = int(np.unpackbits(self.tables[0]).sum()) if tables is not None else 0

    def judge(self, words: Words, names: Words | None = None) -> Verdict:
        """Judge a page, and note its words; `names` is what it calls pages it links to first."""
        if not len(words.hashes):
            self.pages += 1
            return Verdict.SILENT
        new = ~self._known(words.hashes)
        random = self.pages >= _ACQUAINTED and _is_random(words.counts, new)
        if names is not None:
            new &= ~np.isin(words.hashes, names.hashes)
        same = bool(self._known(np.array([words.whole], np.uint32))[0])
        self._note(words)
        if random:
            return Verdict.RANDOM
        if _amount(words.counts[new]) >= _NEW_WORDS:
            return Verdict.NEW
        return Verdict.SAME if same else Verdict.REPEATS

    def _known(self, hashes: NDArray[np.uint32]) -> NDArray[np.bool_]:
        places, bits = _places(hashes)
        known: NDArray[np.bool_] = ((self.tables[0][places] | self.tables[1][places]) & bits) > 0
        return known

    def _note(self, words: Words) -> None:
        self.pages += 1
        hashes = np.append(words.hashes, np.uint32(words.whole))
        if self._filled + len(hashes) > _FULL:
            self.tables[1] = self.tables[0]
            self.tables[0] = 0
            self._filled = 0
        places, bits = _places(hashes)
        self._filled += int(np.count_nonzero((self.tables[0][places] & bits) == 0))
        np.bitwise_or.at(self.tables[0], places, bits)


def _is_random(counts: NDArray[np.int32], new: NDArray[np.bool_]) -> bool:
    """Whether too many of a page's words, each as often as it is there, are new."""
    total = int(counts.clip(0).sum())
    return total >= _NEW_WORDS and int(counts[new].clip(0).sum()) > _RANDOM_SHARE * total


def _amount(counts: NDArray[np.int32]) -> int:
    """How many words these are, figures included for what they are worth."""
    figures = int(np.count_nonzero(counts < 0))
    return len(counts) - figures + figures // _FIGURES


def _places(hashes: NDArray[np.uint32]) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Byte and bit of each hash in a table."""
    places = (hashes >> np.uint32(3)).astype(np.int64) & (_TABLE - 1)
    bits = np.left_shift(np.uint8(1), (hashes & np.uint32(7)).astype(np.uint8))
    return places, bits
