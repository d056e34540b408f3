"""Whatever changes the order: what is in flight or answered is not queued again by it."""

from __future__ import annotations

import random
from contextlib import closing

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontier.records import Lease
from frontier.states import State
from frontier.traps.limits import TrapLimits
from tests.support.driven_crawl import DrivenCrawl, Page
from tests.support.made_webs import MadeWeb, prose, said

SITE = "http://site.example"


def template(url: str) -> Page:
    """Pages of one template on which little but a number differs; now and then a new text."""
    number = int(url.rsplit("/", 1)[-1])
    return said(prose(url) if number % 23 == 22 else f"Product {number}")


def queued_though_not_waiting(crawl: DrivenCrawl) -> list[int]:
    """Ids in the queue that the ledger has in another state."""
    ids = crawl.backend.queue.queued()
    return ids[crawl.backend.ledger.state.array[ids] != State.QUEUED].tolist()


def retried(crawl: DrivenCrawl, lease: Lease) -> None:
    record = crawl._record(lease.url, lease.depth)
    crawl.backend.retry(lease, record, hold=5)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**16),
    concurrency=st.integers(1, 24),
    drop=st.booleans(),
    budget=st.integers(1, 8),
    turn=st.integers(1, 64),
)
def test_no_change_of_order_queues_what_is_in_flight_or_answered(
    seed: int, concurrency: int, drop: bool, budget: int, turn: int
) -> None:
    rng = random.Random(seed)
    urls = [f"{SITE}/{kind}/{n}" for kind in ("product", "offer") for n in range(60)]
    limits = TrapLimits(budget=budget, drop=drop)
    with closing(
        DrivenCrawl(None, MadeWeb(template), strategy="bfs", traps=limits, turn=turn)
    ) as crawl:
        for url in urls:
            crawl.ask(url)
        in_flight: list[Lease] = []
        for _ in range(2000):
            if len(in_flight) < concurrency:
                in_flight += crawl.take(rng.randint(1, concurrency))
            if not in_flight:
                break
            lease = in_flight.pop(rng.randrange(len(in_flight)))
            if rng.random() < 0.1:
                retried(crawl, lease)
            else:
                crawl.answer(lease)
            assert queued_though_not_waiting(crawl) == []
        assert crawl.backend.finished()
    assert len(crawl.fetched) == len(set(crawl.fetched))
    assert drop or set(crawl.fetched) == set(urls)


@pytest.mark.parametrize("state", [one for one in State if one is not State.QUEUED])
def test_the_queue_takes_nothing_but_what_waits(state: State) -> None:
    with closing(DrivenCrawl(None, {}, strategy="bfs")) as crawl:
        crawl.ask(f"{SITE}/1")
        crawl.ask(f"{SITE}/2")
        first, queue = crawl.lease_next(), crawl.backend.queue
        assert first is not None
        crawl.backend.ledger.set_state(first.url_id, state)
        queue.schedule(np.array([first.url_id]))
        queue.hold_back(first.url_id, 1)
        assert queue.queued().tolist() == [1 - first.url_id]
