from __future__ import annotations

import pytest

from frontier.config import CrawlConfig
from frontier.lab.replay.contestants import Setup
from frontier.lab.replay.regret_causes import BATCHING, CAUSES, POLITENESS, STALENESS, with_causes
from frontier.lab.replay.simulated_fetcher import Politeness

CONFIGURED = Politeness(concurrency=16, per_host=2, delay=0.5, latency=0.1)
SETUP = Setup(CrawlConfig(rerank_pages=500, rerank_min_pages=20), politeness=CONFIGURED)


@pytest.mark.parametrize(
    ("causes", "politeness"),
    [
        ((), Politeness(1, 1, 0.0, 0.1)),
        ((POLITENESS,), Politeness(1, 2, 0.5, 0.1)),
        ((BATCHING,), Politeness(16, 16, 0.0, 0.1)),
        ((STALENESS,), Politeness(1, 1, 0.0, 0.1)),
        (CAUSES, CONFIGURED),
    ],
)
def test_each_cause_puts_back_what_is_its_own(
    causes: tuple[str, ...], politeness: Politeness
) -> None:
    made = with_causes(SETUP, causes, CONFIGURED)

    assert made.politeness == politeness
    intervals = made.config.rerank_pages, made.config.rerank_min_pages
    assert intervals == ((500, 20) if STALENESS in causes else (1, 1))
