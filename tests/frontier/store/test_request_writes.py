"""Pending requests and leases, before and after a restart."""

from __future__ import annotations

from pathlib import Path

from frontier.records import PageRow
from frontier.states import State
from frontier.store import Store
from frontier.store.rows import LeaseRow
from tests.support.states import put_url

NOW = 1_700_000_000.25


def add_url(store: Store, url_id: int) -> None:
    host = store.add_host("a.example")
    put_url(store, url_id, url_id, f"http://a.example/{url_id}", host=host, depth=0, found=NOW)


def leased(url_id: int, *, rid: int | None, seq: int, attempts: int) -> LeaseRow:
    return LeaseRow(url_id, rid, seq, NOW, attempts, 0.5, None)


def test_an_answer_ends_the_lease_and_its_request_but_not_the_next_one(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        add_url(store, 0)
        store.add_request(0, 0, 10, b"first")
        store.add_request(1, 0, -1, b"second")
        store.commit()
        store.lease(leased(0, rid=0, seq=0, attempts=1))
        store.commit()
        assert [lease.rid for lease in store.leases()] == [0]
        store.page(PageRow(url_id=0, state=State.CRAWLED, fetched=NOW))
        assert store.request_body(0) is None
        assert store.request_body(1) == b"second"
    with Store.open(tmp_path) as store:
        loaded = store.load()
        assert loaded.requests == {0: [(1, -1)]}
        assert loaded.states.tolist() == [State.QUEUED]
        assert loaded.leases == []
        assert loaded.attempts == {}
        assert store.request_body(0) is None
        assert store.request_body(1) == b"second"
        assert loaded.next_rid == 2


def test_a_released_url_is_queued_again_with_its_attempts_and_its_request(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        add_url(store, 0)
        add_url(store, 1)
        store.add_request(0, 0, 0, b"old")
        store.commit()
        store.lease(leased(0, rid=0, seq=0, attempts=1))
        store.lease(leased(1, rid=None, seq=1, attempts=3))
        store.commit()
        store.release(0)
        store.release(1)
        assert store.leases() == []
        assert store.request_body(0) == b"old"
    with Store.open(tmp_path) as store:
        loaded = store.load()
        assert loaded.requests == {0: [(0, 0)]}
        assert loaded.attempts == {0: 1, 1: 3}
        assert loaded.states.tolist() == [State.QUEUED, State.QUEUED]
        store.lease(leased(1, rid=None, seq=2, attempts=4))
        store.page(PageRow(url_id=1, state=State.ERROR, fetched=NOW))
    with Store.open(tmp_path) as store:
        assert store.load().attempts == {0: 1}


def test_the_request_of_a_held_answer_stays_until_it_is_let_go(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        add_url(store, 0)
        store.add_request(0, 0, 0, b"first")
        store.lease(leased(0, rid=0, seq=5, attempts=1))
        store.page(PageRow(url_id=0, state=State.CRAWLED, fetched=NOW), held=True)
        assert (store.holding, store.leases()) == (True, [])
        store.let_go(0, 4)
        assert store.holding
        assert store.request_body(0) == b"first"
        store.let_go(0, 5)
        assert not store.holding
        assert store.request_body(0) is None
