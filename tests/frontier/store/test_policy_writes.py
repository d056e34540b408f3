"""Marks of pages and notes of those who judge: stored, read back."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from frontier.errors import StoreDamagedError
from frontier.records import HostPause, LinkArrays, PageRow, RobotsRow
from frontier.states import Mark, State
from frontier.store import Store, StoreReader
from frontier.store.rows import PolitenessRow, RefusalRow
from tests.support.states import put_url
from tests.support.stored import stored_pages

ROBOTS = RobotsRow("http://a.example", 5.5, 4.5, 200, "allow", 300.0, b"User-agent: *\n")
NEVER = RobotsRow("https://b.example:8443", 6.0, None, None, "unreachable", 300.0, None)


def page(url_id: int, marks: Mark, twin: int | None = None, *, in_graph: bool = True) -> PageRow:
    none = np.empty(0, np.int32)
    links = LinkArrays(none, none.astype(np.float32), none.astype(np.uint8)) if in_graph else None
    state = State.CRAWLED if in_graph else State.ERROR
    return PageRow(
        url_id=url_id, state=state, fetched=1.0, marks=marks, twin=twin, links=links, relevance=0.5
    )


def filled(directory: Path, *pages: PageRow) -> None:
    with Store.open(directory) as store:
        host = store.add_host("a.example")
        for url_id in range(4):
            put_url(store, url_id, url_id, f"u{url_id}", host=host, depth=0, discovered=1.0)
        for one in pages:
            store.page(one)


def test_marks_and_twins_come_back_with_their_pages(tmp_path: Path) -> None:
    both = Mark.NOINDEX | Mark.SOFT_404
    filled(tmp_path, page(2, both), page(0, Mark.DUPLICATE, 2), page(1, Mark(0)))
    with StoreReader.open(tmp_path) as reader:
        pages = [(one.url_id, one.marks, one.twin) for one in stored_pages(reader)]
        assert pages == [(2, both, None), (0, Mark.DUPLICATE, 2), (1, Mark(0), None)]
        updates = [(one.url_id, one.marks, one.twin) for one in reader.updates(0, 3)]
        assert updates == pages
        loaded = reader.load()
    assert loaded.marks.tolist() == [Mark.DUPLICATE, 0, both, 0]
    assert loaded.twins.tolist() == [2, -1, -1, -1]
    assert (loaded.marks.dtype, loaded.twins.dtype) == (np.uint16, np.int32)


def test_an_answer_that_says_nothing_of_the_page_leaves_its_marks(tmp_path: Path) -> None:
    filled(
        tmp_path,
        page(0, Mark.NOINDEX, 3),
        page(0, Mark(0), in_graph=False),
        page(1, Mark.NOINDEX, 3),
        page(1, Mark(0)),
        page(2, Mark.TRUNCATED, in_graph=False),
    )
    with Store.open(tmp_path) as store:
        loaded = store.load()
    assert loaded.marks.tolist() == [Mark.NOINDEX, 0, Mark.TRUNCATED, 0]
    assert loaded.twins.tolist() == [3, -1, -1, -1]


@pytest.mark.parametrize("change", ["twin = 4", "twin = -2", "marks = -1", "marks = 'x'"])
def test_marks_and_twins_that_make_no_sense_are_damage(tmp_path: Path, change: str) -> None:
    filled(tmp_path, page(0, Mark.NOINDEX))
    with closing(sqlite3.connect(tmp_path / "frontier.sqlite")) as connection, connection:
        connection.execute(f"UPDATE pages SET {change}")
    with pytest.raises(StoreDamagedError), Store.open(tmp_path) as store:
        store.load()


def test_the_robots_of_an_origin_are_seen_at_once_and_replaced(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        assert store.robots(ROBOTS.origin) is None
        store.save_robots(ROBOTS)
        store.save_robots(NEVER)
        assert store.robots(ROBOTS.origin) == ROBOTS
        store.commit()
        newer = ROBOTS._replace(fetched=9.0, status=503)
        store.save_robots(newer)
        assert store.robots(ROBOTS.origin) == newer
    with StoreReader.open(tmp_path) as reader:
        assert reader.robots(ROBOTS.origin) == newer
        assert reader.robots(NEVER.origin) == NEVER


def test_refusals_add_up_over_commits_and_runs_and_keep_their_first_example(tmp_path: Path) -> None:
    for run in range(2):
        with Store.open(tmp_path) as store:
            store.add_refusal("too deep", "a.example", 2, f"first {run}")
            store.add_refusal("too deep", "a.example", 1, f"second {run}")
            store.commit()
            store.add_refusal("too deep", "a.example", 1, "third")
            store.add_refusal("calendar", "b.example", 1, "once")
    with StoreReader.open(tmp_path) as reader:
        assert reader.refusals() == [
            RefusalRow("calendar", "b.example", 2, "once"),
            RefusalRow("too deep", "a.example", 8, "first 0"),
        ]


def test_what_slots_have_asked_for_is_replaced_and_forgotten(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        store.set_politeness("b.example", 9.0, 2.0, "Retry-After")
        store.set_politeness("a.example", None, 5.0)
        store.set_politeness("c.example", 1.0, None)
        store.commit()
        store.set_politeness("b.example", 99.0, 2.0, "503")
        store.drop_politeness("c.example")
    with Store.open(tmp_path) as store:
        assert store.politeness() == [
            PolitenessRow("a.example", None, 5.0, None),
            PolitenessRow("b.example", 99.0, 2.0, "503"),
        ]


def test_the_pauses_that_hosts_still_need_are_kept(tmp_path: Path) -> None:
    kept = [HostPause("a.example", 0.0, 5.0, "HTTP 429"), HostPause("b.example", 1e6, 0.0, "503")]
    with Store.open(tmp_path) as store:
        for pause in (*kept, HostPause("c.example", 9.0, 0.0, "over")):
            store.keep_pause(pause)
        store.commit()
        store.keep_pause(HostPause("c.example", 0.0, 0.0, "over"))
        store.set_politeness("d.example", 9.0, None)
    with Store.open(tmp_path) as store:
        assert [pause._replace(seconds=0.0) for pause in store.pauses()] == [
            pause._replace(seconds=0.0) for pause in kept
        ]
        assert store.pauses()[1].seconds == pytest.approx(1e6, abs=60)
        assert [row.slot for row in store.politeness()] == ["a.example", "b.example", "d.example"]


def test_notes_wait_for_the_commit_with_the_pages(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store, StoreReader.open(tmp_path) as reader:
        store.commit()
        store.save_robots(ROBOTS)
        assert store.dirty
        store.commit()
        store.add_refusal("too deep", "a.example", 1, "x")
        assert store.dirty
        assert reader.refusals() == []
        store.commit()
        assert not store.dirty
        assert len(reader.refusals()) == 1
