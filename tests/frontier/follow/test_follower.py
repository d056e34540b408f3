"""From a crawl to a sink: what is kept of the place, and when."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from frontier.errors import FollowError, StoreDamagedError, StoreError
from frontier.follow import follower
from frontier.follow.cursor import Cursor, KeptCursor
from frontier.follow.events import PageEvent
from frontier.follow.follower import Follower
from frontier.follow.source import EventSource, Portion
from tests.support.followed import Kept, events_of, followed, job_of
from tests.support.living_crawl import A
from tests.support.scrapy_runs import WANDERER, run_spider, scrapy
from tests.support.sites import links, serving
from tests.support.told import telling

B = f"{A}0"


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    job_of(tmp_path)
    return tmp_path


class Refusing(Kept):
    """A sink that takes nothing."""

    def send(self, events: Sequence[PageEvent]) -> None:
        raise FollowError("no")


def run(crawl: Path, sink: Kept) -> Kept:
    with KeptCursor(crawl, "a sink", "a sink") as kept:
        Follower(EventSource(crawl), sink, kept=kept).run()
    return sink


def test_the_place_is_kept_when_the_sink_has_returned_and_not_before(crawl: Path) -> None:
    with pytest.raises(FollowError):
        run(crawl, Refusing())
    assert run(crawl, Kept()).changes == [(A, "new"), (B, "new")]
    assert run(crawl, Kept()).events == []


def test_a_sink_that_is_new_gets_the_whole_crawl(crawl: Path) -> None:
    run(crawl, Kept())
    assert len(run(crawl, Kept(is_new=True)).events) == 2


def test_one_follower_at_a_time_has_a_sink(crawl: Path) -> None:
    with KeptCursor(crawl, "a sink", "a sink"):
        with pytest.raises(FollowError, match=telling("a sink")):
            KeptCursor(crawl, "a sink", "a sink")
        KeptCursor(crawl, "another", "another").close()


def test_a_kept_place_that_cannot_be_read_says_what_to_do(crawl: Path) -> None:
    with KeptCursor(crawl, "a sink", "a sink") as kept:
        (kept.folder / "cursor.json").write_text("{}")
        with pytest.raises(FollowError, match="Remove the file"):
            kept.load()


def test_events_are_lines_of_json_on_standard_output_and_nothing_else(crawl: Path) -> None:
    done = scrapy("frontier", "follow", str(crawl), cwd=crawl)
    assert done.returncode == 0, done.stderr
    events = events_of(done.stdout)
    assert events == [event.as_dict() for event in followed(crawl).events]
    again = scrapy("frontier", "follow", str(crawl), "--since", str(events[0]["cursor"]), cwd=crawl)
    assert events_of(again.stdout) == events[1:]
    assert str(events[-1]["cursor"]) in again.stderr


def test_events_are_bodies_of_bulk_requests(crawl: Path) -> None:
    done = scrapy("frontier", "follow", str(crawl), "--format", "opensearch", cwd=crawl)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    first = followed(crawl).events[0]
    known = {"_id": first.id, "version": first.version, "version_type": "external_gte"}
    assert lines[0] == {"index": known}
    assert (lines[1]["id"], lines[1]["url"], lines[1]["title"]) == (first.id, A, first.title)
    assert len(lines) == 4


@pytest.mark.parametrize(
    "arguments",
    [
        ("missing",),
        (".", "--since", "x"),
        (".", "--since", f"{'0' * 32}.1.0"),
        (".", "--to", "redis:"),
        (".", "--to", "https://me:pa55@search.example"),
        (".", "--to", "no.such.module:Sink"),
        (".", "--to", "collections:Lost"),
        (".", "--to", "collections:OrderedDict"),
        (".", "--to", "tests.support.followed:Kept", "--tombstones"),
        (".", "--webhook", "https://a.example/"),
    ],
)
def test_what_cannot_be_followed_is_an_error(crawl: Path, arguments: tuple[str, ...]) -> None:
    done = scrapy("frontier", "follow", *arguments, cwd=crawl)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("scrapy frontier: ")
    assert "pa55" not in done.stderr


def test_texts_come_from_the_store_and_else_from_warc_files(tmp_path: Path) -> None:
    pages = {"/": links("/a", text="Harbours"), "/a": links(text="Lighthouses")}
    for name, setting in (("kept", "FRONTIER_TEXT=all"), ("recorded", "FRONTIER_TEXT=off")):
        job, warc = f"JOBDIR={tmp_path / name}", f"WARC_FILE={tmp_path / name}.warc.gz"
        with serving(pages) as site:
            run = run_spider(tmp_path, WANDERER.format(url=f"{site.url}/"), job, setting, warc)
        assert run.returncode == 0, run.log
    texts = {}
    for name in ("kept", "recorded"):
        done = scrapy("frontier", "follow", name, "--warc", f"{name}.warc.gz", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        texts[name] = [(event["text_from"], event["text"]) for event in events_of(done.stdout)]
    assert [come_from for come_from, _ in texts["kept"]] == ["store", "store"]
    assert [come_from for come_from, _ in texts["recorded"]] == ["warc", "warc"]
    assert [text for _, text in texts["kept"]] == [text for _, text in texts["recorded"]]
    assert "Lighthouses" in str(texts["recorded"])


def test_a_store_that_is_busy_for_a_moment_is_read_again(
    crawl: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, sink, slept = EventSource(crawl), Kept(), []
    read, failing = source.read, iter([StoreError("locked"), StoreError("locked")])

    def flaky(after: Cursor) -> Portion:
        for error in failing:
            raise error
        return read(after)

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if sink.events:
            raise KeyboardInterrupt

    monkeypatch.setattr(source, "read", flaky)
    monkeypatch.setattr(follower.time, "sleep", sleep)
    with pytest.raises(KeyboardInterrupt):
        Follower(source, sink).run(forever=True)
    assert len(slept) == 3
    failing = iter([StoreError("locked")])
    with pytest.raises(StoreError):
        Follower(source, sink).run()
    failing = iter([StoreDamagedError("broken")])
    with pytest.raises(StoreDamagedError):
        Follower(source, sink).run(forever=True)


def test_a_class_of_ones_own_gets_the_events(crawl: Path) -> None:
    done = scrapy("frontier", "follow", ".", "--to", "tests.support.followed:Kept", cwd=crawl)
    assert (done.returncode, done.stderr) == (0, "")
