"""Who was there when the process died: what that counts, and what comes of it."""

from __future__ import annotations

import shutil
from itertools import count
from pathlib import Path

from frontier.backend.rules.crash_suspects import ALONE, REASON
from frontier.records import Lease
from frontier.states import State
from frontier.store import StoreReader
from frontier.store.schema import DEATHS
from tests.support.driven_crawl import DrivenCrawl, Page

A, B, C = (f"http://{name}.example/" for name in "abc")
WEB = {A: Page({B: 0.5}), B: Page({C: 0.5}), C: Page()}
_copies = count()


def opened(directory: Path, **config: int) -> DrivenCrawl:
    return DrivenCrawl(directory, WEB, **config)


def after_death(directory: Path) -> Path:
    """What a process that is killed now leaves behind: all that was committed, and its leases."""
    copy = directory.with_name(f"killed{next(_copies)}")
    shutil.copytree(directory, copy)
    return copy


def lease(crawl: DrivenCrawl) -> Lease:
    request = crawl.lease_next()
    assert request is not None
    return request


def died_with(directory: Path, times: int, at_once: int = 1) -> Path:
    """A crawl of three seeds that died so often, each time with its first URLs in flight."""
    for _ in range(times):
        crawl = opened(directory)
        crawl.seed(A, B, C)
        for _ in range(at_once):
            lease(crawl)
        directory, old = after_death(directory), crawl
        old.close()
    return directory


def counts(directory: Path) -> list[int]:
    with StoreReader.open(directory) as reader:
        return list(reader.settings()[DEATHS]["urls"].values())


def test_after_as_many_deaths_as_are_allowed_it_is_leased_last(tmp_path: Path) -> None:
    crawl = opened(died_with(tmp_path / "job", 1))
    crawl.run()
    assert crawl.fetched == [A, B, C]
    crawl.close()
    crawl = opened(died_with(tmp_path / "other", 2))
    crawl.run()
    assert crawl.fetched == [B, C, A]
    assert crawl.backend.suspects.set_aside == 0
    crawl.close()
    with StoreReader.open(crawl.config.directory or tmp_path) as reader:
        assert reader.settings()[DEATHS]["urls"] == {}


def test_no_death_counts_where_that_is_switched_off(tmp_path: Path) -> None:
    crawl = opened(died_with(tmp_path / "job", 2), max_crashes=0)
    crawl.run()
    assert crawl.fetched == [A, B, C]
    crawl.close()


def test_it_is_alone_until_all_that_was_made_of_it_is_done(tmp_path: Path) -> None:
    crawl = opened(died_with(tmp_path / "job", 2, at_once=3))
    first = lease(crawl)
    assert crawl.lease_next() is None
    first.held = True
    crawl.answer(first)
    assert crawl.lease_next() is None
    assert not crawl.backend.finished()
    crawl.backend.finish(first)
    second = lease(crawl)
    assert second.url != first.url
    assert crawl.lease_next() is None
    # What comes in the meantime waits for its end too.
    crawl.ask(C + "new")
    assert crawl.lease_next() is None
    crawl.answer(second)
    crawl.run()
    assert crawl.backend.finished()
    crawl.close()


def test_a_retry_keeps_its_count_and_its_turn(tmp_path: Path) -> None:
    crawl = opened(died_with(tmp_path / "job", 2, at_once=3))
    first = lease(crawl)
    crawl.backend.retry(first, first, hold=64)
    again = lease(crawl)
    assert crawl.lease_next() is None
    assert crawl.backend.suspects.set_aside == 3
    crawl.answer(again)
    crawl.run()
    assert sorted(crawl.fetched) == [A, B, C]
    crawl.close()


def test_it_ends_after_many_deaths_with_it_alone(tmp_path: Path) -> None:
    directory = died_with(tmp_path / "job", 2)
    for death in range(ALONE):
        crawl = opened(directory)
        crawl.run(2 if death == 0 else 0)
        one = lease(crawl)
        assert one.url == A
        directory, old = after_death(directory), crawl
        old.close()
    crawl = opened(directory)
    assert crawl.lease_next() is None
    assert crawl.backend.ledger.counts[State.ERROR] == 1
    assert len(crawl.backend.suspects.given_up) == 1
    crawl.close()
    with StoreReader.open(directory) as reader:
        assert reader.error_counts() == {REASON: 1}
    crawl = opened(directory)
    assert crawl.backend.suspects.given_up == []
    assert crawl.backend.finished()
    crawl.close()


def test_a_page_whose_items_are_under_way_was_in_flight(tmp_path: Path) -> None:
    crawl = opened(tmp_path / "job")
    crawl.seed(A, B)
    first, _ = lease(crawl), lease(crawl)
    first.held = True
    crawl.answer(first)
    crawl.backend.commit()
    killed = after_death(tmp_path / "job")
    crawl.close()
    crawl = opened(killed)
    crawl.close()
    assert counts(killed) == [1, 1]


def test_stopped_in_order_it_was_no_death(tmp_path: Path) -> None:
    crawl = opened(tmp_path / "job")
    crawl.seed(A, B, C)
    lease(crawl)
    crawl.close()
    crawl = opened(tmp_path / "job")
    killed = after_death(tmp_path / "job")
    lease(crawl)
    crawl.close()
    crawl = opened(killed)
    crawl.close()
    assert counts(killed) == []


def test_the_next_alone_is_another_one(tmp_path: Path) -> None:
    directory = died_with(tmp_path / "job", 2, at_once=3)
    turns = []
    for _ in range(3):
        crawl = opened(directory)
        turns.append(lease(crawl).url)
        directory, old = after_death(directory), crawl
        old.close()
    assert turns == [A, B, C]


def test_a_page_with_undone_items_is_fetched_again_and_the_graph_is_the_same(
    tmp_path: Path,
) -> None:
    crawl = opened(tmp_path / "job")
    crawl.seed(A)
    for _ in range(2):
        one = lease(crawl)
        one.held = True
        crawl.answer(one)
    crawl.backend.commit()
    killed = after_death(tmp_path / "job")
    crawl.run()
    whole = crawl.backend.driver.graph
    crawl = opened(killed)
    assert crawl.backend.ledger.counts[State.QUEUED] == 3
    crawl.run()
    assert sorted(crawl.fetched) == [A, B, C]
    graph = crawl.backend.driver.graph
    assert (graph.n_pages, graph.n_links) == (whole.n_pages, whole.n_links)
    assert crawl.backend.ledger.counts[State.CRAWLED] == 3
    crawl.close()
