"""From a crawl to a sink: what is kept of the place, and when."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from frontier.errors import FollowError
from frontier.follow.cursor import KeptCursor
from frontier.follow.events import EventSource, PageEvent
from frontier.follow.follower import follow
from tests.support.driven_crawl import DrivenCrawl, Page
from tests.support.followed import Kept, events_of, followed
from tests.support.living_crawl import A, B
from tests.support.scrapy_runs import scrapy
from tests.support.told import telling


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    driven = DrivenCrawl(tmp_path, {A: Page({B: 0.5}, text="a"), B: Page(text="b")}, strategy="bfs")
    driven.seed(A)
    driven.run()
    driven.close()
    return tmp_path


class Refusing(Kept):
    """A sink that takes nothing."""

    def send(self, events: Sequence[PageEvent]) -> None:
        raise FollowError("no")


def run(crawl: Path, sink: Kept) -> Kept:
    with KeptCursor(crawl, "a sink", "a sink") as kept:
        follow(EventSource(crawl), sink, kept=kept)
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
    assert (lines[1]["id"], lines[1]["url"], lines[1]["title"]) == (first.id, A, None)
    assert len(lines) == 4


@pytest.mark.parametrize(
    "arguments", [("missing",), (".", "--since", "x"), (".", "--since", f"{'0' * 32}.1.0")]
)
def test_what_cannot_be_followed_is_an_error(crawl: Path, arguments: tuple[str, ...]) -> None:
    done = scrapy("frontier", "follow", *arguments, cwd=crawl)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("scrapy frontier: ")
