"""How much of a topic of several words a text says: "Grace" alone is not Grace Hopper.

Of n words that are equally rare, a page must say n^(1/4): the word of a topic of one, more than one
of two, two of ten. A word counts by the square of its information, -ln of its share of running
words, beside the mean of the topic's words: so the rarer of two may do alone, the commoner never.
The less of this a page says, the less its evidence can be, however often it repeats it.

Two words that a hyphen joins to a number are said by it: covid-19 by covid19 and by covid.
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
_POWER: Final = 2.0  # of what a page says, by what it must
_DIGITS: Final = 3  # of what is kept


class Conjunction(NamedTuple):
    """The words of a topic as terms.

    Attributes:
        information: of each term squared, by the mean of all.
        joined: term that a hyphen joins -> the terms that it says, too.

    """

    information: Mapping[str, float]
    joined: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, topic: str, levels: Levels) -> Conjunction:
        """Read a topic; its words' shares are those of its languages, or of English."""
        from ranking.topics.vectors.languages import built_in_words  # numpy

        english, words = built_in_words(), topic_words(topic)
        forms = Forms(words)
        found = {
            term: math.log(_share(word, term, levels, english)) ** 2
            for word in words
            for term in forms.terms_of(word)
        }
        mean = math.fsum(found.values()) / max(len(found), 1)
        information = {term: round(told / mean, _DIGITS) for term, told in found.items()}
        return cls(information, joined_terms(topic))

    def share(self, said: Collection[str]) -> float:
        """Return how much of what it must say a text says that has these terms; 1 is all."""
        covered = {*said, *(part for term in said for part in self.joined.get(term, ()))}
        told = math.fsum(self.information.get(term, 0.0) for term in covered)
        return math.pow(told / math.pow(max(len(self.information), 1), _NEEDED), _POWER)


def _share(word: str, term: str, levels: Levels, english: Sequence[str]) -> float:
    """How many of all running words are this one, in a language of the topic or in English."""
    if word.isdigit():
        return _NUMBER
    rank = english.index(word) if word in english else len(english)
    zipf = levels.zipf(term)
    return max(0.1 / (rank + 10), math.pow(10.0, zipf - 9.0) if zipf else 0.0)
