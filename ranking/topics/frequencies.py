"""How common a term is in its language: the stand-in for document frequencies.

A crawl has no collection to count document frequencies in before it starts, and counting while it
runs would make a page's relevance depend on when it was fetched. The folder `words` holds the
terms of 42 languages that occur at least once in 10,000 words, with their place on the Zipf scale
(log10 of the occurrences in a billion words). Two things are made of it:

* a term's *level*, 0 to 1, in place of the inverse document frequency: 1 for all that the table
  does not know, falling with the Zipf value to `_LOWEST`, 0 for function words;
* the *background*: the terms of a page about nothing in particular, as a unit vector, in place of a
  sample of pages that are not wanted.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache

from ranking.topics.terms import FUNCTION_WORDS, WORD_TABLES, fold

_FUNCTION_ZIPF = 6.6  # and above: "with", "they"; one word in 250
_COMMON_ZIPF = 7.0  # where the level would reach 0 ...
_COMMON_SPAN = 2.0  # ... when it falls from 1 at the least Zipf value of the tables, 5
_LOWEST = 0.1
_ASKED = 0.25  # least level of a word that the user gave

_PAGE = 800  # words of the page that the background is made of
_LIKELY = 0.9  # of the best language's score: words are shared, and pages are mixed
_MOST = 3  # languages of one text
_DEFAULT = "en"  # where the words tell nothing
_DIGITS = 3  # of a share that is kept
_FUNCTION_TERMS = FUNCTION_WORDS | {fold(word) for word in FUNCTION_WORDS}


class Levels:
    """How much each term tells, in the languages of a topic."""

    def __init__(
        self,
        languages: Sequence[str],
        asked: Iterable[str] = (),
        common: Mapping[str, float] | None = None,
    ) -> None:
        """Read the tables of `languages`; raises KeyError for one that has none.

        Terms of `asked` tell something, however short or common they are. `common` has the share
        of the web's pages that have a term, in [0, 1].
        """
        self.languages = tuple(languages)
        self.common = dict(common or {})
        self._asked = frozenset(asked)
        zipf: dict[str, float] = {}
        for language in languages:
            for value, terms in _table(language).items():
                zipf.update((term, max(value, zipf.get(term, 0.0))) for term in sorted(terms))
        self._zipf = zipf

    def level(self, term: str) -> float:
        """Return how much a term tells, in [0, 1]; function words, numbers, single letters 0."""
        zipf = self._zipf.get(term, 0.0)
        level = max(_LOWEST, min(1.0, (_COMMON_ZIPF - zipf) / _COMMON_SPAN))
        if term in self._asked:
            return max(level, _ASKED)
        if zipf >= _FUNCTION_ZIPF or _is_empty(term):
            return 0.0
        return level * (1.0 - self.common.get(term, 0.0))

    def zipf(self, term: str) -> float:
        """Return how common a term is in its language, 9 + log10 of its share; 0 if it is rare."""
        return self._zipf.get(term, 0.0)

    def on(self, pages: Sequence[Iterable[str]]) -> Levels:
        """The same on a web with such pages (their terms): a term of all pages tells nothing."""
        held = Counter(term for page in pages for term in set(page))
        common = {term: round(df / len(pages), _DIGITS) for term, df in held.items() if df > 1}
        return Levels(self.languages, self._asked, common)

    @cached_property
    def background(self) -> dict[str, float]:
        """Return term -> weight > 0, of unit length: 1 + ln tf of an average page, by level."""
        vector = {}
        for term, zipf in self._zipf.items():
            expected = _PAGE * math.pow(10.0, zipf - 9.0)
            weight = 1.0 - math.exp(-expected) + 0.7 * math.log1p(expected)
            if (level := self.level(term)) > 0.0:
                vector[term] = weight * level
        length = math.sqrt(math.fsum(value * value for value in vector.values()))
        return {term: value / length for term, value in vector.items()}


def _is_empty(term: str) -> bool:
    return (
        term in _FUNCTION_TERMS
        or term.isdigit()
        or (len(term) < 3 and term.isascii() and term.isalnum())
    )


def text_languages(texts: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """Return the languages that the terms of some texts are of, the likeliest first.

    Args:
        texts: the terms of each; each may be of another language.

    Returns:
        At least one of the languages that have a table, at most three for each text.

    """
    languages: dict[str, None] = {}
    counted = [Counter(text) for text in texts]
    for text, scores in zip(counted, _scores(counted, _known), strict=True):
        if not any(scores.values()):  # words of a topic may all be rare
            (scores,) = _scores([text], _spelling)
        languages.update(dict.fromkeys(_likely(scores)))
    return tuple(languages) or (_DEFAULT,)


def _scores(
    texts: Sequence[Mapping[str, int]],
    score: Callable[[Mapping[str, int], Mapping[float, set[str]]], float],
) -> list[dict[str, float]]:
    """Return language -> score of each text; one table at a time is in memory."""
    scores: list[dict[str, float]] = [{} for _ in texts]
    for language in _languages():
        table = _table(language)
        for text, scored in zip(texts, scores, strict=True):
            scored[language] = score(text, table)
    return scores


def _likely(scores: Mapping[str, float]) -> list[str]:
    best = max(scores.values())
    if best <= 0.0:
        return []
    ranked = sorted(scores, key=lambda code: (-scores[code], code != _DEFAULT, code))
    return [code for code in ranked if scores[code] >= _LIKELY * best][:_MOST]


def _known(text: Mapping[str, int], table: Mapping[float, set[str]]) -> float:
    """Return how much of a text is common in a language; the commonest words count most."""
    return math.fsum(
        zipf * math.fsum(text[term] for term in terms & text.keys())
        for zipf, terms in table.items()
    )


def _spelling(text: Mapping[str, int], table: Mapping[float, set[str]]) -> float:
    """Return how many pairs of letters of a text occur in common words of a language."""
    usual = "\n".join("\n".join(terms) for terms in table.values())
    return math.fsum(n * sum(pair in usual for pair in _pairs(term)) for term, n in text.items())


@lru_cache(maxsize=1)
def _languages() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in WORD_TABLES.glob("*.txt")))


def _table(language: str) -> dict[float, set[str]]:
    """Return Zipf value -> terms of a language; raises KeyError for one without a table."""
    path = WORD_TABLES / f"{language}.txt"
    if not path.is_file():
        raise KeyError(language)
    rows = (line.split(" ") for line in path.read_text(encoding="utf-8").splitlines())
    return {float(zipf): set(terms) for zipf, *terms in rows}


def _pairs(term: str) -> set[str]:
    return {term[i : i + 2] for i in range(len(term) - 1)}
