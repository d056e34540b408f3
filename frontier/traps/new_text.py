"""Whether a page says something new: which words, and pairs of words, its site has not used before.

What is read of a page is bounded: a few cuts from its text, spread evenly. What a site has said are
bits in two rows that take turns: when the newer one is an eighth full, the older one is forgotten.
So a site costs 32 KB however large it is, and what was said long ago is new again.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from enum import Enum
from urllib.parse import unquote
from zlib import crc32

import numpy as np

from frontier.traps._words import read, words
from frontier.utils import lately_seen
from ranking.letters import folded

_CUTS, _CUT = 4, 400
"""How many cuts of how many characters: some 250 words."""
_SPACES = re.compile(r"[_+-]")
"""What stands for a space in a URL."""
_ROW = 1 << 14
"""Bytes of a row."""
_FULL = _ROW
"""Bits that may be set in a row: an eighth."""
_FIGURES = 4
"""So many figures count for a word: a table has many, a page that counts its visitors has few."""
_NEW_WORDS = 3
"""As few make a page new."""
_NEW_PAIRS, _FEW_PAIRS = 3, 0.04
"""As many new pairs of words are something new in any frame, or this share of all pairs."""
_FEWEST_PAIRS, _MOST_PAIRS = 8, 0.75
"""Share of new pairs, among so many or more, above which old words are in random order: of an
honest page's pairs two thirds are new at most."""
_RANDOM_SHARE, _ACQUAINTED = 0.4, 15
"""Share of words that were never used, from so many pages of a site on, above which they are random
letters: any language repeats itself (Heaps 1978, Information Retrieval, 7.5)."""
_MOST_SITES = 500
"""Sites whose words are remembered, 16 MB: those lately seen."""
_SOFT_WORDS = 5
"""Words of a soft 404 at least: shorter texts are alike in galleries and frames."""
_SOFT_URLS, _SOFT_PATTERNS, _SOFT_URLS_OF_ONE = 5, 2, 20
"""URLs with one text, of so many patterns or more, that make it a soft 404; or of one pattern."""
_MOST_TEXTS = 10_000
"""Texts that are remembered, 2 MB."""


class News(Enum):
    """What the text of a page adds to what its site has said."""

    NEW = "new words"
    REWORDED = "old words in a new order"
    NOTHING = "nothing new, or words at random"
    SILENT = "no words"


def words_of(text: str) -> bytes:
    """Return the words of a text as 32-bit hashes; about 0.01 ms for a long one."""
    text = _cuts(text)
    return words(text if text.isascii() else folded(text))


def words_of_url(url: str) -> bytes:
    """Return the words of a URL."""
    return words_of(_SPACES.sub(" ", unquote(url)))


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


class SiteText:
    """What the pages of one site have said.

    What was never said is taken for known in up to a quarter of the cases, never the other way
    round before it is forgotten.
    """

    def __init__(self) -> None:
        self._pages = self._bits = self._bits_before = 0
        self._rows = np.zeros((2, _ROW), np.uint8)

    def read(self, page: bytes, url: bytes, anchors: bytes) -> News:
        """Judge a page by its words, and note them.

        `url` are the words of its URL, `anchors` what it calls pages that nobody
        has linked to before.
        """
        self._pages += 1
        if not page:
            return News.SILENT
        if self._bits + len(page) // 2 > _FULL:
            self._rows[1], self._bits_before = self._rows[0], self._bits
            self._rows[0], self._bits = 0, 0
        n_words, unknown, new, figures, pairs, new_pairs, others, bits = read(
            page, url, anchors, self._rows
        )
        known_by_mistake = self._share(self._bits) * self._share(self._bits_before)
        self._bits += bits
        if (
            self._pages > _ACQUAINTED
            and n_words >= _NEW_WORDS
            and unknown > _RANDOM_SHARE * n_words
        ):
            return News.NOTHING
        if new + figures // _FIGURES >= _NEW_WORDS:
            return News.NEW
        fresh = new_pairs / known_by_mistake
        if pairs >= _FEWEST_PAIRS and fresh > _MOST_PAIRS * pairs:
            return News.NOTHING
        fresh, pairs = fresh + others, pairs + others
        enough = fresh > 0 and fresh >= min(_NEW_PAIRS, _FEW_PAIRS * pairs)
        return News.REWORDED if enough else News.NOTHING

    @staticmethod
    def _share(bits: int) -> float:
        """Share of new pairs that such a row does not take for known."""
        return 1 - bits / (8 * _ROW)


class SiteTexts:
    """What sites have said, those lately seen; and the texts that stand at many of their URLs."""

    def __init__(self) -> None:
        self._sites: OrderedDict[str, SiteText] = OrderedDict()
        self._texts: OrderedDict[int, tuple[int, frozenset[int]]] = OrderedDict()

    def __getitem__(self, domain: str) -> SiteText:
        return lately_seen(self._sites, domain, SiteText, _MOST_SITES)

    def is_soft_404(self, host: str, page: bytes, pattern: int) -> bool:
        """Note the text of a URL, and tell whether it says that there is nothing.

        What gives that away is that it is the same text wherever it is asked for.
        """
        if len(page) < 4 * _SOFT_WORDS:
            return False
        text = crc32(page, crc32(host.encode("utf-8", "replace")))
        urls, patterns = self._texts.pop(text, (0, frozenset()))
        if len(patterns) < _SOFT_PATTERNS:
            patterns |= {pattern}
        self._texts[text] = urls + 1, patterns
        if len(self._texts) > _MOST_TEXTS:
            self._texts.popitem(last=False)
        of_several = urls >= _SOFT_URLS and len(patterns) >= _SOFT_PATTERNS
        return of_several or urls >= _SOFT_URLS_OF_ONE
