"""The replays that regret is told from: the ideal order, with some of its causes put back.

In the ideal one request at a time is made, without delay, and scores are recomputed after every
page. Politeness puts the limits of a host back, batching the requests that leave before the answers
to others are there, and stale scores the schedule of re-ranks that the crawl is configured with.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from frontier.lab.replay.contestants import Setup
from frontier.lab.replay.simulated_fetcher import Politeness

POLITENESS, BATCHING, STALENESS = "politeness", "batching", "staleness"
CAUSES = (POLITENESS, BATCHING, STALENESS)


def with_causes(setup: Setup, causes: Iterable[str], configured: Politeness) -> Setup:
    """The setup with only these causes in force; stale scores are those of `setup.config`."""
    politeness = Politeness(latency=configured.latency)
    if POLITENESS in causes:
        politeness = replace(politeness, per_host=configured.per_host, delay=configured.delay)
    if BATCHING in causes:
        many = configured.concurrency
        own = configured.per_host if POLITENESS in causes else many
        politeness = replace(politeness, concurrency=many, per_host=own)
    config = setup.config
    if STALENESS not in causes:
        config = replace(config, rerank_pages=1, rerank_min_pages=1)
    return replace(setup, politeness=politeness, config=config)
