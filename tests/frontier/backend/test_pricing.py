"""Turns: how answers are divided changes when URLs are priced, and nothing else."""

from __future__ import annotations

import random
import sqlite3
from collections import defaultdict
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from frontier.states import State
from tests.support.driven_crawl import DrivenCrawl, Page

N = 40
ANYWHERE = 1000.0
"""Share of all answers that lets a turn be as long as it may from the first answer on."""


def host(number: int) -> str:
    return f"h{number}.example"


def url(number: int) -> str:
    return f"http://{host(number)}/"


def web_of(seed: int) -> dict[str, Page]:
    """Pages on hosts of their own: some fail, some redirect, and what they say differs."""
    chance = random.Random(seed)

    def page(number: int) -> Page:
        if chance.random() < 0.1:
            return Page(error="HTTP 500", status=0, state=State.ERROR)
        if chance.random() < 0.1:
            return Page(redirect=url(chance.randrange(N)))
        links = chance.sample(range(N), chance.randrange(8))
        matches = {url(one): (chance.randrange(256), chance.randrange(256), 0) for one in links}
        predicted = {url(one): chance.random() for one in links}
        return Page(
            predicted, chance.random(), matches=matches, text=f"{chance.random()} words {number}"
        )

    return {url(number): page(number) for number in range(N)}


def crawled(directory: Path, seed: int, turn: int, share: float, strategy: str) -> DrivenCrawl:
    """Have the URLs answered in an order that no priority decides."""
    config = {"turn": turn, "turn_growth": share, "strategy": strategy, "topic": "chess"}
    crawl = DrivenCrawl(directory, web_of(seed), rerank_min_pages=3, **config)
    crawl.seed(url(0), url(1))
    wanted = list(range(N))
    random.Random(seed).shuffle(wanted)
    for number in [0, 1, *wanted, *wanted, *wanted]:
        rooms = defaultdict(int, {host(number): 1})
        for lease in crawl.take(1, room=rooms.__getitem__):
            crawl.answer(lease)
    return crawl


def learned(crawl: DrivenCrawl) -> dict[str, Any]:
    """Everything that answers change, but for times."""
    driver = crawl.backend.driver
    view, evidence = driver.graph.snapshot(), driver.evidence
    arrays = {
        "pages": view.pages,
        "indptr": view.indptr,
        "targets": view.targets,
        "weights": view.weights,
        "in_links": evidence.in_links,
        "parent_sum": evidence.parent_sum,
        "predicted": evidence.predicted,
        "seed": evidence.seed,
        "states": crawl.backend.ledger.state.array,
        **driver.order.state_arrays(),
    }
    return {name: np.array(array).tolist() for name, array in arrays.items()}


def stored(directory: Path) -> dict[str, list[Any]]:
    with closing(sqlite3.connect(directory / "frontier.sqlite")) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master")]
        found = {}
        for table in {"urls", "pages", "requests", "hosts"}.intersection(names):
            rows = connection.execute(f"SELECT * FROM {table}")
            kept = [
                at
                for at, (column, *_) in enumerate(rows.description)
                if column not in ("discovered", "leased", "priority", "rank", "score")
            ]
            found[table] = sorted(repr([row[at] for at in kept]) for row in rows)
        return found


@pytest.mark.parametrize("strategy", ["apprentice", "ppr", "bfs"])
@pytest.mark.parametrize("seed", range(3))
def test_however_answers_are_divided_they_leave_the_same_store_graph_and_learned_state(
    tmp_path: Path, strategy: str, seed: int
) -> None:
    found = []
    for number, (turn, share) in enumerate([(1, 0.0), (4, ANYWHERE), (7, 0.2), (64, ANYWHERE)]):
        directory = tmp_path / str(number)
        crawl = crawled(directory, seed, turn, share, strategy)
        state = learned(crawl)
        crawl.close()
        found.append((crawl.fetched, state, stored(directory)))
    assert len(found[0][0]) > N // 3
    for other in found[1:]:
        assert other == found[0]


DEEPEST = "tests.ranking.orders.own_orders.Deepest"


def test_within_a_turn_links_wait_and_the_queue_goes_on_with_what_it_had() -> None:
    """Depth first: the child is next unless its turn is not over yet."""
    web = {url(0): Page({url(1): 0.5, url(2): 0.5}), url(1): Page({url(3): 0.5})}
    web[url(2)] = Page({url(3): 0.5})
    places = []
    for turn in (1, 10):
        crawl = DrivenCrawl(
            None,
            web,
            strategy=DEEPEST,
            turn=turn,
            turn_growth=ANYWHERE,
        )
        crawl.seed(url(0))
        crawl.run()
        places.append(crawl.fetched.index(url(3)))
        crawl.close()
    assert places == [2, 3]


def test_what_came_since_the_last_leased_is_priced_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whoever asks for the next URL finds all of it in the queue."""
    web = {url(0): Page({url(2): 0.5, url(3): 0.5}), url(1): Page({url(4): 0.5})}
    crawl = DrivenCrawl(None, web, strategy="bfs")
    crawl.seed(url(0), url(1))
    lease = crawl.take(2)
    driver, asked = crawl.backend.driver, []
    priorities = driver.priorities

    def counted(ids: NDArray[np.int64]) -> NDArray[np.float64]:
        asked.append(ids.tolist())
        return priorities(ids)

    monkeypatch.setattr(driver, "priorities", counted)
    for one in lease:
        crawl.answer(one)
    assert asked == []
    assert crawl.backend.pending()
    crawl.lease_next()
    assert asked == [[2, 3, 4]]
    assert crawl.backend.queue.count() == 2
    crawl.close()


def test_a_turn_ends_before_the_crawl_does(tmp_path: Path) -> None:
    """However long a turn may be: with nothing else to lease, what was met is leased."""
    chain = {url(number): Page({url(number + 1): 0.5}) for number in range(10)}
    crawl = DrivenCrawl(tmp_path, chain, strategy="bfs", turn=10**6, turn_growth=ANYWHERE)
    crawl.seed(url(0))
    lease = crawl.lease_next()
    assert lease is not None
    crawl.answer(lease)
    assert not crawl.backend.finished()
    crawl.run()
    assert crawl.fetched == [url(number) for number in range(11)]
    assert crawl.backend.finished()
    crawl.close()


def test_what_was_met_in_an_open_turn_is_queued_when_the_crawl_is_resumed(tmp_path: Path) -> None:
    links = {url(number): 0.5 for number in range(2, 6)}
    web = {url(0): Page(links), url(1): Page()}
    crawl = DrivenCrawl(tmp_path, web, strategy="bfs", turn=100, turn_growth=ANYWHERE)
    crawl.seed(url(0), url(1))
    assert crawl.step()
    crawl.close()
    crawl = DrivenCrawl(tmp_path, web, strategy="bfs")
    crawl.run()
    assert set(crawl.fetched) == {url(number) for number in range(1, 6)}
    crawl.close()


def test_failures_count_as_answers(tmp_path: Path) -> None:
    """Also those of before, when a crawl is resumed."""
    web = {url(0): Page({url(1): 0.5, url(2): 0.5})}
    crawl = DrivenCrawl(tmp_path, web, strategy="bfs")
    crawl.seed(url(0))
    crawl.run(2)
    assert crawl.backend.driver.answers == 2
    crawl.close()
    crawl = DrivenCrawl(tmp_path, web, strategy="bfs")
    assert crawl.backend.driver.answers == 2
    crawl.run()
    assert crawl.backend.driver.answers == 3
    crawl.close()
