"""Hosts without a relevant page wait for those that have some, and for nobody else."""

from __future__ import annotations

import logging
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from frontier.traps.barren_hosts import Harvest
from frontier.traps.limits import TrapLimits
from tests.support.driven_crawl import DrivenCrawl
from tests.support.markov import MazeAndHonest
from tests.support.told import tells


def harvested(*pages: tuple[str, int, bool]) -> tuple[Harvest, dict[str, bool]]:
    """A crawl of (host, how many pages, whether relevant), and who waits after it."""
    harvest = Harvest()
    trials = {host: harvest.begin() for host, _, _ in pages}
    for host, n, relevant in pages:
        for _ in range(n):
            harvest.judged(host, trials[host], relevant=relevant)
    return harvest, {host: harvest.waits(host, trial) for host, trial in trials.items()}


def test_a_host_without_a_relevant_page_falls_behind_those_that_have_many() -> None:
    _, waits = harvested(("good", 20, True), ("good", 80, False), ("bad", 100, False))
    assert waits == {"good": False, "bad": True}


def test_a_few_pages_are_no_proof() -> None:
    _, waits = harvested(("good", 5, True), ("good", 45, False), ("new", 20, False))
    assert waits == {"good": False, "new": False}


def test_nobody_waits_where_nobody_has_anything() -> None:
    _, waits = harvested(("one", 3000, False), ("other", 3000, False))
    assert not any(waits.values())


def test_who_is_alone_never_waits() -> None:
    _, waits = harvested(("only", 100, True), ("only", 3000, False))
    assert waits == {"only": False}


def test_a_host_goes_on_when_the_others_have_become_as_poor() -> None:
    harvest, _ = harvested(("good", 50, True), ("bad", 100, False))
    trial = harvest.begin()
    went_on = []
    for _ in range(120):
        harvest.judged("good", trial, relevant=False)
        went_on.append(harvest.caught_up())
    assert went_on.index("bad") == 99


def test_while_the_others_are_good_it_does_not() -> None:
    harvest, _ = harvested(("good", 50, True), ("bad", 100, False))
    trial = harvest.begin()
    for number in range(2000):
        harvest.judged("good", trial, relevant=number % 20 == 0)
        assert harvest.caught_up() is None


def test_when_nothing_else_is_left_they_go_on_by_turns_each_as_long_again() -> None:
    harvest, waits = harvested(("good", 50, True), ("a", 100, False), ("b", 60, False))
    assert waits == {"good": False, "a": True, "b": True}
    b = harvest.behind["b"]
    assert harvest.next_best() == "b"
    for _ in range(60):
        assert not harvest.waits("b", b)
        harvest.judged("b", b, relevant=False)
    assert harvest.waits("b", b)
    assert harvest.next_best() == "a"


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


@pytest.mark.parametrize("order", [1, 2, 3])
def test_a_maze_of_sentences_waits_for_what_is_honest(order: int) -> None:
    (run,) = crawled(None, MazeAndHonest(order, n=100))
    assert in_maze(run) < 200


def test_so_it_does_where_nothing_is_given_up(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        (run,) = crawled(None, MazeAndHonest(2, n=100), drop=False)
    assert in_maze(run) < 200
    assert tells(caplog.text, "maze.example", "relevant")


@pytest.mark.slow
def test_a_topic_that_lies_deep_in_an_honest_site_is_found_whole() -> None:
    web = MazeAndHonest(2, n=100, deep=300)
    (run,) = crawled(None, web)
    # Both are as poor for 300 pages, so the maze has its turns, and is found whole no sooner.
    assert sum(urlsplit(url).netloc == "deep.example" for url in run) == 300 + 100


def test_a_crawl_that_goes_on_waits_for_the_same(tmp_path: Path) -> None:
    web = MazeAndHonest(2, hosts=3, n=60)
    (whole,) = crawled(None, web)
    first, rest = crawled(tmp_path, web, 130)
    assert first + rest == whole
