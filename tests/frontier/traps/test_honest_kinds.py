"""Honest sites of every kind of address and text: no budget refuses a page of them."""

from __future__ import annotations

import pytest

from frontier.states import State
from tests.support.driven_crawl import DrivenCrawl
from tests.support.honest_sites import SITE, SITES
from tests.support.made_webs import MadeWeb

QUICK = ("slug slash", "id then slug", "catalogue", "languages by folder, copies named")
CASES = [
    pytest.param(name, strategy, marks=() if quick else pytest.mark.slow)
    for name in SITES
    for strategy in ("bfs", "ppr")
    for quick in [name in QUICK and strategy == "bfs"]
]


@pytest.mark.parametrize(("name", "strategy"), CASES)
def test_nothing_of_it_is_refused(name: str, strategy: str) -> None:
    make, expected = SITES[name]
    crawl = DrivenCrawl(None, MadeWeb(make), strategy=strategy)
    crawl.seed(f"{SITE}/")
    crawl.run(5000)
    counts, refused = crawl.backend.ledger.counts, dict(crawl.backend.refusals.counts)
    finished = crawl.backend.finished()
    crawl.close()
    assert (counts[State.TRAP], refused, finished) == (0, {}, True)
    assert len(set(crawl.fetched)) >= expected
