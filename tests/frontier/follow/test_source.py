"""What becomes of a page, as events: which, in which order, with what."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from unittest.mock import patch

import pytest

from frontier.errors import FollowError, StoreMissingError
from frontier.follow import source
from frontier.follow.cursor import Cursor, KeptCursor
from frontier.follow.events import event_id
from frontier.follow.follower import Follower
from frontier.follow.source import EventSource
from frontier.refresh.policy import RefreshPolicy
from frontier.states import Mark, State
from frontier.texts import ALL
from tests.support.driven_crawl import FETCHED, DrivenCrawl, Page
from tests.support.followed import Kept, followed, replayed
from tests.support.living_crawl import DAY, A, B, C, D, Living
from tests.support.told import telling


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    while Living.opened:
        Living.opened.pop().backend.store.close()


def web() -> dict[str, Page]:
    return {
        A: Page({B: 0.5, C: 0.5}, text="page a", title="The a", relevance=0.75),
        B: Page(text="page b"),
        C: Page(text="page c"),
    }


def living(directory: Path) -> Living:
    crawl = Living(directory, web())
    crawl.seed(A)
    crawl.run()
    return crawl


def since(sink: Kept) -> str:
    return sink.events[-1].cursor


def test_each_page_is_new_once_with_all_that_is_known_of_it(tmp_path: Path) -> None:
    crawl = DrivenCrawl(tmp_path, web(), strategy="bfs")
    crawl.seed(A)
    crawl.run()
    crawl.close()
    sink = followed(tmp_path)
    assert sink.changes == [(A, "new"), (B, "new"), (C, "new")]
    first = sink.events[0]
    assert first.id == event_id(A) == sha256(A.encode()).hexdigest()
    assert (first.op, first.title, first.relevance) == ("upsert", "The a", 0.75)
    assert (first.seen, first.previous) == ("2026-11-03T10:00:00Z", None)
    assert (first.final_url, first.canonical, first.text, first.text_from) == (A, A, None, "none")
    known = {url: (event.title, event.content_hash) for url, event in sink.pages.items()}
    assert known == replayed(tmp_path)
    assert FETCHED == 1_793_700_000.0


def test_a_cursor_goes_on_behind_its_event(tmp_path: Path) -> None:
    crawl = living(tmp_path)
    first = followed(tmp_path)
    assert followed(tmp_path, first.events[0].cursor).events == first.events[1:]
    assert followed(tmp_path, since(first)).events == []
    crawl.texts(b="another text of b")
    crawl.later(3 * DAY)
    then = followed(tmp_path, since(first))
    assert then.changes == [(B, "changed")]
    assert then.events[0].version > first.pages[B].version
    assert then.events[0].previous == first.pages[B].seen


def test_only_the_last_event_of_a_page_is_handed_on(tmp_path: Path) -> None:
    crawl = living(tmp_path)
    for text in ("one", "two", "three"):
        crawl.texts(b=f"text {text} of b")
        crawl.later(3 * DAY)
    assert sorted(followed(tmp_path).changes) == [(A, "new"), (B, "changed"), (C, "new")]


def test_a_page_is_gone_when_it_was_missing_twice_and_back_when_it_is(tmp_path: Path) -> None:
    crawl = living(tmp_path)
    first = followed(tmp_path)
    page = crawl.web.pop(B)
    crawl.later(3 * DAY)
    assert followed(tmp_path, since(first)).events == []
    crawl.later(DAY)
    gone = followed(tmp_path, since(first))
    assert gone.changes == [(B, "gone")]
    event = gone.events[0]
    assert (event.op, event.content_hash, event.title, event.score) == ("delete", None, None, None)
    assert event.version > first.pages[B].version
    crawl.web[B] = replace(page, text="b is back")
    crawl.later(3 * DAY)
    crawl.later(3 * DAY)
    back = followed(tmp_path, since(gone))
    assert [change for change in back.changes if change[0] == B] == [(B, "changed")]
    assert back.pages[B].version > event.version


def test_a_page_that_is_missing_after_an_error_is_gone_all_the_same(tmp_path: Path) -> None:
    crawl = living(tmp_path)
    first = followed(tmp_path)
    crawl.web.pop(B)
    crawl.now += 3 * DAY
    crawl.ask(B, again=True)
    crawl.run(5)
    assert crawl.state(B) is State.ERROR
    assert followed(tmp_path, since(first)).events == []
    crawl.later(3 * DAY)
    assert followed(tmp_path, since(first)).changes == [(B, "gone")]


def test_without_revisits_two_answers_in_a_row_end_a_page(tmp_path: Path) -> None:
    crawl = Living(tmp_path, web(), refresh=RefreshPolicy())
    crawl.seed(A)
    crawl.run()
    first = followed(tmp_path)
    crawl.web.pop(B)
    for expected in ([], [(B, "gone")]):
        crawl.ask(B, again=True)
        crawl.run(5)
        assert followed(tmp_path, since(first)).changes == expected


@pytest.mark.parametrize("status", [301, 302])
def test_a_page_that_moved_is_deleted_and_says_where_it_is(tmp_path: Path, status: int) -> None:
    crawl = living(tmp_path)
    first = followed(tmp_path)
    crawl.web[B] = Page(redirect=D, redirect_status=status)
    crawl.web[D] = Page(text="page d")
    crawl.later(3 * DAY)
    early = followed(tmp_path, since(first)).changes
    for _ in range(8):
        crawl.later(DAY)
    moved = followed(tmp_path, since(first))
    assert early == ([] if status == 302 else moved.changes)
    assert moved.changes == [(B, "moved"), (D, "new")]
    assert (moved.events[0].op, moved.events[0].final_url) == ("delete", D)


def test_trouble_of_a_host_makes_no_event(tmp_path: Path) -> None:
    crawl = living(tmp_path)
    first = followed(tmp_path)
    crawl.web[B] = Page(status=503, state=State.ERROR, error="HTTP 503")
    crawl.web[C] = Page(status=0, state=State.ROBOTS, error="forbidden by robots.txt")
    for _ in range(5):
        crawl.later(3 * DAY)
    assert followed(tmp_path, since(first)).events == []
    assert followed(tmp_path).pages.keys() == {A, B, C}


def test_a_page_that_asks_not_to_be_indexed_is_never_sent_and_deleted_if_it_was(
    tmp_path: Path,
) -> None:
    crawl = Living(tmp_path, web() | {C: Page(text="page c", marks=Mark.NOINDEX)})
    crawl.seed(A)
    crawl.run()
    first = followed(tmp_path)
    assert first.changes == [(A, "new"), (B, "new")]
    crawl.web[B] = Page(text="b is private", marks=Mark.NOINDEX)
    crawl.texts(c="c is private, too")
    crawl.later(3 * DAY)
    then = followed(tmp_path, since(first))
    assert [(one.url, one.op, one.change) for one in then.events] == [(B, "delete", "changed")]
    assert then.events[0].title is None
    crawl.web[C].marks = Mark(0)
    crawl.texts(c="c is open to all")
    crawl.later(3 * DAY)
    crawl.later(3 * DAY)
    assert followed(tmp_path, since(then)).changes == [(C, "changed")]


def test_versions_go_on_when_a_crawl_is_resumed(tmp_path: Path) -> None:
    crawl = living(tmp_path)
    crawl.close()
    first = followed(tmp_path)
    again = Living(tmp_path, crawl.web)
    again.now = crawl.now
    again.texts(b="another text of b")
    again.later(3 * DAY)
    then = followed(tmp_path, since(first))
    assert then.changes == [(B, "changed")]
    assert then.events[0].version > first.pages[B].version


def test_the_score_is_that_of_the_last_saved_re_rank(tmp_path: Path) -> None:
    urls = [f"{A}{n}" for n in range(40)]
    pages = {A: Page(dict.fromkeys(urls, 0.5), text="all")}
    pages |= {url: Page({A: 0.5}, text=url) for url in urls}
    crawl = DrivenCrawl(tmp_path, pages, strategy="pagerank")
    crawl.seed(A)
    crawl.run()
    scores = crawl.backend.driver.order.scores["score"].tolist()
    crawl.close()
    sink = followed(tmp_path)
    assert [event.score for event in sink.events] == pytest.approx(scores, rel=0.5)
    epochs = {event.version & 0xFFFFFF for event in sink.events}
    assert len(epochs) == 1
    assert min(epochs) > 0


def test_an_upsert_has_the_text_of_its_answer_where_texts_are_kept(tmp_path: Path) -> None:
    crawl = Living(tmp_path, web(), text=ALL)
    crawl.seed(A)
    crawl.run()
    first = followed(tmp_path)
    assert {one.url: (one.text, one.text_from) for one in first.events} == {
        A: ("page a", "store"),
        B: ("page b", "store"),
        C: ("page c", "store"),
    }
    crawl.texts(b="b is another")
    crawl.web.pop(C)
    crawl.later(3 * DAY)
    crawl.later(DAY)
    then = followed(tmp_path, since(first))
    assert {one.url: (one.text, one.text_from) for one in then.events} == {
        B: ("b is another", "store"),
        C: (None, "none"),
    }


def test_a_crawl_is_read_in_portions_and_in_its_order(tmp_path: Path) -> None:
    living(tmp_path).close()
    with patch.object(source, "PORTION", 1):
        crawl = EventSource(tmp_path)
        cursor, sent = crawl.begin(None), []
        while not (portion := crawl.read(cursor)).is_last:
            assert len(portion.events) == 1
            sent += portion.events
            cursor = portion.cursor
    assert [*sent, *portion.events] == followed(tmp_path).events


def test_a_cursor_of_another_crawl_or_of_a_lost_end_is_an_error(tmp_path: Path) -> None:
    living(tmp_path / "one").close()
    living(tmp_path / "two").close()
    cursor = since(followed(tmp_path / "one"))
    with pytest.raises(FollowError, match=telling(cursor, "another crawl")):
        followed(tmp_path / "two", cursor)
    crawl, seq, epoch = cursor.split(".")
    with pytest.raises(FollowError, match=telling(3, "answers")):
        followed(tmp_path / "one", f"{crawl}.{int(seq) + 1}.{epoch}")
    with pytest.raises(FollowError, match=telling("CRAWL.SEQ.EPOCH", "'12'")):
        followed(tmp_path / "one", "12")
    with pytest.raises(StoreMissingError):
        followed(tmp_path / "three")


def linked(directory: Path, pages: int, strategy: str = "pagerank") -> DrivenCrawl:
    """A crawl of so many pages whose scores move as it goes on."""
    urls = [f"{A}{n}" for n in range(200)]
    web = {A: Page(dict.fromkeys(urls, 0.5), text="all")}
    web |= {url: Page({urls[n // 2]: 0.5}, text=url) for n, url in enumerate(urls)}
    crawl = DrivenCrawl(directory, web, strategy=strategy, accept_changes=True)
    crawl.seed(A)
    crawl.run(pages)
    crawl.close()
    return crawl


def rescored(directory: Path, sink: Kept, share: float = 0.1) -> Kept:
    with KeptCursor(directory, "a sink", "a sink") as kept:
        Follower(EventSource(directory), sink, None, kept, rescored=share).run()
    return sink


def test_pages_whose_scores_moved_are_sent_again_and_no_others(tmp_path: Path) -> None:
    linked(tmp_path, 60)
    sink = rescored(tmp_path, Kept())
    before, count = dict(sink.pages), len(sink.events)
    assert count == len(sink.pages) > 40
    assert rescored(tmp_path, Kept()).events == []
    linked(tmp_path, 100)
    rescored(tmp_path, sink)
    news = {event.url for event in sink.events[count:] if event.change == "new"}
    again = {event.url: event for event in sink.events[count:] if event.change == "rescored"}
    assert len(news) + len(again) == len(sink.events) - count
    assert len(again) > 10
    assert not news & again.keys()
    now = followed(tmp_path).pages
    for url, event in before.items():
        was, is_ = event.score or 0.0, now[url].score or 0.0
        assert (url in again) == (abs(is_ - was) > 0.1 * was)
    for url, event in again.items():
        assert event.version > before[url].version
        assert replace(event, cursor="", change="new") == replace(now[url], cursor="")
    assert rescored(tmp_path, Kept()).events == []


def test_versions_grow_over_changes_of_the_strategy(tmp_path: Path) -> None:
    linked(tmp_path, 60)
    before = followed(tmp_path).pages
    linked(tmp_path, 20, "bfs")
    between = followed(tmp_path).pages
    linked(tmp_path, 60, "hits")
    after = followed(tmp_path).pages
    assert all(between[url].version >= event.version for url, event in before.items())
    assert all(after[url].version >= event.version for url, event in between.items())
    assert after[A].version > before[A].version


def test_a_cursor_within_what_was_rescored_has_it_come_again(tmp_path: Path) -> None:
    linked(tmp_path, 60)
    first = rescored(tmp_path, Kept())
    linked(tmp_path, 100)
    with patch.object(source, "PORTION", 16):
        then = rescored(tmp_path, Kept())
    *some, last = [event for event in then.events if event.change == "rescored"]
    assert {event.cursor.split(".")[2] for event in some} == {since(first).split(".")[2]}
    assert last.cursor != some[-1].cursor
    for cursor, comes in ((some[0].cursor, True), (last.cursor, False)):
        sink = Kept()
        Follower(EventSource(tmp_path), sink, Cursor.parse(cursor), rescored=0.1).run()
        assert {event.url for event in some} <= sink.pages.keys() or not comes
        assert bool(sink.events) is comes


def test_a_text_that_was_not_kept_comes_from_what_was_recorded(tmp_path: Path) -> None:
    crawl = living(tmp_path)
    crawl.close()
    asked: dict[str, bytes] = {}

    def recorded(url: str, body_hash: bytes) -> str | None:
        asked[url] = body_hash
        return "as recorded" if url == B else None

    sink = Kept()
    Follower(EventSource(tmp_path, recorded), sink).run()
    hashes = {url: content_hash for url, (_, content_hash) in replayed(tmp_path).items()}
    assert {url: body_hash.hex() for url, body_hash in asked.items()} == hashes
    texts = {url: (event.text, event.text_from) for url, event in sink.pages.items()}
    assert texts == {A: (None, "none"), B: ("as recorded", "warc"), C: (None, "none")}
