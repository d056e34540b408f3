"""An order that learns from what it fetches and from what links say, and a web to learn on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from frontier.states import State
from ranking import orders
from ranking.arrays import Column, SingleArray
from ranking.evidence import Evidence
from ranking.graph.view import GraphView
from ranking.orders.base import Job, Order, Repricing
from ranking.orders.base import State as Arrays
from ranking.orders.surfer import TopicPprOrder
from ranking.page_update import PageUpdate
from tests.support.driven_crawl import DrivenCrawl, Page

D = 4


class Learner(TopicPprOrder):
    """Least squares of relevance on what links said; priority: what that expects.

    `told` holds what it was told, in order: for tests, never saved.
    """

    name = "learner"
    wanted = Repricing.NONE

    def __init__(self, damping: float = 0.85, tol: float = 1e-4) -> None:
        super().__init__(damping, tol)
        self._said = Column(np.float64)
        self._a, self._b = np.eye(D), np.zeros(D)
        self._at_rank: Arrays = {}
        self._at_prepare: Arrays = {}
        self.told: list[tuple[Any, ...]] = []

    def grow(self, n: int) -> None:
        super().grow(n)
        self._said.resize(3 * n)

    def row(self, page: int, evidence: Evidence) -> SingleArray | None:
        return None if evidence.seed[page] else self._rows(np.array([page]))[0]

    def _rows(self, ids: npt.NDArray[Any]) -> SingleArray:
        said = self._said.array.reshape(-1, 3)[ids]
        return np.column_stack([np.ones(len(ids)), np.log1p(said)]).astype(np.float32)

    def learn(self, page: int, row: SingleArray | None, relevance: float) -> None:
        self.told.append(("learn", page, None if row is None else row.tolist(), relevance))
        if row is not None:
            self._a = self._a + np.outer(row, row)
            self._b = self._b + relevance * row

    def page(self, update: PageUpdate, evidence: Evidence) -> None:
        self.told.append(("page", *(np.asarray(part).tolist() for part in update)))
        said = self._said.array.reshape(-1, 3)
        np.add.at(said, update.targets, update.matches[:, :3].astype(np.float64))
        super().page(update, evidence)

    def learned(self) -> Arrays:
        return {"a": self._a, "b": self._b, "said": self._said.array.copy()}

    def prepare(self, view: GraphView, evidence: Evidence) -> Job:
        self._at_prepare = self.learned()
        return super().prepare(view, evidence)

    def swap(self, rankings: Mapping[str, Any]) -> None:
        self._at_rank = self._at_prepare
        super().swap(rankings)

    def _state(self) -> Arrays:
        return {**super()._state(), **self._at_rank}

    def _restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        super()._restore(arrays)
        if "a" in arrays:
            self._a, self._b = arrays["a"], arrays["b"]
            self._said = Column(np.float64)
            self._said.extend(arrays["said"])

    def repricing(self, pages: int, queued: int) -> Repricing:
        return self.wanted

    def value(self, ids: npt.NDArray[Any], evidence: Evidence) -> npt.NDArray[np.float64]:
        expected: npt.NDArray[np.float64] = self._rows(ids) @ np.linalg.solve(self._a, self._b)
        return expected


class Eager(Learner):
    """Keeps the best of the queue up to date."""

    name = "eager-learner"
    wanted = Repricing.BEST


class Thorough(Learner):
    """Keeps all of the queue up to date."""

    name = "thorough-learner"
    wanted = Repricing.ALL


LEARNERS = (Learner, Eager, Thorough)


def learned(order: Order) -> Arrays:
    """All that an order has learned."""
    if isinstance(order, Learner):
        return order.learned()
    state = order.state_arrays()
    return {name: state[name] for name in state if name.startswith(("ridge.", "zones."))}


def register() -> None:
    """Let a crawl find these orders by name."""
    orders.ORDERS.update({order.name: order for order in LEARNERS})


def web(pages: int = 120, seed: int = 3) -> dict[str, Page]:
    """Pages of three hosts; what links say of their targets is often true; some redirect."""
    rng = np.random.default_rng(seed)
    urls = [f"http://{'abc'[i % 3]}.example/{i}" for i in range(pages)]
    relevance = np.round(rng.random(pages), 3)
    made = {}
    for i, url in enumerate(urls):
        targets = rng.choice(pages, int(rng.integers(1, 9)), replace=False)
        matches = {
            urls[t]: (int(255 * relevance[t]), *rng.integers(0, 256, 2).tolist()) for t in targets
        }
        links = {urls[t]: float(rng.random()) for t in targets}
        made[url] = Page(
            links, float(relevance[i]), matches=matches, similarity=float(rng.random())
        )
        if i % 17 == 5:
            made[url] = Page(redirect=urls[int(targets[0])])
        elif i % 13 == 4:
            made[url] = Page(error="HTTP 404", status=404, state=State.ERROR)
    return made


def learning_crawl(directory: Any, name: str, **config: Any) -> DrivenCrawl:
    """A crawl of that web by one of these orders, open and seeded."""
    register()
    crawl = DrivenCrawl(directory, web(), strategy=name, topic="pages", **config)
    crawl.seed("http://a.example/0", "http://b.example/1")
    return crawl
