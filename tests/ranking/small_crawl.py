"""A crawl in a few lines: pages are names, ids are given by discovery."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ranking.evidence import Evidence
from ranking.graph.link_graph import LinkGraph
from ranking.orders import Order, make_order
from ranking.page_update import MATCHES, PageUpdate


def silent(page, targets, weights=None, relevance=0.0, predicted=None) -> PageUpdate:
    """A page update of k links whose words were not weighed: their matches are all 0."""
    ids = np.asarray(targets)
    k = ids.size
    return PageUpdate(
        page,
        relevance,
        relevance,
        ids if k else ids.astype(np.int32),
        None if weights is None else np.asarray(weights),
        np.zeros(k, np.float32) if predicted is None else np.asarray(predicted),
        np.zeros((k, MATCHES), np.uint8),
    )


class SmallCrawl:
    def __init__(
        self,
        order: Order,
        web: Mapping[str, Sequence[str]],
        seeds: Sequence[str],
        relevance: Callable[[str], float] = lambda name: 0.5,
        predicted: Callable[[str], float] = lambda name: 0.0,
        similarity: Callable[[str], float] | None = None,
        matches: Callable[[str, str], Sequence[int]] = lambda page, link: (0,) * MATCHES,
        weight: Callable[[str, str], float] | None = None,
    ) -> None:
        self.order, self.web, self.relevance, self.predicted = order, web, relevance, predicted
        self.similarity, self.matches, self.weight = similarity or relevance, matches, weight
        self.graph, self.evidence = LinkGraph(), Evidence()
        self.names: list[str] = []
        self.ids: dict[str, int] = {}
        self.fetched: list[str] = []
        self.rows: dict[int, np.ndarray | None] = {}
        self.updates: list[PageUpdate] = []
        self.discover(seeds, 0)
        self.evidence.add_seeds([self.ids[name] for name in seeds])

    def discover(self, names: Sequence[str], depth: int) -> None:
        for name in names:
            if name not in self.ids:
                self.ids[name] = len(self.names)
                self.names.append(name)
        n = len(self.names)
        self.evidence.grow(n, [depth] * (n - self.evidence.n))
        self.graph.grow(n)
        self.order.grow(n)

    def frontier(self) -> np.ndarray:
        return np.flatnonzero(~self.evidence.fetched)

    def priorities(self) -> dict[str, float]:
        ids = self.frontier()
        values = self.order.priority(ids, self.evidence)
        return {self.names[i]: float(v) for i, v in zip(ids, values, strict=True)}

    def fetch(self, name: str) -> None:
        page, links = self.ids[name], self.web.get(name, ())
        row = self.rows[page] = self.order.row(page, self.evidence)
        self.discover(links, int(self.evidence.depth[page]) + 1)
        update = self.update(name, links)
        self.evidence.page(update)
        self.graph.append(page, update.targets, update.weights)
        self.order.learn(page, row, update.relevance)
        self.order.page(update, self.evidence)
        self.updates.append(update)
        self.fetched.append(name)

    def update(self, name: str, links: Sequence[str]) -> PageUpdate:
        weigh = self.weight
        return PageUpdate(
            page=self.ids[name],
            relevance=self.relevance(name),
            similarity=self.similarity(name),
            targets=np.array([self.ids[link] for link in links], np.int32),
            weights=weigh and np.array([weigh(name, link) for link in links], np.float32),
            predicted=np.array([self.predicted(link) for link in links], np.float32),
            matches=np.array([self.matches(name, link) for link in links], np.uint8).reshape(
                -1, MATCHES
            ),
        )

    def rerank(self) -> None:
        self.order.swap(self.order.prepare(self.graph.snapshot(), self.evidence)())

    def step(self) -> None:
        ids = self.frontier()
        values = self.order.priority(ids, self.evidence)
        # argmax takes the first of equals: the one discovered first.
        self.fetch(self.names[ids[int(np.argmax(values))]])

    def run(self, pages: int, every: int = 0) -> list[str]:
        while len(self.fetched) < pages and self.frontier().size:
            self.step()
            if every and len(self.fetched) % every == 0:
                self.rerank()
        return self.fetched


def random_web(pages: int, links: int, seed: int) -> dict[str, list[str]]:
    rng = np.random.default_rng(seed)
    # A few pages get most links, as on the web.
    popularity = rng.pareto(1.2, pages) + 0.1
    popularity /= popularity.sum()
    return {
        f"p{i}": [f"p{j}" for j in rng.choice(pages, rng.integers(0, links), p=popularity)]
        for i in range(pages)
    }


WEB = random_web(pages=300, links=12, seed=7)


def relevance(name: str) -> float:
    return (int(name[1:]) * 37 % 101) / 101


def predicted(name: str) -> float:
    return (int(name[1:]) * 53 % 103) / 103


def matches(page: str, link: str) -> tuple[int, ...]:
    numbers = (int(page[1:]) * int(link[1:]) * k % 107 for k in (31, 41, 59, 61, 67, 71))
    anchor, context, address, *near = numbers
    return max(anchor - 60, 0) * 5, context * 2, address, *near


def new_crawl(name: str, seeds=("p1", "p2"), **signals) -> SmallCrawl:
    usual = {"relevance": relevance, "predicted": predicted, "matches": matches}
    return SmallCrawl(make_order(name), WEB, seeds, **{**usual, **signals})
