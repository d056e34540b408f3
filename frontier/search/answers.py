"""Ranking: a few hundred pages by their words, those again by all that is known of them.

The score of a page is a sum of parts, each a weight times a number from 0 to 1:

* `title`, `text`, `links`, `url`: BM25 of the field (k1 = 1.2, b = 0.75), .7 of it of the words as
  they are written, .3 of all their forms; all four divided by the best weighted sum that a page
  has, so that words alone give the best page 1;
* `authority`: share of the pages that have a lower link score;
* `relevance`: of the page for the crawl's topic;
* `similarity`: how near the words of its title and its beginning are to the query by word vectors.

Words come first: all else decides among pages that say them about as well. What is unknown counts
0.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from frontier.errors import SearchError
from frontier.inspection.reports import Report
from frontier.search.index import (
    FIELDS,
    NO_NUMBERS,
    PageNumbers,
    SearchIndex,
)
from frontier.search.snippets import Snippet, snippet
from frontier.search.words import (
    Query,
    folded,
    forms,
    parsed_query,
    stem,
    term_list,
)
from ranking.topics.terms import FUNCTION_WORDS
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
"""Of the parts of a score. What a page says counts in full; what others call it is short, often a
name that many pages have, and so are the words of a URL. Similarity needs a table of words, which
takes a second to read."""

_LINKS = FIELDS.index("links")
_K1 = 1.2  # BM25's
_WRITTEN = 0.7  # share of a word as it is written; of all its forms the rest
_READ = 1_000  # pages whose texts are read for words that stand together
_COMPARED = 100  # of them that are compared by word vectors
_BEGINNING = 2_000  # characters of a text that are
_NEAREST = 10  # words
_CANDIDATES: Final = 300
"""Pages that are ranked by more than their words."""


@dataclass(frozen=True)
class Answer(Report):
    """A page that was found; `parts` add up to `score`.

    `folded` counts pages that repeat it, or the same page as it, and were found as well. `snippet`
    holds parts of its text, each with whether it is a word that was asked for.
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
    """What a search found.

    `pages` are searched; `missing` more were fetched and are not in the index. `found` were ranked,
    of which `folded` repeat others of them. `note` says why there is nothing where there is none.
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
    """Find the pages of the crawl in `directory` that answer words best, at most n.

    Words in quotes must stand so in one field of the page; what follows a minus must not. Any text
    may be asked. Raises StoreMissingError where there is no crawl, SearchError where it has no
    index, one of another version, or a weight is none.
    """
    with SearchIndex.open(directory) as index:
        return search_in(index, words, n, weights)


def search_in(
    index: SearchIndex, words: str, n: int = 10, weights: Mapping[str, float] | None = None
) -> SearchReport:
    """The same in an index that is open."""
    weighed, query = checked_weights(weights or {}), parsed_query(words)
    with index.snapshot():
        found = _ranked(index, query, weighed) if query.terms else []
        shown = _folded(found)
        pages = index.pages(one.url_id for one in shown[:n])
        known = [one for one in shown[:n] if one.url_id in pages]
        n_pages, missing = len(index), int(index.note("missing") or 0)
    note = None if known else "No page says any of these words."
    return SearchReport(
        words=words,
        terms=query.terms,
        pages=n_pages,
        missing=missing,
        found=len(found),
        folded=len(found) - len(shown),
        weights=weighed,
        note=note if query.terms else "Nothing was asked for: expected words, such as: dark matter",
        answers=tuple(
            Answer(
                rank,
                one.score,
                pages[one.url_id].url,
                pages[one.url_id].title,
                one.numbers.relevance,
                one.folded,
                snippet(pages[one.url_id].text, {stem(term) for term in query.terms}),
                one.parts,
            )
            for rank, one in enumerate(known, start=1)
        ),
    )


@dataclass
class _Found:
    """A page that may be an answer."""

    url_id: int
    parts: dict[str, float]
    numbers: PageNumbers
    folded: int = 0

    @property
    def score(self) -> float:
        return math.fsum(self.parts.values())


def _ranked(index: SearchIndex, query: Query, weights: Mapping[str, float]) -> list[_Found]:
    """Return the candidates, best first."""
    ids, words = _by_words(index, query, weights)
    best = float(words.sum(axis=0).max(initial=0.0))
    numbers = index.numbers(ids)
    found = []
    for url_id, values in zip(ids, (words / (best or 1.0)).T.tolist(), strict=True):
        known = numbers.get(url_id, NO_NUMBERS)
        own = {name: value for name, value in zip(FIELDS, values, strict=True) if value}
        own["authority"] = weights["authority"] * (known.authority or 0.0)
        own["relevance"] = weights["relevance"] * (known.relevance or 0.0)
        found.append(_Found(url_id, own, known))
    found.sort(key=lambda one: (-one.score, one.url_id))
    if weights["similarity"]:
        similar = _similarity(index, query, [one.url_id for one in found[:_COMPARED]])
        for one in found[:_COMPARED]:
            one.parts["similarity"] = weights["similarity"] * similar[one.url_id]
        found.sort(key=lambda one: (-one.score, one.url_id))
    return found


def _by_words(
    index: SearchIndex, query: Query, weights: Mapping[str, float]
) -> tuple[list[int], NDArray[np.float64]]:
    """Ids of the best candidates, and (fields, candidates) weighted BM25."""
    n = {field: len(index) for field in FIELDS} | {"links": len(index.linked_ids())}
    told = {term: _values(index, term, n, weights) for term in query.terms}
    # Function words find nothing, unless there are no others; they count on what is found.
    finding = [one for term, one in told.items() if term not in FUNCTION_WORDS] or told.values()
    ids = np.unique(np.concatenate([own for own, _, _ in finding]))
    words = np.zeros((len(FIELDS), len(ids)))
    for own, fields, values in told.values():
        has = np.isin(own, ids)
        words[fields[has], np.searchsorted(ids, own[has])] += values[has]
    stays = np.ones(len(ids), np.bool_)
    for phrase in query.phrases:
        for term in told:
            if stem(term) in phrase.split():
                stays &= np.isin(ids, told[term][0])
    for form in (form for one in query.excluded if " " not in one for form in forms(one)):
        stays &= ~np.isin(ids, [url_id for field, _, url_id in index.said(form) if field != _LINKS])
    totals = np.where(stays, words.sum(axis=0), 0.0)
    order = np.argsort(-totals, kind="stable")[: np.count_nonzero(totals)]
    apart = [one for one in query.excluded if " " in one]
    if query.phrases or apart:
        order = order[_say(index, ids[order[:_READ]].tolist(), query.phrases, apart)]
    order = order[:_CANDIDATES]
    return ids[order].tolist(), words[:, order]


def _values(
    index: SearchIndex, term: str, n: Mapping[str, int], weights: Mapping[str, float]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Pages that say a term, in which field, and its weighted BM25 there, as Lucene has it."""
    written: dict[tuple[int, int], float] = {}
    all_forms: dict[tuple[int, int], float] = {}
    for form in {term, *forms(stem(term))}:
        for field, weight, url_id in index.said(form):
            if weights[FIELDS[field]]:
                page = field, url_id
                all_forms[page] = all_forms.get(page, 0.0) + weight
                if form == term:
                    written[page] = weight
    values = dict.fromkeys(all_forms, 0.0)
    for share, own in ((_WRITTEN, written), (1 - _WRITTEN, all_forms)):
        df = Counter(FIELDS[field] for field, _ in own)
        rarity = [math.log1p((n[name] - df[name] + 0.5) / (df[name] + 0.5)) for name in FIELDS]
        factors = [
            share * weights[name] * one * (_K1 + 1)
            for name, one in zip(FIELDS, rarity, strict=True)
        ]
        for page, weight in own.items():
            values[page] += factors[page[0]] * weight / (weight + _K1)
    fields, ids = zip(*values, strict=True) if values else ((), ())
    return np.array(ids, np.int64), np.array(fields, np.int64), np.array(list(values.values()))


def _say(
    index: SearchIndex, ids: list[int], phrases: Sequence[str], excluded: Sequence[str]
) -> list[int]:
    """Places of the pages that say all of the phrases, each in one field, and none excluded."""
    texts, links, places = index.pages(ids), index.link_texts(ids), []
    for place, url_id in enumerate(ids):
        own = [f" {folded(said)} " for said in texts[url_id].terms().values()]
        either = [*own, f" {folded(links.get(url_id, '').split())} "]
        if all(any(f" {one} " in said for said in either) for one in phrases) and not any(
            f" {one} " in said for one in excluded for said in own
        ):
            places.append(place)
    return places


def _similarity(index: SearchIndex, query: Query, ids: list[int]) -> dict[int, float]:
    """Mean cosine to the query of the nearest words of each page's beginning, in [0, 1].

    Words of the query itself count elsewhere. 0 where no table knows the query.
    """
    vectors = load_vectors("auto")
    cosines = vectors.near([stem(one) for one in query.terms]) if vectors is not None else None
    if vectors is None or cosines is None:
        return dict.fromkeys(ids, 0.0)
    near = dict(zip(vectors.terms, cosines.tolist(), strict=True))
    own = {stem(one) for one in query.terms}
    found = {}
    for url_id, page in index.pages(ids).items():
        said = {stem(one) for one in term_list(f"{page.title} {page.text[:_BEGINNING]}")}
        nearest = sorted((near.get(one, 0.0) for one in said - own), reverse=True)[:_NEAREST]
        found[url_id] = max(math.fsum(nearest), 0.0) / _NEAREST
    return found


def _folded(found: list[_Found]) -> list[_Found]:
    """Fold pages that repeat each other into the best of them."""
    twins = {one.url_id: one.numbers.twin for one in found}
    kept: dict[int, _Found] = {}
    for one in found:
        first = kept.setdefault(_root(one.url_id, twins), one)
        first.folded += first is not one
    return list(kept.values())


def _root(url_id: int, twins: Mapping[int, int | None]) -> int:
    """The page that one repeats in the end; of a circle the one with the lowest id."""
    way = [url_id]
    while (twin := twins.get(way[-1])) is not None:
        if twin in way:
            return min(way[way.index(twin) :])
        way.append(twin)
    return way[-1]
