"""Endless places made of real-looking sentences: a Markov chain over honest texts.

Each page says something that nobody has said, in words and sequences that people use, and leads to
10 to 20 URLs of its own host that nobody has met. What is honest lies on other hosts.
"""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass, field
from urllib.parse import urlsplit
from zlib import crc32

from tests.support.driven_crawl import Page
from tests.support.made_webs import VOCABULARY, prose


@dataclass
class Chain:
    """A Markov chain of an order: which words follow a sequence of so many."""

    order: int
    texts: int = 120
    _after: dict[tuple[str, ...], list[str]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        for number in range(self.texts):
            words = prose(f"corpus {number}", 200).split()
            for at in range(len(words) - self.order):
                self._after[tuple(words[at : at + self.order])].append(words[at + self.order])
        self._starts = sorted(self._after)

    def text(self, rng: random.Random, length: int = 120) -> str:
        words = list(rng.choice(self._starts))
        while len(words) < length:
            follow = self._after.get(tuple(words[-self.order :]))
            words += [rng.choice(follow)] if follow else rng.choice(self._starts)
        return " ".join(words)


class MazeAndHonest(dict[str, Page]):
    """A maze beside honest hosts of which each holds `n` pages, every `nth` of them relevant."""

    def __init__(self, order: int, *, hosts: int = 4, n: int = 150, nth: int = 5) -> None:
        super().__init__()
        self._chain = Chain(order)
        self.hosts = [f"h{number}.example" for number in range(hosts)]
        self.seeds = [f"http://{host}/0" for host in (*self.hosts, "maze.example")]
        self.honest = hosts * n
        """Pages that are no maze."""
        self._n, self._nth = n, nth

    def get(self, url: str, default: Page | None = None) -> Page | None:  # type: ignore[override]  # of a page
        host, path = urlsplit(url)[1:3]
        if host == "maze.example":
            return self._maze(url)
        number = int(path.strip("/"))
        after = [one for one in (2 * number + 1, 2 * number + 2) if one < self._n]
        relevant = number % self._nth == 0
        links = dict.fromkeys((f"http://{host}/{one}" for one in after), 0.3)
        return Page(links, float(relevant), text=prose(url))

    def _maze(self, url: str) -> Page:
        rng = random.Random(crc32(url.encode()))
        names = ("-".join(rng.sample(VOCABULARY, 2)) for _ in range(rng.randint(10, 20)))
        links = dict.fromkeys((f"http://maze.example/{name}" for name in names), 0.3)
        return Page(links, 0.0, text=self._chain.text(rng))
