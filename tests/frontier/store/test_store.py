"""What was committed is there after reopening, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.errors import StoreDamagedError, StoreError
from frontier.records import LinkArrays, PageRow
from frontier.states import NOFOLLOW, State
from frontier.store import Store, StoreReader, UrlRow, blobs
from frontier.store.rows import LeaseRow, stored_predictions
from tests.support.states import put_url
from tests.support.stored import stored_pages

NOW = 1_700_000_000.25


def links(*targets: int) -> LinkArrays:
    k = len(targets)
    predicted = np.linspace(0, 1, k, dtype=np.float32)
    return LinkArrays(np.array(targets, np.int32), predicted, np.full(k, NOFOLLOW, np.uint8))


def add_url(store: Store, url_id: int, **more: int) -> None:
    host = store.add_host(f"h{url_id % 2}.example")
    url = f"http://h{url_id % 2}.example/{url_id}"
    put_url(
        store, url_id, url_id * 11 - 5, url, host=host, depth=url_id % 3, discovered=NOW, **more
    )


def crawled(url_id: int, *targets: int) -> PageRow:
    return PageRow(
        url_id=url_id, state=State.CRAWLED, fetched=NOW, relevance=0.5, links=links(*targets)
    )


def test_urls_come_back_as_they_were_added(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        host = store.add_host("a.example")
        assert store.add_host("a.example") == host
        fingerprints = -(2**63), 2**63 - 1
        put_url(
            store,
            0,
            fingerprints[0],
            "http://a.example/",
            host=host,
            depth=0,
            discovered=NOW,
            seed=True,
        )
        put_url(
            store,
            1,
            fingerprints[1],
            "http://a.example/ü?b&a",
            host=store.add_host("b.example"),
            depth=7,
            discovered=NOW,
            canonical="http://a.example/%C3%BC?a=&b=",
            referrer=0,
            anchor="to ü",
            zone=2**32 - 1,
        )
        buffered = store.fetch_urls([0, 1, 2])
        store.commit()
        assert store.fetch_urls([1, 0, 2]) == buffered
    with Store.open(tmp_path) as store:
        assert store.fetch_urls([0, 1, 2]) == buffered
        assert buffered[1] == UrlRow(
            *(1, fingerprints[1], "http://a.example/ü?b&a", "http://a.example/%C3%BC?a=&b="),
            *(1, 7, NOW, 0, "to ü", 0, 2**32 - 1),
        )
        loaded = store.load()
        assert loaded.fingerprints.tolist() == list(fingerprints)
        assert loaded.hosts.tolist() == [0, 1]
        assert loaded.depths.tolist() == [0, 7]
        assert loaded.seeds.tolist() == [True, False]
        assert loaded.states.tolist() == [State.QUEUED, State.QUEUED]
        assert loaded.host_names == store.hosts() == ["a.example", "b.example"]
        assert store.urls_of([1, 0]) == [buffered[1].url, "http://a.example/"]


def test_a_page_comes_back_whole(tmp_path: Path) -> None:
    page = PageRow(
        url_id=0,
        state=State.CRAWLED,
        fetched=NOW,
        attempts=2,
        lease_number=4,
        leased=NOW - 1,
        status=200,
        final_url="http://a.example/x",
        title="Ünïcode",
        hash=b"\x00\x01",
        length=123,
        relevance=0.125,
        priority=np.float32(0.5),
        score=np.float64(1e-9),
        links=links(0, 1),
    )
    with Store.open(tmp_path) as store:
        add_url(store, 0)
        add_url(store, 1)
        assert store.page(page) == 0
        assert store.page(PageRow(url_id=1, state=State.ERROR, fetched=NOW, error="timeout")) == 1
    with StoreReader.open(tmp_path) as reader:
        stored = reader.page_row(0)
        assert stored == replace(page, seq=0)
        assert stored.links is not None
        assert stored.links.targets.tolist() == [0, 1]
        assert stored.links.predicted.tolist() == [0, 1]
        assert stored.links.flags.tolist() == [NOFOLLOW, NOFOLLOW]
        failed = reader.page_row(1)
        assert failed is not None
        assert failed.links is None
        assert failed.error == "timeout"
        assert [one.seq for one in stored_pages(reader)] == [0, 1]


def test_the_graph_holds_the_last_record_of_each_page_in_the_order_of_answers(
    tmp_path: Path,
) -> None:
    with Store.open(tmp_path) as store:
        for url_id in range(5):
            add_url(store, url_id)
        store.page(crawled(3, 1, 2))
        store.page(crawled(0))
        store.page(PageRow(url_id=4, state=State.ERROR, fetched=NOW))
        store.page(crawled(3, 4))
        store.page(crawled(1, 0, 2, 3))
    with Store.open(tmp_path) as store:
        loaded = store.load()
        pages = loaded.pages
        assert pages.ids.tolist() == [0, 3, 1]
        assert pages.indptr.tolist() == [0, 0, 1, 4]
        assert pages.links.targets.tolist() == [4, 0, 2, 3]
        assert pages.links.predicted.tolist() == [0, 0, 0.5, 1]
        assert len(pages.links.flags) == 4
        states = [State.CRAWLED, State.CRAWLED, State.QUEUED, State.CRAWLED, State.ERROR]
        assert loaded.states.tolist() == states
        assert loaded.next_seq == 5
        assert store.page(crawled(2)) == 5


def test_an_answer_ends_the_lease_and_its_request_but_not_the_next_one(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        add_url(store, 0)
        store.add_request(0, 0, 10, b"first")
        store.add_request(1, 0, -1, b"second")
        store.commit()
        store.lease(LeaseRow(0, 0, 0, NOW, 1, 0.5, None))
        store.commit()
        assert [one.rid for one in store.leases()] == [0]
        store.page(crawled(0))
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
        store.lease(LeaseRow(0, 0, 0, NOW, 1, 0.5, None))
        store.lease(LeaseRow(1, None, 1, NOW, 3, 0.5, None))
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
        store.lease(LeaseRow(1, None, 2, NOW, 4, 0.5, None))
        store.page(PageRow(url_id=1, state=State.ERROR, fetched=NOW))
    with Store.open(tmp_path) as store:
        assert store.load().attempts == {0: 1}


@pytest.mark.parametrize(
    "array",
    [
        np.arange(1000, dtype=np.float64),
        np.array([], dtype=np.int32),
        np.eye(3, dtype=np.float32),
        np.array([True, False]),
    ],
)
def test_arrays_come_back_with_type_and_shape(
    tmp_path: Path, array: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blobs, "CHUNK_BYTES", 100)
    with Store.open(tmp_path) as store:
        assert store.load_array("score") is None
        store.save_array("score", 6, np.zeros(5000))
        store.commit()
        store.save_array("score", 7, array)
        buffered = store.load_array("score")
    with StoreReader.open(tmp_path) as reader:
        for found in (buffered, reader.load_array("score")):
            assert found is not None
            assert found[0] == 7
            assert found[1].dtype == array.dtype
            np.testing.assert_array_equal(found[1], array)


def test_nothing_is_written_before_the_commit_and_all_of_it_then(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store, StoreReader.open(tmp_path) as reader:
        assert not store.dirty
        add_url(store, 0)
        store.page(crawled(0))
        assert store.dirty
        assert reader.count_urls() == 0
        store.commit()
        assert not store.dirty
        assert reader.count_urls() == 1
        assert reader.page_row(0) is not None


def test_a_commit_that_fails_writes_nothing_and_can_be_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.open(tmp_path) as store:
        add_url(store, 0)
        pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
        store._connection.execute(f"PRAGMA max_page_count = {pages}")
        store.save_array("score", 1, np.zeros(100_000))
        with pytest.raises(StoreError, match="free space") as caught:
            store.commit()
        assert not isinstance(caught.value, StoreDamagedError)
        assert store.count_urls() == 0
        store._connection.execute("PRAGMA max_page_count = 1000000")
        store.commit()
        assert store.count_urls() == 1


def test_without_a_directory_nothing_is_left(tmp_path: Path) -> None:
    store = Store.open()
    directory = store.path.parent
    add_url(store, 0)
    store.commit()
    assert store.path.exists()
    store.close()
    assert not directory.exists()


def test_a_closed_crawl_is_one_file_and_closing_again_does_nothing(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    add_url(store, 0)
    store.close()
    store.close()
    left = {path.name for path in tmp_path.iterdir()} - {"frontier.lock"}
    assert left == {"frontier.sqlite"}


@given(st.lists(st.floats(0, 1)))
def test_predictions_are_rounded_once_and_stay_predictions(predicted: list[float]) -> None:
    once = stored_predictions(predicted)
    assert once.dtype == np.float32
    assert stored_predictions(once).tolist() == once.tolist()
    assert np.all((once >= 0) & (once <= 1))
    np.testing.assert_allclose(once, predicted, rtol=1 / 2048, atol=1e-7)


def test_only_a_crawl_that_can_go_on_is_written_before_each_request(tmp_path: Path) -> None:
    for directory, written in ((tmp_path, 1), (None, 0)):
        with Store.open(directory) as store:
            add_url(store, 0)
            store.commit_leases()
            assert (store.dirty, store.temporary) == (not written, directory is None)
            assert len(store.fetch_urls([0])) == 1
            store.commit()
            assert not store.dirty
