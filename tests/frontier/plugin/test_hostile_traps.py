"""Endless places: a crawl ends by itself, spends little in each, and finds what is honest there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hostile import HostileWeb, crawl, hostile
from hostile_traps import ENDLESS, HONEST_PATHS
from support import Run

MOST = 150
"""Requests that a trap may cost, its honest pages included."""


@dataclass
class Crawled:
    """A crawl of all traps at once."""

    web: HostileWeb
    run: Run
    folder: Path


def _crawled(folder: Path, topic: str) -> Iterator[Crawled]:
    with hostile(ENDLESS) as web:
        seeds = [web.url(case) for case in ENDLESS]
        run = crawl(
            folder,
            seeds,
            *("CLOSESPIDER_TIMEOUT=200", "DOWNLOAD_DELAY=0", "AUTOTHROTTLE_ENABLED=0"),
            *("CONCURRENT_REQUESTS=32", "ROBOTSTXT_OBEY=0"),
            topic=topic,
        )
        yield Crawled(web, run, folder)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    yield from _crawled(tmp_path_factory.mktemp("plain"), "")


@pytest.mark.parametrize("case", ENDLESS)
def test_a_trap_costs_little_and_hides_nothing(plain: Crawled, case: str) -> None:
    paths = plain.web.paths(case)
    assert len(paths) <= MOST
    assert set(HONEST_PATHS) <= set(paths)


def test_the_crawl_ends_by_itself(plain: Crawled) -> None:
    assert plain.run.stats["finish_reason"] == "finished"
