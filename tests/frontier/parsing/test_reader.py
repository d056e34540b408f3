"""Pages within bounds: which way they are read, and what happens to those that cost too much."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parsel import Selector

from frontier.errors import PageError
from frontier.parsing import subprocess_protocol
from frontier.parsing.content import Link
from frontier.parsing.html import PageContent, read_page
from frontier.parsing.reader import PageReader, ReadingLimits
from frontier.parsing.slow_hosts import HostPatience
from frontier.parsing.subprocess_reader import SubprocessReader

PAGE = "http://site.example/docs/page.html"
LARGE = b"<a href=/x>x</a>" + b" " * 600_000
SLOW = b"<p " + b"= " * 4_000_000 + b">"
"""Takes many times of what the tests allow."""


@pytest.fixture
def reader() -> Iterator[PageReader]:
    made = PageReader(ReadingLimits())
    yield made
    made.close()


def never() -> Any:
    raise AssertionError("parsed in the crawl's own process")


def read(reader: PageReader, body: bytes) -> PageContent:
    return reader.html(body, "utf-8", PAGE, lambda: Selector(text=body.decode()).root)


def test_ordinary_page_is_read_from_the_tree_of_the_spider(reader: PageReader) -> None:
    root = Selector(text="<a href=/x>x</a>").root
    assert [one.url for one in reader.html(b"", "utf-8", PAGE, lambda: root).links] == [
        "http://site.example/x"
    ]


def test_large_page_is_read_by_another_process(reader: PageReader) -> None:
    page = reader.html(LARGE, "utf-8", PAGE, never)
    root = Selector(text="<a href=/x>x</a>").root
    assert page.links == read_page(root, PAGE).links
    assert page.links[0].zone > 0


def test_page_with_a_monstrous_tag_is_not_given_to_the_parser(reader: PageReader) -> None:
    body = b"<p " + b" ".join(b"a%d" % i for i in range(9_000)) + b"><a href=/x>x</a>"
    assert len(reader.html(body, "utf-8", PAGE, never).links) == 1


def test_page_that_is_too_deep_for_the_parser_is_read_all_the_same(reader: PageReader) -> None:
    assert len(read(reader, b"<div>" * 3_000 + b"<a href=/x>x</a>").links) == 1


def test_page_of_which_the_spider_can_make_nothing_is_read(reader: PageReader) -> None:
    def broken() -> Any:
        raise ValueError("Invalid IPv6 URL")

    assert len(reader.html(b"<a href=/x>x</a>", "utf-8", PAGE, broken).links) == 1


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"%PDF-1.7", "a PDF document"),
        (b"\x89PNG\r\n\x1a\n", "an image"),
        (b"\1\2\3" * 99, "not text"),
    ],
)
def test_what_is_no_text_is_refused(reader: PageReader, body: bytes, reason: str) -> None:
    with pytest.raises(PageError, match=reason):
        reader.html(body, "utf-8", PAGE, never)
    with pytest.raises(PageError, match=reason):
        reader.text(body, "utf-8")


def test_endless_text_is_cut(reader: PageReader) -> None:
    page = reader.text(b"word " * 300_000, "utf-8")
    assert page.truncated
    assert len(page.text) == 1_000_000


def test_page_that_takes_too_long_is_given_up_and_the_next_one_is_read() -> None:
    helper = SubprocessReader(0.2, 1 << 29)
    try:
        with pytest.raises(PageError, match=r"longer than 0\.2 s"):
            helper.read(SLOW, "utf-8", PAGE, 99)
        helper = SubprocessReader(30.0, 1 << 29)
        assert len(helper.read(LARGE, "utf-8", PAGE, 99).links) == 1
    finally:
        helper.close()


def test_page_that_takes_too_much_memory_is_given_up() -> None:
    helper = SubprocessReader(30.0, 1 << 27)
    try:
        with pytest.raises(PageError, match="more than 128 MiB"):
            helper.read(b"<a " + b"=\"'" * 5_000_000, "utf-8", PAGE, 99)
        assert len(helper.read(LARGE, "utf-8", PAGE, 99).links) == 1
    finally:
        helper.close()


def test_helper_that_was_killed_is_started_again() -> None:
    helper = SubprocessReader(30.0, 1 << 29)
    try:
        helper.read(LARGE, "utf-8", PAGE, 99)
        assert helper.process_id is not None
        os.kill(helper.process_id, signal.SIGKILL)
        with suppress(PageError):  # where the system had not ended it yet
            helper.read(LARGE, "utf-8", PAGE, 99)
        assert len(helper.read(LARGE, "utf-8", PAGE, 99).links) == 1
    finally:
        helper.close()


def test_no_process_is_started_for_ordinary_pages_nor_left_behind(reader: PageReader) -> None:
    helper = SubprocessReader(30.0, 1 << 29)
    assert helper.process_id is None
    helper.read(LARGE, "utf-8", PAGE, 99)
    started = helper.process_id
    assert started is not None
    helper.close()
    with pytest.raises(ProcessLookupError):
        os.kill(started, 0)


def test_host_that_is_late_again_and_again_is_not_waited_for() -> None:
    patience = HostPatience(60.0)
    for _ in range(5):
        with pytest.raises(PageError, match="late"), patience.with_host("slow.example"):
            raise PageError("late")
    with pytest.raises(PageError, match="5 pages of its host"), patience.with_host("slow.example"):
        pass
    with patience.with_host("other.example"):
        pass


def test_host_that_is_late_now_and_then_is_waited_for() -> None:
    patience = HostPatience(60.0)
    for _ in range(50):
        with pytest.raises(PageError, match="late"), patience.with_host("h.example"):
            raise PageError("late")
        with patience.with_host("h.example"):
            pass


def test_content_comes_over_the_wire_as_it_is() -> None:
    page = PageContent(
        *("t\ud7ff", "text", [Link("http://a.example/ü", "a", "", nofollow=True)]),
        *((("robots", "none"),), "http://a.example/c", (1.5, "http://a.example/r"), True),
    )
    assert (
        subprocess_protocol.content(
            subprocess_protocol.answer(page)[subprocess_protocol.LENGTH.size :]
        )
        == page
    )


@settings(max_examples=200)
@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    reader = PageReader(ReadingLimits())

    def tree() -> Any:
        return Selector(text=body.decode("utf-8", "replace")).root

    for look in (
        lambda: reader.html(body, "utf-8", PAGE, tree),
        lambda: reader.markup(body, "cp932", PAGE),
        lambda: reader.text(body, "utf-16-le"),
    ):
        with suppress(PageError):
            look()
