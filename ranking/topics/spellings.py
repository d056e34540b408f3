"""Words of a topic that no table knows, and the English words that are spelled most like them."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

from ranking.topics.frequencies import Levels
from ranking.topics.learn import topic_terms
from ranking.topics.terms import terms_of

if TYPE_CHECKING:
    from ranking.topics.vectors.table import WordVectors

_ALIKE = 0.85  # of two spellings: one letter in six may be wrong
_SHORTEST, _LONGEST = 5, 80  # letters; shorter words have too many neighbours


def nearest_spellings(
    words: Sequence[str], levels: Levels, table: WordVectors | None
) -> dict[str, str]:
    """Return word -> nearest spelling, of the words that no table knows; .2 s each.

    Empty where no table of word vectors was read.
    """
    if table is None:
        return {}
    known = {term for term in topic_terms(" ".join(words)) if levels.zipf(term)}
    known.update(table.terms)
    unknown = [
        word
        for word in words
        if word.isascii()
        and word.isalpha()
        and _SHORTEST <= len(word) <= _LONGEST
        and known.isdisjoint(terms_of(word))
    ]
    if not unknown:
        return {}
    from ranking.topics.vectors.languages import built_in_words  # numpy

    english = built_in_words()
    nearest = {word: get_close_matches(word, english, 1, _ALIKE) for word in unknown}
    return {word: close[0] for word, close in nearest.items() if close and close[0] != word}
