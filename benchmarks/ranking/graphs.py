"""Graphs to rank: a synthetic crawl that grows, and a real one.

The synthetic crawl is deterministic by its seed. It has what makes a crawl graph unlike the
graphs that libraries are tuned to:

- Pages are fetched one by one, and only after a link to them was seen; the fetched ids are
  scattered among all ids. About 90 % of the ids are never fetched.
- A page names about 45 targets. One in five was never seen before and gets the next id. The
  others are neighbours by id (discovered about when the page was), the entry pages of its site,
  or popular pages anywhere, whose in-degrees follow a power law.
- A graph that grew is a longer prefix of the same crawl: growth is generated once, and the rows
  of the smaller graph are the first rows of the larger.

Nobody links to itself or twice to the same target, so that every tool counts the same links.
"""

from __future__ import annotations

import json
import lzma
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]

MOST_GROWTH = 0.1
VERSION = 1  # of the graphs on disk: raise it when the generator changes
SEEDS = 1000

_DEGREE = 52.0  # mean out-degree before repeats are dropped
_SPREAD = 0.8  # sigma of the lognormal out-degree
_WIDEST = 2000
_NEW = 0.2  # share of the links to ids never seen before
_NEAR, _MENU = 0.3, 0.3  # shares of the other links: neighbours, entry pages of the site
_SITE = 512  # ids of a site
_MENU_PAGES = 20
_POPULAR = 1 / 6  # in-degree (rank + _HEAD)^-(1 - 1/6): exponent 2.2, as measured on the web
_HEAD = 5  # flattens the head: the most popular page is named by about 5 % of the pages
_FIELDS, _OWN_FIELD = 16, 0.7  # sites belong to fields and mostly name what is popular there
_FETCHED_AT_ONCE = 256
_CHUNK = 50_000  # pages made at once


@dataclass(frozen=True)
class Crawl:
    """Rows of fetched pages in crawl order.

    `known[i]` ids were discovered when i pages were fetched, so the first i rows are a graph of
    known[i] ids. `relevance` (n,) lies in [0, 1].
    """

    pages: Array
    indptr: Array
    targets: Array
    known: Array
    relevance: Array

    def first(self, pages: int) -> Crawl:
        """The crawl when it had fetched so many pages."""
        n, indptr = int(self.known[pages]), np.array(self.indptr[: pages + 1])
        return Crawl(
            np.array(self.pages[:pages]),
            indptr,
            np.array(self.targets[: indptr[-1]]),
            np.array(self.known[: pages + 1]),
            np.array(self.relevance[:n]),
        )

    @property
    def n(self) -> int:
        """Number of ids."""
        return int(self.known[-1])

    @property
    def n_links(self) -> int:
        """Number of links."""
        return int(self.indptr[-1])

    def sources(self) -> Array:
        """(L,) the page of each link."""
        return np.repeat(self.pages, np.diff(self.indptr))

    def save(self, directory: Path) -> None:
        """Write one file an array; complete once `done.json` is there."""
        directory.mkdir(parents=True, exist_ok=True)
        for name in _ARRAYS:
            np.save(directory / f"{name}.npy", getattr(self, name))
        (directory / "done.json").write_text(json.dumps({"version": VERSION}), encoding="utf-8")

    @classmethod
    def load(cls, directory: Path) -> Crawl:
        """Map the arrays of `save`; `first` reads what it needs of them."""
        return cls(*(np.load(directory / f"{name}.npy", mmap_mode="r") for name in _ARRAYS))


_ARRAYS = ("pages", "indptr", "targets", "known", "relevance")


def is_saved(directory: Path) -> bool:
    """Whether a graph of this version is complete there."""
    done = directory / "done.json"
    return done.is_file() and json.loads(done.read_text(encoding="utf-8"))["version"] == VERSION


def grown(pages: int, share: float) -> int:
    """Number of pages after a crawl of so many grew by a share."""
    return pages + round(pages * share)


def synthetic(pages: int, seed: int = 20_070) -> Crawl:
    """A crawl of `pages` pages and of the growth after it."""
    total = grown(pages, MOST_GROWTH)
    chance = np.random.default_rng(seed)
    degrees = _degrees(chance, total)
    fresh = chance.binomial(degrees, _NEW)
    known = np.concatenate([[SEEDS], SEEDS + np.cumsum(fresh)])
    fetched = _fetch_order(chance, known)
    chunks = [
        _rows(chance, fetched, degrees, fresh, known, slice(at, min(at + _CHUNK, total)))
        for at in range(0, total, _CHUNK)
    ]
    counts = np.concatenate([count for count, _ in chunks])
    return Crawl(
        pages=fetched.astype(np.int32),
        indptr=np.concatenate([[0], np.cumsum(counts)]),
        targets=np.concatenate([targets for _, targets in chunks]),
        known=known,
        relevance=_relevance(chance, int(known[-1])),
    )


def _degrees(chance: np.random.Generator, total: int) -> Array:
    mean = np.log(_DEGREE) - _SPREAD**2 / 2
    degrees = chance.lognormal(mean, _SPREAD, total).astype(np.int64)
    # The first pages name enough for the crawl to go on.
    degrees[:SEEDS] = np.maximum(degrees[:SEEDS], 10)
    return np.minimum(degrees, _WIDEST)


def _fetch_order(chance: np.random.Generator, known: Array) -> Array:
    """Ids in the order they are fetched, each after its discovery and once.

    Half of them anywhere among what is known, half among the popular ones, as a crawl with
    priorities would.
    """
    total = len(known) - 1
    order = np.empty(total, np.int64)
    taken = np.zeros(known[-1], np.bool_)
    at = 0
    while at < total:
        want = min(_FETCHED_AT_ONCE, total - at)
        powers = np.where(chance.random(4 * want) < 0.5, 1.0, 3.0)
        drawn = (known[at] * chance.random(4 * want) ** powers).astype(np.int64)
        drawn = drawn[~taken[drawn]]
        _, first = np.unique(drawn, return_index=True)
        chosen = drawn[np.sort(first)][:want]
        taken[chosen] = True
        order[at : at + len(chosen)] = chosen
        at += len(chosen)
    return order


def _rows(
    chance: np.random.Generator,
    fetched: Array,
    degrees: Array,
    fresh: Array,
    known: Array,
    pages: slice,
) -> tuple[Array, Array]:
    """Out-degrees and targets of some pages, in the order the page names them."""
    degree = degrees[pages]
    row = np.repeat(np.arange(len(degree)), degree)
    source, before = fetched[pages][row], known[:-1][pages][row]
    targets = _old_targets(chance, source, before)
    new = _places_of_new(chance, row, degree, fresh[pages])
    # In the order of discovery: the rows ascend, so the new ids do.
    targets[new] = known[pages.start] + np.arange(len(new))
    keep = _first_mentions(row, source, targets)
    return np.bincount(row[keep], minlength=len(degree)), targets[keep].astype(np.int32)


def _old_targets(chance: np.random.Generator, source: Array, before: Array) -> Array:
    """For each link an id among the `before` that were known when its page was fetched."""
    kind, u = chance.random((2, len(source)))
    distance = np.exp(u * np.log(10_000)).astype(np.int64)
    near = source + np.where(chance.random(len(source)) < 0.5, -distance, distance)
    menu = source // _SITE * _SITE + (_MENU_PAGES * u**2).astype(np.int64)
    popular = _popular(chance, source, before, u)
    targets = np.where(kind < _NEAR, near, np.where(kind < _NEAR + _MENU, menu, popular))
    return np.clip(targets, 0, before - 1)


def _popular(chance: np.random.Generator, source: Array, before: Array, u: Array) -> Array:
    """Popular ids, most of them moved to the same place in a site of the page's own field."""
    low, high = _HEAD**_POPULAR, (before + _HEAD) ** _POPULAR
    anywhere = ((low + u * (high - low)) ** (1 / _POPULAR) - _HEAD).astype(np.int64)
    site, place = np.divmod(anywhere, _SITE)
    own = site // _FIELDS * _FIELDS + source // _SITE % _FIELDS
    moved = own * _SITE + place
    stays = (chance.random(len(source)) > _OWN_FIELD) | (moved >= before)
    ids: Array = np.where(stays, anywhere, moved)
    return ids


def _places_of_new(chance: np.random.Generator, row: Array, degree: Array, fresh: Array) -> Array:
    """Return which links name a new id: `fresh` of each row, anywhere in it."""
    order = np.lexsort((chance.random(len(row)), row))
    rank = np.arange(len(row)) - np.repeat(np.cumsum(degree) - degree, degree)
    return np.sort(order[rank < fresh[row]])


def _first_mentions(row: Array, source: Array, targets: Array) -> Array:
    """Positions, ascending, of the links that are neither repeated nor to the page itself."""
    _, first = np.unique(row << 32 | targets, return_index=True)
    first.sort()
    kept: Array = first[targets[first] != source[first]]
    return kept


def _relevance(chance: np.random.Generator, n: int) -> Array:
    """Sites are about the topic or not, and their pages more or less so."""
    site = chance.random(n // _SITE + 1) ** 4
    return np.repeat(site, _SITE)[:n] * chance.random(n)


def read_edges(path: Path, seed: int = 7) -> Crawl:
    """A real graph: "source target" a line, .xz; its pages in the order of their ids."""
    with lzma.open(path) as file:
        edges = np.fromstring(file.read(), np.int64, sep=" ").reshape(-1, 2)
    sources, targets = edges[edges[:, 0] != edges[:, 1]].T
    n = int(edges.max()) + 1
    key = np.unique(sources * n + targets)
    sources, targets = key // n, key % n
    pages, counts = np.unique(sources, return_counts=True)
    return Crawl(
        pages=pages.astype(np.int32),
        indptr=np.concatenate([[0], np.cumsum(counts)]),
        targets=targets.astype(np.int32),
        known=np.full(len(pages) + 1, n),
        relevance=_relevance(np.random.default_rng(seed), n),
    )
