"""New text of a page: words, and pairs of words, that its site has not used before.

A bounded part of a page is read: a few cuts from its text, spread evenly. The words of a site are
bits in two rows that take turns: when the newer row is an eighth full, the older row is forgotten.
So a site of any size takes 32 KB, and words used long ago are new again.
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
"""Cuts of a text, and characters of each: some 250 words."""
_SPACES = re.compile(r"[_+-]")
"""Characters that stand for a space in a URL."""
_ROW = 1 << 14
"""Bytes of a row."""
_FULL = _ROW
"""Bits set in a full row: an eighth."""
_FIGURES = 4
"""So many figures count as a word: a table has many, a counter of visitors few."""
_NEW_WORDS = 3
"""New words that make a page new."""
_NEW_PAIRS, _FEW_PAIRS = 3, 0.04
"""New pairs of words that are new text in any frame: so many, or this share of all pairs."""
_FEWEST_PAIRS, _MOST_PAIRS = 8, 0.75
"""Share of new pairs, among _FEWEST_PAIRS or more, above which old words are in random order: of an
honest page's pairs at most two thirds are new."""
_RANDOM_SHARE, _ACQUAINTED = 0.4, 15
"""Share of unknown words above which they are random letters, from _ACQUAINTED pages of a site on:
any language repeats itself (Heaps 1978, Information Retrieval, 7.5)."""
_MOST_SITES = 500
"""Sites whose words are in memory, 16 MB: those seen last."""
_SOFT_WORDS = 5
"""Fewest words of a soft 404: shorter texts are alike in galleries and frames."""
_SOFT_URLS, _SOFT_PATTERNS, _SOFT_URLS_OF_ONE = 5, 2, 20
"""URLs with the same text that make it a soft 404: of several patterns, or of one pattern."""
_MOST_TEXTS = 10_000
"""Texts in memory, 2 MB."""


class News(Enum):
    """The new text of a page, compared with its site."""

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
    """The text between the first space and the last; all of it if that is empty."""
    first, last = text.find(" ", start, end), text.rfind(" ", start, end)
    return text[first + 1 : last] if first + 1 < last else text[start:end]


class SiteText:
    """The words and pairs of words of one site.

    Up to a quarter of new ones are taken for known; a known one is never taken for new before it is
    forgotten.
    """

    def __init__(self) -> None:
        self._pages = self._bits = self._bits_before = 0
        self._rows = np.zeros((2, _ROW), np.uint8)

    def read(self, page: bytes, url: bytes, anchors: bytes) -> News:
        """Judge a page by its words, and remember them.

        `url` are the words of its URL, `anchors` those of its links to new URLs.
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
        """Share of new pairs that a row with so many bits does not take for known."""
        return 1 - bits / (8 * _ROW)


class SiteTexts:
    """The words of the sites seen last, and the texts that occur at many of their URLs."""

    def __init__(self) -> None:
        self._sites: OrderedDict[str, SiteText] = OrderedDict()
        self._texts: OrderedDict[int, tuple[int, frozenset[int]]] = OrderedDict()

    def __getitem__(self, domain: str) -> SiteText:
        return lately_seen(self._sites, domain, SiteText, _MOST_SITES)

    def is_soft_404(self, host: str, page: bytes, pattern: int) -> bool:
        """Count the text of a URL; returns whether it is a soft 404, the same text at many URLs."""
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
