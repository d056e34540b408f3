"""What is said of a topic: that nothing can be learned from it, or what may have been meant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from itertools import chain
from typing import TYPE_CHECKING

from ranking.topics.forms import Forms
from ranking.topics.frequencies import Levels
from ranking.topics.learn import topic_terms
from ranking.topics.terms import FUNCTION_WORDS, is_unspaced, terms_of
from ranking.topics.terms import words as words_of

if TYPE_CHECKING:
    from ranking.topics.vectors.table import WordVectors

_SHOWN = 80  # characters of what was given
_ALIKE = 0.85  # of two spellings: one letter in six may be wrong
_SHORTEST = 5  # letters; too many others are like shorter words


def nearest_spellings(unknown: Iterable[str]) -> dict[str, str]:
    """Return word -> the English word that is spelled most like it, where one is; .2 s each."""
    asked = [word for word in unknown if word.isascii() and word.isalpha()]
    asked = [word for word in asked if _SHORTEST <= len(word) <= _SHOWN]
    if not asked:
        return {}
    from ranking.topics.vectors.languages import built_in_words  # numpy

    known = built_in_words()
    nearest = {word: get_close_matches(word, known, 1, _ALIKE) for word in asked}
    return {word: found[0] for word, found in nearest.items() if found and found[0] != word}


def spelling_of(words: Sequence[str], levels: Levels, table: WordVectors | None) -> dict[str, str]:
    """The nearest spellings of words that no table knows; none where no table was read."""
    if table is None:
        return {}
    known = {term for term in topic_terms(" ".join(words)) if levels.zipf(term)}
    known.update(table.terms)
    return nearest_spellings(word for word in words if known.isdisjoint(terms_of(word)))


def names_of(texts: Iterable[str], forms: Forms) -> dict[str, str]:
    """Return term -> the first word of some texts that it is the term of."""
    names: dict[str, str] = {}
    for word in chain.from_iterable(map(words_of, texts)):
        for term in forms.terms_of(word):
            names.setdefault(term, term if is_unspaced(term) else word)
    return names


def nothing_to_learn(topic: str, examples: Sequence[str]) -> str:
    """Return the message for a topic without a telling word: which of its words were understood."""
    common = [word for word in words_of(topic) if word in FUNCTION_WORDS]
    understood = ", ".join(dict.fromkeys(common)) or "none"
    return (
        "expected a topic with at least one telling word, or an example page with text; "
        f"got topic {topic[:_SHOWN]!r} (words understood: {understood[:_SHOWN]}; those stand on "
        f"any page) and {len(examples)} example(s) without usable words. Name the topic by a few "
        "words of its own, such as 'solar telescopes', or give the addresses of pages that are "
        "about it."
    )
