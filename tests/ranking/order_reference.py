"""The crawl orders once more, from their definitions: plain dicts, all from scratch at each step.

Nothing here is kept from step to step and nothing is imported from the package.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

Scores = dict[str, float]


@dataclass(frozen=True)
class Link:
    target: str
    anchor: int = 0
    context: int = 0
    address: int = 0
    weight: float = 1.0
    predicted: float = 0.0


@dataclass(frozen=True)
class Page:
    relevance: float
    similarity: float
    links: Sequence[Link] = ()


@dataclass(frozen=True)
class Seen:
    """What a crawl has seen that fetched these pages in this order."""

    web: Mapping[str, Page]
    seeds: Sequence[str]
    fetched: Sequence[str]

    def until(self, pages: int) -> Seen:
        return Seen(self.web, self.seeds, self.fetched[:pages])

    @property
    def found(self) -> list[str]:
        links = [link.target for u in self.fetched for link in self.web[u].links]
        return list(dict.fromkeys([*self.seeds, *links]))

    @property
    def frontier(self) -> list[str]:
        return [v for v in self.found if v not in self.fetched]

    def rel(self, u: str) -> float:
        return self.web[u].relevance

    @property
    def mean(self) -> float:
        return sum(map(self.rel, self.fetched)) / len(self.fetched)

    def into(self, v: str) -> list[tuple[str, Link]]:
        return [(u, x) for u in self.fetched for x in self.web[u].links if x.target == v != u]

    def parents(self, v: str) -> list[str]:
        return list(dict.fromkeys(u for u, link in self.into(v) if link.weight > 0))

    def out(self, u: str) -> Scores:
        weights: Scores = {}
        for link in self.web[u].links if u in self.fetched else ():
            if link.target != u and link.weight > 0:
                weights[link.target] = max(link.weight, weights.get(link.target, 0.0))
        return weights


def bfs(seen: Seen) -> Scores:
    return {v: -float(i) for i, v in enumerate(seen.found)}


def surfer(seen: Seen, restart: Scores) -> Scores:
    total = sum(restart.values())
    jump = {v: restart.get(v, 0.0) / total for v in seen.found}
    out = {u: seen.out(u) for u in seen.found}
    score = dict(jump)
    for _ in range(140):  # .85 ** 140 < 2e-10
        lost = sum(score[u] for u in seen.found if not out[u])
        after = {v: (0.15 + 0.85 * lost) * jump[v] for v in seen.found}
        for u, weights in out.items():
            for v, weight in weights.items():
                after[v] += 0.85 * score[u] * weight / sum(weights.values())
        score = after
    return score


def pagerank(seen: Seen) -> Scores:
    return surfer(seen, dict.fromkeys(seen.found, 1.0))


def ppr(seen: Seen) -> Scores:
    return surfer(seen, dict.fromkeys(seen.seeds, 1.0))


def topic_ppr(seen: Seen) -> Scores:
    relevant = {u: seen.rel(u) for u in seen.fetched}
    return surfer(seen, relevant) if any(relevant.values()) else ppr(seen)


def opic(seen: Seen) -> Scores:
    cash = {v: 1.0 if v in seen.seeds else 0.0 for v in seen.found}
    for u in seen.fetched:
        held, cash[u], weights = cash[u], 0.0, seen.out(u)
        for v, weight in weights.items():
            cash[v] += held * weight / sum(weights.values())
    return cash


def authorities(seen: Seen, hub: Scores, target: Scores) -> Scores:
    """a = Aᵀh, h = hub · A(target · a), repeated."""
    h = {u: hub[u] for u in seen.fetched}
    a: Scores = {}
    for _ in range(3000):
        before = a
        a = dict.fromkeys(seen.found, 0.0)
        for u in seen.fetched:
            for v, weight in seen.out(u).items():
                a[v] += weight * h[u]
        total = sum(a.values())
        if not total:
            return dict.fromkeys(seen.found, 1 / len(seen.found))
        a = {v: value / total for v, value in a.items()}
        if before and max(abs(a[v] - before[v]) for v in a) < 1e-15:
            break
        h = {
            u: hub[u] * sum(w * target[v] * a[v] for v, w in seen.out(u).items())
            for u in seen.fetched
        }
    return a


def hits(seen: Seen) -> Scores:
    ones = dict.fromkeys(seen.found, 1.0)
    return authorities(seen, ones, ones)


def topic_hits(seen: Seen) -> Scores:
    hub = {u: seen.rel(u) for u in seen.fetched}
    return authorities(seen, hub, {v: hub.get(v, seen.mean) for v in seen.found})


def best_first(seen: Seen) -> Scores:
    return {
        v: max((seen.web[u].similarity for u in seen.parents(v)), default=0.0) for v in seen.found
    }


def anchor_parent(seen: Seen) -> Scores:
    def worth(u: str, link: Link) -> float:
        page = seen.web[u].similarity if link.weight > 0 else 0.0
        return 0.5 * page + 0.5 * max(link.anchor, link.context, link.address) / 255

    return {v: max((worth(*pair) for pair in seen.into(v)), default=0.0) for v in seen.found}


def inherited(seen: Seen, v: str) -> float:
    """What v inherits from the pages that were fetched, each with what it had inherited then."""
    return max((handed_down(seen, u) for u in seen.parents(v)), default=0.0)


def handed_down(seen: Seen, u: str) -> float:
    own = seen.web[u].similarity
    return 0.5 * (own if own > 0.02 else inherited(seen.until(seen.fetched.index(u)), u))


def shark(seen: Seen) -> Scores:
    def worth(u: str, link: Link) -> float:
        context = 1.0 if link.anchor > 0 else link.context / 255
        words = 0.8 * link.anchor / 255 + 0.2 * context
        return 0.5 * (handed_down(seen, u) if link.weight > 0 else 0.0) + 0.5 * words

    return {v: max((worth(*pair) for pair in seen.into(v)), default=0.0) for v in seen.found}


def smoothed(seen: Seen, mean: float) -> Scores:
    return {
        v: (sum(map(seen.rel, seen.parents(v))) + 5 * mean) / (len(seen.parents(v)) + 5)
        for v in seen.found
    }


def fc_mean(seen: Seen) -> Scores:
    """m is that after pages 1 to 40, 42, ...: every page at first, then every twentieth part."""
    taken = due = 1
    while due <= len(seen.fetched):
        taken, due = due, due + max(1, due // 20)
    return smoothed(seen, seen.until(taken).mean)


REFERENCE: dict[str, Callable[[Seen], Scores]] = {
    "bfs": bfs,
    "pagerank": pagerank,
    "ppr": ppr,
    "opic": opic,
    "hits": hits,
    "best-first": best_first,
    "anchor-parent": anchor_parent,
    "shark": shark,
    "fc-mean": fc_mean,
    "topic-ppr": topic_ppr,
    "topic-hits": topic_hits,
}


def priorities(name: str, seen: Seen) -> Scores:
    """Of all URLs that are found and not fetched; seeds before everything."""
    scores = REFERENCE[name](seen)
    early = {v: 1e12 - i for i, v in enumerate(seen.found) if v in seen.seeds}
    return {v: early.get(v, scores[v]) for v in seen.frontier}


def crawl(name: str, web: Mapping[str, Page], seeds: Sequence[str]) -> list[str]:
    """The order of a whole crawl; of URLs equal up to rounding the one found first."""
    seen = Seen(web, seeds, [])
    while seen.frontier:
        values = priorities(name, seen) if seen.fetched else bfs(seen)
        best = max(values[v] for v in seen.frontier)
        chosen = next(v for v in seen.frontier if values[v] >= best - 1e-9)
        seen = Seen(web, seeds, [*seen.fetched, chosen])
    return list(seen.fetched)
