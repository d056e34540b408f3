"""Hosts without a relevant page wait for those that have some, and for nobody else."""

from __future__ import annotations

import random
from pathlib import Path
from urllib.parse import urlsplit
from zlib import crc32

from frontier.traps.limits import TrapLimits
from tests.support.driven_crawl import DrivenCrawl, Page
from tests.support.made_webs import VOCABULARY, prose


class MazeAndHonest(dict[str, Page]):
    """A maze beside honest hosts of which each holds `n` pages, every `nth` of them relevant.

    Each page of the maze says something that nobody has said, and leads to 10 to 20 URLs of its own
    host that nobody has met.
    """

    def __init__(self, *, hosts: int = 4, n: int = 150, nth: int = 5) -> None:
        super().__init__()
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
        return Page(links, 0.0, text=prose(url))


def crawled(
    folder: Path | None, web: MazeAndHonest, *stops: int, drop: bool = True
) -> list[list[str]]:
    """What each run of a crawl fetched; the last one ends when all that is honest was."""
    runs = []
    honest = 0
    for stop in (*stops, 4000):
        limits = TrapLimits(drop=drop)
        crawl = DrivenCrawl(folder, web, strategy="bfs", topic="x", traps=limits)
        crawl.seed(*web.seeds)
        while honest < web.honest and len(crawl.fetched) < stop and crawl.step():
            honest += "maze" not in crawl.fetched[-1]
        runs.append(crawl.fetched)
        crawl.close()
    assert honest == web.honest
    return runs


def in_maze(run: list[str]) -> int:
    return sum(urlsplit(url).netloc == "maze.example" for url in run)


def test_a_maze_of_sentences_waits_for_what_is_honest() -> None:
    (run,) = crawled(None, MazeAndHonest(n=60))
    assert in_maze(run) < 200


def test_a_crawl_that_goes_on_waits_for_the_same(tmp_path: Path) -> None:
    web = MazeAndHonest(hosts=3, n=40)
    (whole,) = crawled(None, web)
    first, rest = crawled(tmp_path, web, 90)
    assert first + rest == whole
