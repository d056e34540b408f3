"""Events sent to an index: what it answers, item by item, and what comes of it."""

from __future__ import annotations

import base64
import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from frontier.errors import FollowError
from frontier.follow import bulk, posting
from frontier.follow.bulk import AUTHORIZATION, BulkSink
from frontier.follow.events import PageEvent
from frontier.follow.posting import Address
from tests.support.bulk_server import BulkServer, bulk_server
from tests.support.followed import job_of
from tests.support.living_crawl import A
from tests.support.sites import Site, serving
from tests.support.told import telling


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posting, "PAUSES", (0.001, 0.002))
    monkeypatch.setattr(posting, "AT_FIRST", 0.05)


@pytest.fixture
def events(tmp_path: Path) -> list[PageEvent]:
    return job_of(tmp_path, 20).events


def later(event: PageEvent, **values: object) -> PageEvent:
    return replace(event, version=event.version + (1 << 30), **values)


def gone(event: PageEvent) -> PageEvent:
    return later(event, op="delete", change="gone", title=None)


@pytest.fixture
def served() -> Iterator[tuple[BulkServer, BulkSink]]:
    with bulk_server() as (server, url):
        sink = BulkSink(Address.parse(url))
        yield server, sink
        sink.close()


def test_an_index_holds_the_pages_as_the_events_have_them(
    events: list[PageEvent], served: tuple[BulkServer, BulkSink]
) -> None:
    server, sink = served
    sink.send(events)
    assert server.pages.keys() == {event.url for event in events}
    document = server.pages[A]
    assert document["content_hash"] == events[0].content_hash
    assert not {"cursor", "op", "deleted"} & document.keys()
    sink.send([gone(events[0])])
    assert A not in server.pages
    sink.send([gone(events[0])])  # not there any more
    assert server.statuses[-2:] == [200, 404]


def test_what_is_older_changes_nothing(
    events: list[PageEvent], served: tuple[BulkServer, BulkSink]
) -> None:
    server, sink = served
    sink.send([later(events[0], title="newer")])
    sink.send(events[:1])
    assert server.statuses == [201, 409]
    assert server.pages[A]["title"] == "newer"


def test_items_that_are_refused_for_now_come_again_alone(
    events: list[PageEvent], served: tuple[BulkServer, BulkSink]
) -> None:
    server, sink = served
    server.busy = 0.5
    sink.send(events)
    assert server.pages.keys() == {event.url for event in events}
    assert {429, 503} < set(server.statuses)
    assert server.statuses.count(201) == len(events)


def test_a_server_that_drops_connections_or_is_busy_gets_all_of_it(
    events: list[PageEvent], served: tuple[BulkServer, BulkSink]
) -> None:
    server, sink = served
    server.trouble = 0.6
    for event in events:
        sink.send([event])
    assert server.pages.keys() == {event.url for event in events}


def test_any_other_item_stops_with_its_page_and_the_reason(
    events: list[PageEvent], served: tuple[BulkServer, BulkSink]
) -> None:
    server, sink = served
    server.refused[events[1].url] = 400
    with pytest.raises(FollowError, match=telling(events[1].url, 400, "an_exception")):
        sink.send(events)
    server.refused[events[1].url] = 404  # only of a deletion is that what is wanted
    with pytest.raises(FollowError, match=telling(events[1].url, 404)):
        sink.send(events)


def test_tombstones_mark_pages_and_keep_their_version(events: list[PageEvent]) -> None:
    with bulk_server() as (server, url):
        sink = BulkSink(Address.parse(url), tombstones=True)
        sink.send(events)
        sink.send([gone(events[0])])
        server.now += 1e6
        sink.send(events)
        sink.close()
    assert [page["deleted"] for page in server.pages.values()].count(True) == 1
    assert server.pages[A]["deleted"]
    assert server.resurrected == []


def test_a_request_is_as_large_as_the_server_takes(
    events: list[PageEvent], monkeypatch: pytest.MonkeyPatch
) -> None:
    with bulk_server(most=3000) as (server, url):
        sink = BulkSink(Address.parse(url))
        sink.send(events)
        assert len(server.pages) == len(events)
        monkeypatch.setattr(bulk, "_BODY", 1500)
        requests, server.most = server.now, 1 << 30
        sink.send(events)
        assert len(events) / 4 <= server.now - requests <= len(events)
        server.most = 100
        with pytest.raises(FollowError, match="413"):
            sink.send(events)
        sink.close()


@pytest.mark.parametrize(
    "answer", [(200, {}, b"hello"), (200, {}, b'{"items": []}'), (401, {}, b"who?"), (302, {}, b"")]
)
def test_an_address_that_is_no_index_is_an_error(
    events: list[PageEvent], answer: tuple[int, dict[str, str], bytes]
) -> None:
    with serving(lambda asked: answer) as site:
        sink = BulkSink(Address.parse(f"{site.url}/pages"))
        with pytest.raises(FollowError, match=f"{site.url}/pages"):
            sink.send(events)
        sink.close()


def test_a_server_that_is_away_is_an_error_after_a_while(events: list[PageEvent]) -> None:
    with serving({}) as site:
        address = f"{site.url}/pages"
    sink = BulkSink(Address.parse(address))
    with pytest.raises(FollowError, match=telling(address, "ConnectionRefusedError")):
        sink.send(events)
    sink.close()


def test_a_server_that_asks_for_a_pause_gets_it(
    events: list[PageEvent], monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(posting.time, "sleep", pauses.append)
    server = BulkServer()
    answers = iter([(429, {"Retry-After": "7"}, b""), (503, {"Retry-After": "1000"}, b"")])
    with serving(lambda asked: next(answers, None) or server(asked)) as site:
        sink = BulkSink(Address.parse(f"{site.url}/pages"))
        sink.send(events)
        sink.close()
    assert pauses == [7.0, posting.LONGEST_PAUSE]


def test_a_header_that_cannot_be_sent_is_an_error_that_does_not_show_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(AUTHORIZATION, "ApiKey first\nsecond")
    with pytest.raises(FollowError, match=AUTHORIZATION) as refused:
        BulkSink(Address.parse("http://127.0.0.1:9/pages"))
    assert "first" not in str(refused.value)


@pytest.mark.parametrize("way", ["address", "environment"])
def test_a_password_is_sent_and_never_shown(
    events: list[PageEvent],
    way: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    basic = "Basic " + base64.b64encode(b"me:se/cret").decode()
    sites: list[Site] = []
    with serving(lambda asked: (429, {}, b"") if asked.count < 3 else (403, {}, b"")) as site:
        sites.append(site)
        address = f"{site.url}/pages"
        if way == "address":
            address = address.replace("//", "//me:se%2Fcret@")
        else:
            monkeypatch.setenv(AUTHORIZATION, basic)
        sink = BulkSink(Address.parse(address))
        caplog.set_level(logging.DEBUG)
        with pytest.raises(FollowError) as refused:
            sink.send(events)
        sink.close()
    assert {asked.headers["authorization"] for asked in site.asked} == {basic}
    assert "cret" not in str(refused.value) + caplog.text


@pytest.mark.parametrize("address", ["https://host:9200", "https://host:9200/", "ftp://a/b", "//"])
def test_an_address_without_an_index_is_an_error(address: str) -> None:
    with pytest.raises(FollowError, match="expected an address"):
        BulkSink(Address.parse(address))
