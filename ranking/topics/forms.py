"""Forms of a topic's words in languages other than English: Katzen are what Katze is.

A word does not tell the language of its page: "cheval" is spelled as English words are. So a word
of a page is a form of a topic's word where both begin alike and the stemmer of any language
(Snowball: Porter 2001) gives both the same stem, or makes one the stem of the other. Between
English words the rules of `terms.fold` decide alone: a stemmer makes universities a form of
universe. Only words that begin as a word of the topic are stemmed, so stemmers cost next to
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final
from unicodedata import normalize

from ranking.topics.terms import is_unspaced, terms_of

_WITHOUT: Final = {"english", "porter", "dutch_porter", "catalan"}  # Catalan: cheval and chevalier
_SHORTEST: Final = 3  # letters of a word that has forms
_LONGEST: Final = 100  # stemmers take long for what is no word
_BEGINNING: Final = 2  # letters by which words are looked up; forms share more
_ENDING: Final = 3  # letters of a word that its forms need not share, and may have in addition
_COMMON: Final = 30_000  # English words of the table; many of the rarer ones are foreign names

_IRREGULAR: Final = (
    (re.compile("(?:oe|ae|ao)s$"), "ao"),  # leoes, caes: leao, cao
    (re.compile("(?<=[aeo])is$"), "l"),  # hoteis: hotel
    (re.compile("ces$"), "z"),  # luces: luz
    (re.compile("(?<=[cg])h(?=[ei]$)"), ""),  # laghi, barche: lagi, barce
    (re.compile("(?<=..)[eoеёо](?=[clnrkцлнрк]$)"), ""),  # кошек, cykel: кошк, cykl
)
"""Endings, without accents, that stemmers leave."""


class Forms:
    """The terms of words, where forms of a topic's words are its own."""

    def __init__(self, words: Iterable[str]) -> None:
        """`words` are those of the topic, as `learn.topic_words` gives them."""
        self._words: dict[str, list[str]] = {}
        for word in words:
            has_forms = word.isalpha() and _SHORTEST <= len(word) <= _LONGEST
            if has_forms and not is_unspaced(word):
                others = self._words.setdefault(_plain(word)[:_BEGINNING], [])
                if not any(_alike(other, word) for other in others):
                    others.append(word)

    def terms_of(self, word: str) -> list[str]:
        """Return the terms of a word, or those of the topic's word that it is a form of."""
        own = self._words.get(_plain(word[:_BEGINNING]))
        if own is None:  # as of nearly all words
            return terms_of(word)
        return terms_of(next((other for other in own if _alike(other, word)), word))

    def unknown(self) -> list[str]:
        """Return the words of which no stemmer knows an ending, such as Georgian ones."""
        words = [word for others in self._words.values() for word in others]
        telling = [word for word in words if not word.isascii() and len(word) > _SHORTEST]
        return [word for word in telling if {stem for _, stem in _stems(_plain(word))} == {word}]


def _alike(own: str, word: str) -> bool:
    """Whether a word of a page is a form of a topic's word."""
    if word == own or not word.isalpha() or abs(len(own) - len(word)) > _ENDING:
        return word == own
    if word.isascii() and _ends_otherwise(own, word):
        return False
    if own in _english() and word in _english():
        return False
    shared = max(len(own) - _ENDING, _SHORTEST)
    pairs = [
        (first, second)
        for first in _variants(own)
        for second in _variants(word)
        if first[:shared] == second[:shared]
    ]
    return any(not _stems(first).isdisjoint(_stems(second)) for first, second in pairs)


def _ends_otherwise(own: str, word: str) -> bool:
    """Whether one word ends in a, the other in o, which Romance stemmers take off: casa, caso."""
    return {own.removesuffix("s")[-1:], word.removesuffix("s")[-1:]} == {"a", "o"}


@lru_cache(maxsize=1)
def _english() -> frozenset[str]:
    from ranking.topics.vectors.languages import built_in_words  # numpy

    return frozenset(built_in_words()[:_COMMON])


@lru_cache(maxsize=1)
def _stemmers() -> dict[str, Any]:
    import snowballstemmer  # 35 modules, which hardly any word of a page asks for

    names = sorted({*snowballstemmer.algorithms()} - _WITHOUT)
    return {name: snowballstemmer.stemmer(name) for name in names}


@lru_cache(maxsize=1000)
def _stems(word: str) -> frozenset[tuple[str, str]]:
    """Languages and stems of a word; in each language it may be a stem itself."""
    stems = {(name, _plain(stemmer.stemWord(word))) for name, stemmer in _stemmers().items()}
    return frozenset(stems | {(name, word) for name in _stemmers()})


def _variants(word: str) -> set[str]:
    plain = _plain(word)
    return {plain, *(ending.sub(other, plain) for ending, other in _IRREGULAR)}


def _plain(word: str) -> str:
    """A word without accents."""
    if word.isascii():
        return word
    return "".join(c for c in normalize("NFD", word) if not "\u0300" <= c <= "\u036f")
