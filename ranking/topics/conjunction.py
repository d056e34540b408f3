"""How much of a topic of several words a text has: "Grace" alone is not Grace Hopper.

Of n equally rare words a page must have n^(1/4): the single word of a topic of one word, more than
one of two words, two of ten. A word counts by the square of its information, -ln of its share of
running words, relative to the mean of the topic's words: so the rarer of two words may be enough,
the commoner never. The smaller the share of a page, the lower the bound of its evidence, however
often the page repeats a word.

A word that a hyphen joins to a number stands for its parts: covid-19 for covid19 and for covid.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from ranking.topics.forms import Forms
from ranking.topics.frequencies import Levels
from ranking.topics.learn import joined_terms, topic_words

_NUMBER: Final = 1e-3  # share of running words, of any number
_NEEDED: Final = 0.25  # power of the number of words
_POWER: Final = 2.0  # of what a page has, by what it must have
_DIGITS: Final = 3  # of what is kept


class Conjunction(NamedTuple):
    """The words of a topic as terms.

    Attributes:
        information: of each term squared, by the mean of all.
        joined: term that a hyphen joins -> the terms of its parts.

    """

    information: Mapping[str, float]
    joined: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, topic: str, levels: Levels) -> Conjunction:
        """Read a topic; its words' shares are those of its languages, or of English."""
        from ranking.topics.vectors.languages import built_in_words  # numpy

        english, words = built_in_words(), topic_words(topic)
        forms = Forms(words)
        squares = {
            term: math.log(_share(word, term, levels, english)) ** 2
            for word in words
            for term in forms.terms_of(word)
        }
        mean = math.fsum(squares.values()) / max(len(squares), 1)
        information = {term: round(square / mean, _DIGITS) for term, square in squares.items()}
        return cls(information, joined_terms(topic))

    def share(self, terms: Collection[str]) -> float:
        """Return how much of what a page must have a text with these terms has; 1 is all."""
        covered = {*terms, *(part for term in terms for part in self.joined.get(term, ()))}
        covers = math.fsum(self.information.get(term, 0.0) for term in covered)
        return math.pow(covers / math.pow(max(len(self.information), 1), _NEEDED), _POWER)


def _share(word: str, term: str, levels: Levels, english: Sequence[str]) -> float:
    """Share of a word in running words, in a language of the topic or in English."""
    if word.isdigit():
        return _NUMBER
    rank = english.index(word) if word in english else len(english)
    zipf = levels.zipf(term)
    return max(0.1 / (rank + 10), math.pow(10.0, zipf - 9.0) if zipf else 0.0)
