"""Pages that match a query, and their scores in each field: BM25, by tantivy.

A word counts .7 as written and .3 by its stem, which all its forms share, with and without accents.
The best few hundred pages by their own fields, and as many by link texts, are candidates; each then
gets its exact score in each field.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import Final

import numpy as np
from numpy.typing import NDArray
from tantivy import Occur, Query

from frontier.search.index import FIELDS, LINKED, PAGE, WRITTEN, SearchIndex
from frontier.search.words import WordQuery, stem
from ranking.topics.terms import FUNCTION_WORDS, is_unspaced

_SHARE: Final = 0.7  # of a word as written; the rest for its stem
_MOST: Final = 300  # candidates by own fields, and as many by link texts
_OWN: Final = tuple(field for field in FIELDS if field != "links")


def matches(
    index: SearchIndex, query: WordQuery, weights: Mapping[str, float]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the ids of the candidates, and (fields, pages) their weighted BM25.

    For a query of excluded words only, all other pages, with zeros.
    """
    matcher = _Matcher(index, query, weights)
    ids = matcher.candidates()
    return ids, matcher.scores(ids)


class _Matcher:
    def __init__(self, index: SearchIndex, query: WordQuery, weights: Mapping[str, float]) -> None:
        self._index, self._query = index, query
        self._weights = {field: weights[field] for field in FIELDS if weights[field]}

    def candidates(self) -> NDArray[np.int64]:
        index, query = self._index, self._query
        hidden = [
            _any(self._together(field, phrase.split()) for field in _OWN)
            for phrase in query.excluded
        ]
        if not query.terms:
            every = [Query.exists_query(PAGE)]
            return np.sort(index.matches(_all(every, hidden), PAGE)[0])
        # Function words select no candidates, unless there are no others; they count in scores.
        terms = [term for term in query.terms if term not in FUNCTION_WORDS] or query.terms
        by_page, by_links = [self._with_any(terms, _OWN)], [self._with_any(terms, ["links"])]
        phrases = [self._with_phrase(phrase.split()) for phrase in query.phrases]
        if phrases:
            wanted = reduce(np.intersect1d, phrases).tolist()
            by_page.append(index.among(wanted, PAGE))
            by_links.append(index.among(wanted, LINKED))
        linked, _ = index.matches(_all(by_links), LINKED, _MOST)
        if hidden:
            linked, _ = index.matches(_all([index.among(linked.tolist(), PAGE)], hidden), PAGE)
        return np.union1d(index.matches(_all(by_page, hidden), PAGE, _MOST)[0], linked)

    def scores(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        scores, terms = np.zeros((len(FIELDS), len(ids))), self._query.terms
        for row, field in zip(scores, FIELDS, strict=True):
            if len(ids) and terms:
                key = LINKED if field == "links" else PAGE
                wanted = [self._index.among(ids.tolist(), key), self._with_any(terms, [field])]
                own, values = self._index.matches(_all(wanted), key)
                row[np.searchsorted(ids, own)] = values
        return scores

    def _with_any(self, terms: Iterable[str], fields: Iterable[str]) -> Query:
        """The query for documents with any of some terms in any of some fields."""
        fields = [field for field in fields if field in self._weights]
        return _any(
            Query.boost_query(self._term(name, word), share * self._weights[field])
            for field in fields
            for term in terms
            for name, word, share in (
                (field + WRITTEN, term, _SHARE),
                (field, stem(term), 1 - _SHARE),
            )
        )

    def _with_phrase(self, stems: Sequence[str]) -> NDArray[np.int64]:
        """Ids of the pages with a phrase in one of their fields, or in a link text."""
        own, _ = self._index.matches(_any(self._together(field, stems) for field in _OWN), PAGE)
        linked, _ = self._index.matches(self._together("links", stems), LINKED)
        return np.union1d(own, linked)

    def _together(self, field: str, stems: Sequence[str]) -> Query:
        if len(stems) > 1:
            return Query.phrase_query(self._index.schema, field, list(stems))
        either = [self._term(field, stems[0])]
        if is_unspaced(stems[0]):
            either.append(self._term(field + WRITTEN, stems[0]))  # single letters are there
        return _any(either)

    def _term(self, name: str, word: str) -> Query:
        return Query.term_query(self._index.schema, name, word, "freq")


def _any(queries: Iterable[Query]) -> Query:
    return Query.boolean_query([(Occur.Should, query) for query in queries])


def _all(queries: Iterable[Query], but: Iterable[Query] = ()) -> Query:
    """The query for documents that match all of some queries, and none of others."""
    required, hidden = (
        ((Occur.Must, query) for query in queries),
        ((Occur.MustNot, query) for query in but),
    )
    return Query.boolean_query([*required, *hidden])
