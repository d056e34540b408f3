"""Every hostile trap through the real backend: left after a bounded number of pages."""

from __future__ import annotations

import pytest

from frontier.traps.limits import TrapLimits
from tests.support.driven_crawl import DrivenCrawl
from tests.support.driven_traps import SITE, TrapWeb
from tests.support.hostile_traps import ENDLESS, HONEST_PATHS


@pytest.mark.parametrize("name", ENDLESS)
def test_a_trap_costs_little_and_hides_nothing(name: str) -> None:
    crawl = _crawled(name, TrapLimits(budget=12), 250)
    assert len(crawl.fetched) <= 200
    assert {SITE + path for path in HONEST_PATHS} <= set(crawl.fetched)


def _crawled(name: str, limits: TrapLimits, steps: int) -> DrivenCrawl:
    crawl = DrivenCrawl(None, TrapWeb(name), strategy="bfs", traps=limits)
    crawl.seed(f"{SITE}/")
    crawl.run(steps)
    crawl.close()
    return crawl
