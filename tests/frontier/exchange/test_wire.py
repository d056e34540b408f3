"""Records that crossed a process border are those that left; anything else is refused."""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields, replace
from typing import Any

import msgpack
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from frontier.duplicates.minhash import SHORTEST, digest_of
from frontier.errors import ExchangeError
from frontier.exchange import wire
from frontier.exchange.wire import (
    pack_lease,
    pack_page,
    pack_urls,
    unpack_lease,
    unpack_page,
    unpack_urls,
)
from frontier.records import Canonical, Lease, Page, UrlRecord, VisibleText
from frontier.states import Mark, State
from frontier.topic.samples import LETTERS
from frontier.traps.new_text import words_of
from tests.support.answers import lease_of

NUMBERS = st.integers(-(2**63), 2**63 - 1)
IDS = st.integers(0, 2**63 - 1)
ANYTHING = st.text(alphabet=st.characters(exclude_categories=()), max_size=20)
FLOATS = st.floats()
BYTE = st.integers(0, 255)
URLS = st.builds(
    UrlRecord,
    url=ANYTHING | st.sampled_from(["http://a.example/", "http://b.example/x"]),
    fingerprint=NUMBERS,
    canonical=ANYTHING | st.sampled_from(["http://a.example/", "http://b.example/x"]),
    slot=ANYTHING | st.just("a.example"),
    depth=st.integers(0, 3) | NUMBERS,
    priority_class=st.just(0) | NUMBERS,
    seed=st.booleans(),
    again=st.booleans(),
    body=st.none() | st.binary(max_size=20),
    referrer=st.none() | IDS,
    anchor=st.none() | ANYTHING,
    context=ANYTHING,
    predicted=FLOATS,
    matches=st.none() | st.tuples(BYTE, BYTE, BYTE),
    zone=st.integers(0, 2**32 - 1),
    modified=st.none() | FLOATS,
    flags=BYTE,
)
LINKS = st.lists(URLS, max_size=8)
PAGES = st.builds(
    Page,
    state=st.sampled_from(State),
    fetched=FLOATS,
    status=st.none() | NUMBERS,
    error=st.none() | ANYTHING,
    final_url=st.none() | ANYTHING,
    title=st.none() | ANYTHING,
    asks=st.none() | ANYTHING,
    language=st.none() | ANYTHING,
    hash=st.none() | st.binary(max_size=16),
    length=st.none() | NUMBERS,
    relevance=st.none() | FLOATS,
    similarity=st.none() | FLOATS,
    marks=st.lists(st.sampled_from(Mark)).map(lambda some: Mark(sum({*some}))),
    is_prose=st.booleans(),
    blocks=st.none() | st.binary(max_size=16),
    etag=st.none() | st.binary(max_size=16),
    modified=st.none() | st.binary(max_size=16),
)
ASKED = st.fixed_dictionaries(
    {
        "url_id": IDS,
        "number": IDS,
        "attempts": IDS,
        "leased": FLOATS,
        "priority": FLOATS,
        "score": st.none() | FLOATS,
        "rank": st.none() | NUMBERS,
        "revisit": st.booleans(),
        "etag": st.none() | st.binary(max_size=16),
        "last_modified": st.none() | st.binary(max_size=16),
    }
)
LONG = " ".join(random.Random(1).choices(["comet", "Größe", "日本", "12,345", "tail"], k=3000))
URL = "http://a.example/"
LINK = UrlRecord(url=URL, fingerprint=7, canonical=URL, slot="a.example", depth=1, anchor="to A")


def exactly(record: Page | UrlRecord) -> dict[str, Any]:
    """The fields of a record, in which floats are equal only if all their bits are."""
    values = {one.name: getattr(record, one.name) for one in fields(record)}
    bits = {name: struct.pack("<d", v) for name, v in values.items() if isinstance(v, float)}
    return values | bits | {"text": None}


def crawled(text: str | None = None, **facts: Any) -> Page:
    known = {"state": State.CRAWLED, "text": None if text is None else VisibleText(text), **facts}
    return Page(fetched=1.5, **known)


@given(LINKS)
def test_urls_are_those_that_left(urls: list[UrlRecord]) -> None:
    assert [*map(exactly, unpack_urls(pack_urls(urls)))] == [*map(exactly, urls)]


@given(PAGES, LINKS, st.none() | st.builds(Canonical, URLS, st.booleans()))
@example(crawled(), [], None)
def test_a_page_and_its_links_are_those_that_left(
    page: Page, links: list[UrlRecord], canonical: Canonical | None
) -> None:
    told = unpack_page(pack_page(page, links, canonical))
    assert exactly(told.page) == exactly(page)
    assert [*map(exactly, told.links)] == [*map(exactly, links)]
    assert (told.canonical is None) == (canonical is None)
    if told.canonical is not None and canonical is not None:
        assert exactly(told.canonical.named) == exactly(canonical.named)
        assert told.canonical.may_be_new is canonical.may_be_new


@given(URLS, ASKED, st.none() | ANYTHING)
def test_a_lease_is_the_one_that_left(
    url: UrlRecord, asked: dict[str, Any], referrer: str | None
) -> None:
    known = {field.name: getattr(url, field.name) for field in fields(UrlRecord)}
    lease = Lease(**(known | asked))
    again, found_on = unpack_lease(pack_lease(lease, referrer))
    assert exactly(again) == exactly(replace(lease, interrupted=lease.attempts > 1))
    assert found_on == referrer


def test_what_is_of_one_process_stays_there() -> None:
    url = replace(LINK, url_id=4, is_new=True, unsaved=object())
    (again,) = unpack_urls(pack_urls([url]))
    assert exactly(again) == exactly(LINK)


@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=300))
@example("")
@example(LONG)
@example("word " * (SHORTEST - 1))
def test_rules_are_told_the_same_of_a_text_that_stayed_behind(text: str) -> None:
    told = unpack_page(pack_page(crawled(text), []))
    assert told.page.text is not None
    whole, words, signature = told.page.text.derived(digest_of)
    expected = digest_of(text)
    assert (whole, words) == expected[:2]
    assert (signature is None) == (expected.signature is None)
    assert signature is None or signature.tolist() == expected.signature.tolist()  # type: ignore[union-attr]
    assert told.page.text.derived(words_of) == words_of(text)
    assert told.page.text.beginning(LETTERS) is None


def test_of_a_sample_the_beginning_comes_along() -> None:
    for text in (LONG, "", "short \ud800"):
        told = unpack_page(pack_page(crawled(text), [], with_text=True))
        assert told.page.text is not None
        assert told.page.text.beginning(10**6) == text[:LETTERS]


def test_a_text_that_nobody_asks_for_does_not_cross() -> None:
    told = unpack_page(pack_page(crawled(LONG, state=State.ERROR), [], with_text=True))
    assert told.page.text is None
    told = unpack_page(pack_page(crawled(LONG, is_prose=False), []))
    assert told.page.text is not None
    assert told.page.text.derived(digest_of).words == digest_of(LONG).words
    with pytest.raises(KeyError):
        told.page.text.derived(words_of)


def test_what_links_repeat_is_hardly_told_again() -> None:
    urls = [f"{URL}{number}" for number in range(60)]
    links = [replace(LINK, url=url, canonical=url, context=LONG[:200]) for url in urls]
    assert len(pack_urls(links)) < 60 * len(links)


@pytest.mark.parametrize("wrong", [{"fingerprint": 2**64}, {"priority_class": -(2**63) - 1}])
def test_numbers_that_do_not_fit_are_refused_where_they_come_from(wrong: dict[str, Any]) -> None:
    with pytest.raises(ExchangeError, match="expected URLs whose numbers fit into 64 bits"):
        pack_urls([replace(LINK, **wrong)])
    with pytest.raises(ExchangeError, match="expected a page whose numbers fit"):
        pack_page(crawled(), [replace(LINK, **wrong)])
    known = {one.name: getattr(LINK, one.name) for one in fields(UrlRecord)}
    lease = Lease(**(known | wrong), number=1)
    with pytest.raises(ExchangeError, match="expected a lease whose numbers fit"):
        pack_lease(lease)


def test_numbers_of_numpy_cross_as_those_of_python() -> None:
    page = crawled(relevance=np.float32(0.5), length=np.int64(3))
    told = unpack_page(pack_page(page, [])).page
    assert (told.relevance, told.length) == (0.5, 3)
    assert type(told.length) is int


LEASE = lease_of(URL, number=7)
NAMED = Canonical(LINK, may_be_new=False)
MESSAGES: tuple[tuple[bytes, Callable[[bytes], Any]], ...] = (
    (pack_page(crawled(LONG), [LINK, LINK], NAMED, with_text=True), unpack_page),
    (pack_urls([LINK, LINK]), unpack_urls),
    (pack_lease(LEASE, URL), unpack_lease),
)


@given(st.sampled_from(MESSAGES), st.lists(st.tuples(st.integers(0), st.integers(0, 255))))
def test_a_message_with_other_bytes_in_it_is_read_or_refused(
    whole: tuple[bytes, Callable[[bytes], Any]], changes: list[tuple[int, int]]
) -> None:
    data = bytearray(whole[0])
    for place, value in changes:
        data[place % len(data)] = value
    with suppress(ExchangeError):  # anything else fails the test
        whole[1](bytes(data))


@pytest.mark.parametrize(("data", "unpack"), MESSAGES)
def test_messages_of_other_kinds_and_versions_are_refused(
    data: bytes, unpack: Callable[[bytes], Any]
) -> None:
    for _, other in MESSAGES:
        if other is not unpack:
            with pytest.raises(ExchangeError, match="kind"):
                other(data)
    version, *parts = msgpack.unpackb(zlib.decompress(data), unicode_errors="surrogatepass")
    newer = zlib.compress(msgpack.packb([version + 1, *parts]))
    wanted = rf"a message of version {version + 1} .*; run the same versions"
    with pytest.raises(ExchangeError, match=wanted):
        unpack(newer)


def test_signatures_of_another_algorithm_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "ALGORITHM", wire.ALGORITHM + 1)
    data = pack_page(crawled(LONG), [])
    monkeypatch.undo()
    with pytest.raises(ExchangeError, match="a signature of 128 bytes by algorithm"):
        unpack_page(data)


def test_a_message_that_grows_beyond_all_bounds_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "MOST", 100)
    with pytest.raises(ExchangeError, match="or hold more than 100"):
        unpack_urls(zlib.compress(bytes(10**7)))
    with pytest.raises(ExchangeError, match="bytes where 100 are allowed"):
        pack_urls([LINK, LINK, LINK])


def test_what_a_fetcher_holds_and_what_an_order_knows_stays_behind() -> None:
    lease = replace(LEASE, held=True, features=np.ones(2, np.float32))
    again, _ = unpack_lease(pack_lease(lease))
    assert (again.held, again.features) == (False, None)


def test_every_field_of_a_page_crosses_but_its_text_which_has_a_form_of_its_own() -> None:
    assert {field.name for field in fields(Page)} - set(wire._PAGE_FIELDS) == {"text"}
    at_owner = {"url_id", *wire._URL, *wire._LEASE_FIELDS}
    assert {field.name for field in fields(Lease)} - at_owner == set(wire._AT_OWNER)


def test_the_version_follows_from_the_fields() -> None:
    names = wire._URL, wire._PAGE_FIELDS, wire._LEASE_FIELDS
    assert zlib.crc32(repr(names).encode()) == wire.WIRE_VERSION
    assert zlib.crc32(repr((*names, "new")).encode()) != wire.WIRE_VERSION
