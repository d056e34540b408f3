"""Hosts without a relevant page wait for those that have some, and for nobody else."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from frontier.traps.limits import TrapLimits
from tests.support.driven_crawl import DrivenCrawl
from tests.support.markov import MazeAndHonest


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
    (run,) = crawled(None, MazeAndHonest(2, n=100))
    assert in_maze(run) < 200


def test_a_crawl_that_goes_on_waits_for_the_same(tmp_path: Path) -> None:
    web = MazeAndHonest(2, hosts=3, n=60)
    (whole,) = crawled(None, web)
    first, rest = crawled(tmp_path, web, 130)
    assert first + rest == whole
