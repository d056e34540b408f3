"""Ranking: a few hundred pages by their words, then these by everything that is known of them.

The score of a page is a sum of parts, each a weight times a number from 0 to 1:

* `title`, `text`, `links`, `url`: BM25 of the field, .7 of it for the words as written, .3 for
their
  stems (`frontier.search.matching`); all four divided by the best weighted sum of a page, so that
  words alone give the best page 1;
* `authority`: share of the pages that have a lower link score;
* `relevance`: of the page for the crawl's topic;
* `similarity`: nearness of the words of its title and beginning to the query by word vectors.

Words come first: the other parts decide among pages that match them about equally. Unknown parts
count 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from frontier.errors import SearchError
from frontier.inspection.reports import Report
from frontier.search.index import FIELDS, SearchIndex
from frontier.search.matching import matches
from frontier.search.snippets import Snippet, snippet
from frontier.search.words import WordQuery, parsed_query, stem, term_list
from ranking.topics.vectors import load_vectors

WEIGHTS: Final[Mapping[str, float]] = {
    "title": 1.0,
    "text": 1.0,
    "links": 0.3,
    "url": 0.25,
    "authority": 0.02,
    "relevance": 0.05,
    "similarity": 0.0,
}
"""Part of a score -> default weight. Title and text count in full; link texts and the words of a
URL
are short, often names that many pages have. Similarity needs a table of words, which takes a second
to read."""

_COMPARED = 100  # candidates compared by word vectors
_BEGINNING = 2_000  # characters of a text compared by word vectors
_NEAREST = 10  # nearest words of a page that count
_CANDIDATES: Final = 300
"""Pages ranked by more than their words."""


@dataclass(frozen=True)
class Answer(Report):
    """A found page; `parts` add up to `score`.

    `folded` counts found pages that repeat it, or the same page as it. `snippet` holds parts of its
    text, each with whether it is a word of the query.
    """

    rank: int
    score: float
    url: str
    title: str
    relevance: float | None
    folded: int
    snippet: Snippet
    parts: dict[str, float]


@dataclass(frozen=True)
class SearchReport(Report):
    """The result of a search.

    `pages` counts the searched pages; `missing` other fetched pages are not in the index. `found`
    counts the ranked pages, of which `folded` repeat others. `note` says why there is no answer.
    """

    words: str
    terms: tuple[str, ...]
    pages: int
    missing: int
    found: int
    folded: int
    weights: dict[str, float]
    note: str | None
    answers: tuple[Answer, ...]


def read_weights(text: str) -> dict[str, float]:
    """Read `title=2 links=1.5`, commas or blanks between; raises SearchError for anything else."""
    given = {}
    for entry in text.replace(",", " ").split():
        name, _, value = entry.partition("=")
        with suppress(ValueError):
            given[name] = float(value)
        given.setdefault(name, math.nan)
    return checked_weights(given)


def checked_weights(given: Mapping[str, float]) -> dict[str, float]:
    """Return all weights; raises SearchError for an unknown part or a number below 0."""
    for name, value in given.items():
        if name not in WEIGHTS or not 0 <= value < math.inf:
            raise SearchError(
                f"expected weights as title=2 links=0.5, each 0 or more, of {', '.join(WEIGHTS)}; "
                f"got {name}={value:g}"
            )
    return {**WEIGHTS, **given}


def search(
    directory: Path, words: str, n: int = 10, weights: Mapping[str, float] | None = None
) -> SearchReport:
    """Find the n pages of the crawl in `directory` that match words best.

    Words in quotes must occur together in one field of the page; words behind a minus must not
    occur, and may be the whole query. Any text is a query. Raises StoreMissingError without a
    crawl, SearchError without an index, for one of another version, and for an invalid weight.
    """
    with SearchIndex.open(directory) as index:
        return search_in(index, words, n, weights)


def search_in(
    index: SearchIndex, words: str, n: int = 10, weights: Mapping[str, float] | None = None
) -> SearchReport:
    """Search an open index."""
    weighed, query = checked_weights(weights or {}), parsed_query(words)
    asked = bool(query.terms or query.excluded)
    candidates = _ranked(index, query, weighed) if asked else []
    shown = _folded(candidates)
    pages = index.pages(candidate.url_id for candidate in shown[:n])
    known = [candidate for candidate in shown[:n] if candidate.url_id in pages]
    note = None if known else "No page has any of these words."
    return SearchReport(
        words=words,
        terms=query.terms,
        pages=len(index),
        missing=int(index.note("missing") or 0),
        found=len(candidates),
        folded=len(candidates) - len(shown),
        weights=weighed,
        note=note if asked else "Nothing was asked for: the query has no words",
        answers=tuple(
            Answer(
                rank,
                candidate.score,
                pages[candidate.url_id].url,
                pages[candidate.url_id].title,
                candidate.relevance,
                candidate.folded,
                snippet(pages[candidate.url_id].text, {stem(term) for term in query.terms}),
                candidate.parts,
            )
            for rank, candidate in enumerate(known, start=1)
        ),
    )


@dataclass
class _Candidate:
    """A page that may be an answer."""

    url_id: int
    parts: dict[str, float]
    relevance: float | None
    twin: int | None
    folded: int = 0

    @property
    def score(self) -> float:
        return math.fsum(self.parts.values())


def _ranked(index: SearchIndex, query: WordQuery, weights: Mapping[str, float]) -> list[_Candidate]:
    """Return the candidates, best first."""
    ids, words = matches(index, query, weights)
    words /= words.sum(axis=0).max(initial=0.0) or 1.0
    numbers = index.numbers(ids)
    known = np.nan_to_num(numbers)
    parts = np.vstack([words, weights["authority"] * known[0], weights["relevance"] * known[1]])
    names = (*FIELDS, "authority", "relevance")
    candidates = []
    for at in np.argsort(-parts.sum(axis=0), kind="stable")[:_CANDIDATES].tolist():
        values = zip(names, parts[:, at].tolist(), strict=True)
        _, relevance, twin = (
            None if number != number else number for number in numbers[:, at].tolist()
        )
        own = {name: value for name, value in values if value or name not in FIELDS}
        candidates.append(
            _Candidate(int(ids[at]), own, relevance, None if twin is None else int(twin))
        )
    if weights["similarity"]:
        similar = _similarity(
            index, query, [candidate.url_id for candidate in candidates[:_COMPARED]]
        )
        for candidate in candidates[:_COMPARED]:
            candidate.parts["similarity"] = weights["similarity"] * similar[candidate.url_id]
        candidates.sort(key=lambda candidate: (-candidate.score, candidate.url_id))
    return candidates


def _similarity(index: SearchIndex, query: WordQuery, ids: list[int]) -> dict[int, float]:
    """Mean cosine to the query of the nearest words of each page's beginning, in [0, 1].

    Words of the query itself do not count here. 0 if no table has the words of the query.
    """
    terms = tuple(stem(term) for term in query.terms)
    vectors = load_vectors("auto", terms)
    cosines = vectors.near(terms) if vectors is not None else None
    if vectors is None or cosines is None:
        return dict.fromkeys(ids, 0.0)
    near = dict(zip(vectors.terms, cosines.tolist(), strict=True))
    own, similar = set(terms), {}
    for url_id, page in index.pages(ids).items():
        used = {stem(term) for term in term_list(f"{page.title} {page.text[:_BEGINNING]}")}
        nearest = sorted((near.get(term, 0.0) for term in used - own), reverse=True)[:_NEAREST]
        similar[url_id] = max(math.fsum(nearest), 0.0) / _NEAREST
    return similar


def _folded(candidates: list[_Candidate]) -> list[_Candidate]:
    """Fold pages that repeat each other into the best of them."""
    twins = {candidate.url_id: candidate.twin for candidate in candidates}
    kept: dict[int, _Candidate] = {}
    for candidate in candidates:
        first = kept.setdefault(_root(candidate.url_id, twins), candidate)
        first.folded += first is not candidate
    return list(kept.values())


def _root(url_id: int, twins: Mapping[int, int | None]) -> int:
    """The original of a page, behind all duplicates; of a circle the page with the lowest id."""
    way = [url_id]
    while (twin := twins.get(way[-1])) is not None:
        if twin in way:
            return min(way[way.index(twin) :])
        way.append(twin)
    return way[-1]
