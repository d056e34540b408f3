"""Endless places: a crawl ends by itself, spends little in each, and finds what is honest there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from scrapy import version_info

from frontier.inspection import CrawlView
from frontier.traps.budgets import HOST_SPENT, PATTERN_SPENT
from frontier.traps.limits import ESCAPED_ESCAPES, REPEATS
from tests.support.hostile import HostileWeb, crawl, hostile
from tests.support.hostile_traps import ENDLESS, HONEST_PATHS
from tests.support.scrapy_runs import Run

pytestmark = pytest.mark.skipif(
    version_info < (2, 14),
    reason="before Scrapy 2.14 each callback waits a tenth of a second: thousands take too long",
)

MOST = 200
"""Requests that a trap may cost, its honest pages included, with a fifth of the usual budgets."""


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
            *("DOWNLOAD_DELAY=0", "AUTOTHROTTLE_ENABLED=0"),
            *("CONCURRENT_REQUESTS=32", "ROBOTSTXT_OBEY=0"),
            "FRONTIER_TRAP_BUDGET=12",
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


def test_refusals_and_what_was_given_up_are_listed_by_reason(plain: Crawled) -> None:
    with CrawlView.open(plain.folder / "job") as view:
        stats = view.stats()
    assert {REPEATS, ESCAPED_ESCAPES} <= {one.reason for one in stats.refused}
    assert {PATTERN_SPENT, HOST_SPENT} <= {one.reason for one in stats.traps}
    assert sum(one.count for one in stats.traps) == stats.states["trap"]
    assert stats.states["queued"] == 0


@pytest.mark.slow
def test_a_crawl_with_a_topic_is_not_taken_in_either(tmp_path: Path) -> None:
    for crawled in _crawled(tmp_path, "volcano lava eruption"):
        spent = {case: len(crawled.web.paths(case)) for case in ENDLESS}
        assert {case: n for case, n in spent.items() if n > MOST} == {}
        assert crawled.run.stats["finish_reason"] == "finished"
