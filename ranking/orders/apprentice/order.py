"""The apprentice: an order that learns from the pages it fetches which evidence pays.

Every URL that waits has a design row: signals of its links and of the pages they are on
(`signals`), each by its value where that means something on any web, and by how rare it is in the
frontier (`rarity`). A ridge regression (`ridge`) predicts relevance from the row, starting from
beliefs that are sane anywhere. A page that was fetched and judged is an example: the row that its
URL was leased with, and its worth, √rel: judges give most pages next to nothing, and their scale
would hardly tell these apart. A relevant page counts for several. So anchors come to decide where
anchors tell, and the relevance of linking pages where that does.

To the prediction a bonus is added for hosts and folders of which few pages were tried,

    .1 / √(1 + pages tried on the host) + .03 / √(1 + pages tried in the folder),

which lets a crawl leave a part of the web that has run dry, and tunnel to others. Value and bonus
are multiplied by the chance that the URL answers, and with something new. The first follows from
the tries in its folder and on its host; the second from how often URLs of its template led to known
pages, as permalinks do that redirect, and copies that name their original.

Rows, weights and the mean are functions of the page updates in their order, and rankings and
samples are taken at fixed pages: a crawl repeats, and a resumed one goes on with the same weights.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray, SingleArray
from ranking.evidence import Evidence
from ranking.graph.view import GraphView
from ranking.orders.apprentice._signals import Weighing
from ranking.orders.apprentice.columns import LinkMemory, SourceYields, Walks
from ranking.orders.apprentice.places import PlaceYields, Yields
from ranking.orders.apprentice.rarity import Rarity, waiting
from ranking.orders.apprentice.ridge import Ridge
from ranking.orders.apprentice.signals import (
    BELIEFS,
    COLUMN_OF,
    GRADED,
    SIGNALS,
    SignalColumns,
    design,
    exploration,
    signal_values,
    silence,
)
from ranking.orders.base import Job, Places, Repricing, State
from ranking.orders.link_order import LinkOrder, LinkUpdate
from ranking.page_update import PageUpdate
from ranking.priority import LEAST_MEAN, Ids
from ranking.result import Ranking

RELEVANT = 0.5  # relevance of a page that counts as ...
RELEVANT_COUNT = 3.0  # ... so many others: there are few of them
YOUNG = 50  # judged pages until which the mean follows every one
ALL_EVERY = 10  # pages between two pricings of the whole queue, while that is short ...
ALL_SHARE = 250  # ... and one more for each so many URLs in it
BEST_EVERY = 10
WITH_FAILURES = "templates"  # the kind of places whose failures are saved: `fail` repeats others


class Apprentice(LinkOrder):
    """Scores: "score" is topical PageRank; the others by their names."""

    name = "apprentice"
    summary = "The URL most likely to be relevant, by what has paid in this crawl so far."
    source = (
        "Chakrabarti, Punera, Subramanyam 2002, Accelerated focused crawling through online "
        "relevance feedback; Fisher 1932 (adding evidence); Rennie and McCallum 1999"
    )
    formula = (
        "w · x(v) + exploration, x the signals of v and their rarity in the frontier, w learned by "
        "ridge regression from the pages fetched so far"
    )
    when = (
        "For a topic, always, unless the order must be explained by one formula: it finds out "
        "whether words, linking pages, hosts or link scores lead to relevant pages on this web."
    )
    saved_score = "topical.now"
    uses_topic = True
    uses_places = True
    at_once = 2**16

    def __init__(self, damping: float = 0.85, tol: float = 1e-4) -> None:
        super().__init__(damping, tol)
        self._ridge = Ridge(BELIEFS)
        self._rarity = Rarity(len(SIGNALS))
        self._memory = LinkMemory()
        self._walks = Walks(damping, tol)
        self._sources = SourceYields()
        self._yields = Yields(*[PlaceYields() for _ in Yields._fields])
        self._inputs = SignalColumns(self._memory, self._walks, self._sources, self._yields)
        self._saved = self._ridge, self._rarity, self._memory, self._sources, self._walks
        self._judged = 0
        self._sum = self._mean = 0.0
        self._evidence: Evidence | None = None  # of the re-rank under way
        self._all_at = self._best_at = 0

    # -- what the crawl learns ------------------------------------------------------------------

    @property
    def scores(self) -> dict[str, FloatArray]:
        scores = self._walks.scores
        return {"score": scores["topical"], **scores}

    @property
    def placed(self) -> int:
        return self._yields.hosts.known

    def place(self, places: Places) -> None:
        for kind, of_kind in zip(self._yields, places, strict=True):
            kind.add(of_kind)

    def grow(self, n: int) -> None:
        for kind in self._yields:
            kind.grow(n)
        self._memory.grow(n)
        self._sources.grow(n)
        self._walks.grow(n)

    def learn(self, page: int, row: SingleArray | None, relevance: float) -> None:
        self._memory.judge(page)
        for kind in self._yields:
            kind.judge(page, relevance)
        self._judged += 1
        self._sum += relevance
        if self._add_example(row, relevance) or self._judged < YOUNG:
            self._mean = self._sum / self._judged

    def lead(self, page: int, row: SingleArray | None, expected: float | None) -> None:
        hosts, folders, templates, zones = self._yields
        for kind in (hosts, folders, zones):
            kind.judge(page, expected or 0.0)
        if expected is None:
            templates.fail(np.array([page]))
            self._add_example(row, 0.0)
        else:
            templates.judge(page, expected)

    def fail(self, ids: npt.ArrayLike) -> None:
        array = np.asarray(ids)
        self._yields.hosts.fail(array)
        self._yields.folders.fail(array)

    def page(self, update: PageUpdate, evidence: Evidence) -> None:
        links = LinkUpdate.of(update, evidence)
        self._memory.note(update, links.followed)
        self.take(links)

    def row(self, page: int, evidence: Evidence) -> SingleArray | None:
        return self.rows([page], evidence)[0]

    def rows(self, pages: Sequence[int], evidence: Evidence) -> list[SingleArray | None]:
        columns = self._design_of(self._inputs.gathered(np.array(pages, np.int64), evidence))
        rows = columns.T.astype(np.float32, order="C")
        return [
            None if seed else row
            for row, seed in zip(rows, evidence.seed[pages].tolist(), strict=True)
        ]

    def _add_example(self, row: SingleArray | None, relevance: float) -> bool:
        """Learn from the row that a URL was leased with; whether the weights changed."""
        # A crawl may have been begun with another order, whose rows are others.
        if row is None or len(row) != len(BELIEFS):
            return False
        count = RELEVANT_COUNT if relevance >= RELEVANT else 1.0
        return self._ridge.learn(row, sqrt(relevance), count)

    # -- priorities -----------------------------------------------------------------------------

    def repricing(self, pages: int, queued: int) -> Repricing:
        every = min(ALL_EVERY, 1 + pages // 10) + queued // ALL_SHARE
        if pages - self._all_at >= every:
            self._all_at = self._best_at = pages
            return Repricing.ALL
        if pages - self._best_at >= BEST_EVERY:
            self._best_at = pages
            return Repricing.BEST
        return Repricing.NONE

    def repricing_reranked(self, pages: int, queued: int) -> Repricing:
        due = self.repricing(pages, queued)
        self._best_at = pages
        return Repricing.BEST if due is Repricing.NONE else due

    def value(self, ids: Ids, evidence: Evidence) -> FloatArray:
        mean = self._mean
        weighing = Weighing(
            self._inputs.columns(evidence),
            tuple(kind.columns for kind in self._yields),
            *(mean, max(mean, LEAST_MEAN), GRADED),
            self._ridge.weights,
            self._rarity.scales,
        )
        values = np.empty(len(ids))
        weighing.values(np.ascontiguousarray(ids, np.int64), values)
        return values

    def _design_of(self, inputs: FloatArray) -> FloatArray:
        values = signal_values(inputs, self._mean)
        return design(values, self._rarity.of(values))

    # -- explanations ---------------------------------------------------------------------------

    def contributions(self, ids: npt.ArrayLike, evidence: Evidence) -> dict[str, FloatArray]:
        inputs = self._inputs.gathered(np.asarray(ids), evidence)
        parts = self._parts(self._design_of(inputs))
        parts["host and folder hardly seen so far"] = exploration(inputs)
        value = sum(parts.values(), np.zeros(inputs.shape[1]))
        return {**parts, "risk of no answer": -silence(inputs, value)}

    def row_contributions(self, row: SingleArray) -> dict[str, float]:
        if len(row) != len(BELIEFS):
            return {}  # of another order, with which the crawl began
        parts = self._parts(row[:, None].astype(np.float64))
        return {words: float(values[0]) for words, values in parts.items()}

    def _parts(self, columns: FloatArray) -> dict[str, FloatArray]:
        """What each signal adds, by its words, of a design (d, k)."""
        weighed = columns * self._ridge.weights[:, None]
        parts = {signal.words: np.zeros(columns.shape[1]) for signal in SIGNALS}
        for column, signal in enumerate(COLUMN_OF):
            parts[SIGNALS[signal].words] += weighed[column]
        return {**parts, "level of all URLs": weighed[-1]}

    # -- re-ranks -------------------------------------------------------------------------------

    def _push(self, update: LinkUpdate) -> None:
        self._walks.push(update)
        relevance = update.evidence.relevance
        self._sources.push(update.followed, self._memory["judged"], relevance, self._mean)

    def _job(self, view: GraphView, evidence: Evidence) -> Job:
        self._evidence = evidence
        jobs: dict[str, Callable[[], Ranking]] = self._walks.jobs(view, evidence)
        judged = self._memory["judged"], evidence.relevance
        jobs["sources"] = self._sources.job(view, *judged, self._mean)
        return lambda: {name: rank() for name, rank in jobs.items()}

    def swap(self, rankings: Mapping[str, Ranking]) -> None:
        super().swap(rankings)
        evidence, self._evidence = self._evidence, None
        if evidence is not None and evidence.n:
            sample = waiting(evidence, evidence.n)
            if sample.size:
                inputs = self._inputs.gathered(sample, evidence)
                self._rarity.learn(signal_values(inputs, self._mean))

    def _install(self, rankings: Mapping[str, Ranking]) -> None:
        self._walks.install(rankings)
        self._sources.install(rankings["sources"])

    # -- what is saved --------------------------------------------------------------------------

    @property
    def by_id(self) -> frozenset[str]:
        places = {f"{name}.of" for name in Yields._fields}
        return self._memory.names | self._sources.names | places | self._walks.by_id

    def _state(self) -> State:
        state = {"means": np.array([self._judged, self._sum, self._mean])}
        for name, kind in self._yields._asdict().items():
            state |= kind.state(name, failures=name == WITH_FAILURES)
        for part in self._saved:
            state |= part.state()
        return state

    def _restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        judged, self._sum, self._mean = arrays["means"].tolist()
        self._judged = int(judged)
        for name, kind in self._yields._asdict().items():
            kind.restore(name, arrays, failures=name == WITH_FAILURES)
        for part in self._saved:
            part.restore(arrays)
