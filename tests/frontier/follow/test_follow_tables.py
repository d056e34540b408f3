"""The tables of two real engines: they hold the same as the crawl."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from frontier.errors import FollowError
from frontier.follow.cursor import Cursor, KeptCursor
from frontier.follow.events import PageEvent
from frontier.follow.follower import Follower
from frontier.follow.sinks import document
from frontier.follow.source import EventSource
from frontier.follow.targets import target_of
from ranking.errors import MissingExtraError
from tests.support.followed import job_of
from tests.support.told import telling

ENGINES = ("duckdb", "lancedb")
every_engine = pytest.mark.parametrize("engine", ENGINES)


@pytest.fixture(autouse=True)
def _installed(request: pytest.FixtureRequest) -> None:
    if "engine" in request.fixturenames:
        pytest.importorskip(request.getfixturevalue("engine"), reason="its extra is not installed")


@pytest.fixture
def events(tmp_path: Path) -> list[PageEvent]:
    return job_of(tmp_path / "job", 20).events


def rows(engine: str, path: Path) -> dict[str, dict[str, Any]]:
    """The rows of a table by URL."""
    if engine == "duckdb":
        with importlib.import_module("duckdb").connect(str(path), read_only=True) as opened:
            opened.execute("SELECT * FROM pages")
            names = [column[0] for column in opened.description]
            listed = [dict(zip(names, row, strict=True)) for row in opened.fetchall()]
    else:
        opened = importlib.import_module("lancedb").connect(path).open_table("pages")
        listed = opened.to_arrow().to_pylist()
    assert len({row["id"] for row in listed}) == len(listed)
    return {row["url"]: row for row in listed}


@contextmanager
def sink(engine: str, path: Path, *, tombstones: bool = False) -> Iterator[Any]:
    made = target_of(f"{engine}:{path}", tombstones=tombstones).make()
    yield made
    made.close()


def later(event: PageEvent, **values: Any) -> PageEvent:
    return replace(event, version=event.version + (1 << 30), **values)


@every_engine
def test_a_table_holds_the_pages_as_the_events_have_them(
    engine: str, events: list[PageEvent], tmp_path: Path
) -> None:
    path = tmp_path / "table"
    with sink(engine, path) as made:
        assert made.is_new
        made.send(events)
        made.send([later(events[0], op="delete", change="gone"), later(events[1], title="newer")])
    expected = {one.url: document(one, tombstones=True) for one in [*events, later(events[1])]}
    expected[events[1].url]["title"] = "newer"
    del expected[events[0].url]
    assert rows(engine, path) == expected
    with sink(engine, path) as made:
        assert not made.is_new
        made.send(events[1:])  # once more, and older than what is there
    assert rows(engine, path) == expected


@every_engine
def test_a_table_that_was_removed_gets_all_even_if_the_follower_is_killed_at_once(
    engine: str, tmp_path: Path
) -> None:
    crawl, path = job_of(tmp_path / "job", 20), tmp_path / "table"
    kept = KeptCursor(tmp_path / "job", engine, engine)
    kept.save(Cursor.parse(crawl.events[-1].cursor))
    with sink(engine, path) as made:
        Follower(EventSource(tmp_path / "job"), made, None, kept)  # killed before its first turn
    with sink(engine, path) as made:
        Follower(EventSource(tmp_path / "job"), made, None, kept).run()
    kept.close()
    assert rows(engine, path).keys() == {event.url for event in crawl.events}


@every_engine
def test_tombstones_mark_pages_that_are_gone(
    engine: str, events: list[PageEvent], tmp_path: Path
) -> None:
    path = tmp_path / "table"
    with sink(engine, path, tombstones=True) as made:
        made.send(events)
        made.send([later(events[0], op="delete", change="gone")])
        made.send(events)
    table = rows(engine, path)
    assert len(table) == len(events)
    assert [url for url, row in table.items() if row["deleted"]] == [events[0].url]


@every_engine
def test_of_a_page_that_comes_twice_at_once_the_last_event_counts(
    engine: str, events: list[PageEvent], tmp_path: Path
) -> None:
    path = tmp_path / "table"
    with sink(engine, path) as made:
        made.send([*events, later(events[0], title="newer")])
    assert rows(engine, path)[events[0].url]["title"] == "newer"


@every_engine
def test_a_place_that_cannot_be_used_is_an_error(engine: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a table")
    with (
        pytest.raises(FollowError, match=telling(tmp_path / "file")),
        sink(engine, tmp_path / "file"),
    ):
        pass


@every_engine
def test_without_its_extra_an_engine_says_what_to_install(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(importlib.import_module("sys").modules, engine, None)
    with pytest.raises(MissingExtraError, match=rf"scrapy-linkrank\[{engine}\]"):
        target_of(f"{engine}:{tmp_path / 'table'}").make()
