"""Requests that no page led to: added to the frontier together, each URL once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from scrapy import Request

from frontier.plugin.crawl.seed_buffer import MOST_BUFFERED, SeedBuffer
from frontier.records import Page
from frontier.states import State
from tests.support.crawlers import Parts, opened

A, B = "http://a.example/", "http://b.example/"


def adding(buffer: SeedBuffer, parts: Parts) -> Callable[..., bool]:
    def add(url: str, *, seed: bool = False, **more: Any) -> bool:
        request = Request(url, **more)
        record = parts.codec.encode(request)
        record.seed = seed
        return buffer.add(record, request, parts.spider)

    return add


def test_a_request_waits_until_the_buffer_is_flushed_and_is_known_at_once() -> None:
    with opened() as parts:
        buffer = SeedBuffer(parts.frontier, parts.codec)
        assert adding(buffer, parts)(A)
        assert buffer.knows(parts.config.identify(A))
        assert not parts.frontier.pending()
        buffer.flush()
        assert [lease.url for lease in parts.leases()] == [A]
        assert buffer.knows(parts.config.identify(A))


def test_a_duplicate_is_refused_in_the_buffer_and_behind_it() -> None:
    with opened() as parts:
        buffer = SeedBuffer(parts.frontier, parts.codec)
        add = adding(buffer, parts)
        assert (add(A), add(A), add(B)) == (True, False, True)
        buffer.flush()
        assert (add(A), add(B)) == (False, False)
        buffer.flush()
        assert [lease.url for lease in parts.leases()] == [A, B]


def test_a_request_without_filter_is_fetched_beside_the_first() -> None:
    with opened() as parts:
        buffer = SeedBuffer(parts.frontier, parts.codec)
        add = adding(buffer, parts)
        assert add(A)
        assert add(A, dont_filter=True)
        buffer.flush()
        (first,) = parts.leases()
        assert parts.leases() == []
        parts.frontier.failed(first, Page(state=State.ERROR, fetched=0.0))
        assert [lease.url for lease in parts.leases()] == [A]


def test_a_duplicate_seed_makes_a_known_url_a_seed() -> None:
    with opened() as parts:
        buffer = SeedBuffer(parts.frontier, parts.codec)
        add = adding(buffer, parts)
        assert add(A)
        assert add(B)
        assert not add(B, seed=True)
        buffer.flush()
        assert [(lease.url, lease.seed) for lease in parts.leases()] == [(B, True), (A, False)]


def test_a_resumed_crawl_does_not_fetch_its_seeds_again(tmp_path: Path) -> None:
    for is_first in (True, False):
        with opened(tmp_path) as parts:
            buffer = SeedBuffer(parts.frontier, parts.codec)
            assert adding(buffer, parts)(A, seed=True, dont_filter=True) is is_first
            buffer.flush()


def test_a_full_buffer_is_flushed_by_itself() -> None:
    with opened() as parts:
        buffer = SeedBuffer(parts.frontier, parts.codec)
        add = adding(buffer, parts)
        assert all(add(f"{A}{number}") for number in range(MOST_BUFFERED))
        assert not parts.frontier.pending()
        assert add(B)
        assert parts.frontier.pending()
        assert not parts.frontier.knows(parts.config.identify(B))
