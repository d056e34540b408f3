"""Whatever is no message raises ExchangeError, at no more cost than its length."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.errors import ExchangeError
from frontier.exchange import wire
from frontier.exchange.wire import (
    pack_handed,
    pack_page,
    pack_urls,
    unpack_handed,
    unpack_page,
    unpack_urls,
)
from frontier.page_text import VisibleText
from frontier.records import HandedOut, PageRecord, UrlRecord
from frontier.states import State

URL = "http://a.example/"
SAID = " ".join(f"word{number} 日本 ist nicht ganz neu" for number in range(40))
PAGE = PageRecord(
    url_id=1, state=State.CRAWLED, title="A", hash=bytes(16), relevance=0.5, text=VisibleText(SAID)
)
LINK = UrlRecord(
    url=URL,
    fingerprint=7,
    canonical=f"{URL}x",
    slot="a.example",
    depth=1,
    body=b"request",
    anchor="to A",
    context=SAID,
)
HANDED = HandedOut(
    url=URL, fingerprint=7, canonical=URL, slot="a.example", depth=1, url_id=1, page=PAGE
)
MESSAGES: tuple[tuple[bytes, Callable[[bytes], Any]], ...] = (
    (pack_page(PAGE, [LINK, LINK], named=LINK, with_text=True), unpack_page),
    (pack_urls([LINK, LINK]), unpack_urls),
    (pack_handed(HANDED, URL), unpack_handed),
)


def refused_or_read(data: bytes, unpack: Callable[[bytes], Any]) -> None:
    """Anything but an ExchangeError fails the test that asks."""
    with suppress(ExchangeError):
        unpack(data)


@given(st.binary(max_size=200), st.sampled_from(MESSAGES))
def test_bytes_at_random_are_refused(
    data: bytes, whole: tuple[bytes, Callable[[bytes], Any]]
) -> None:
    with pytest.raises(ExchangeError):
        whole[1](data)


@pytest.mark.parametrize(("data", "unpack"), MESSAGES)
def test_a_message_that_was_cut_or_goes_on_is_refused(
    data: bytes, unpack: Callable[[bytes], Any]
) -> None:
    for size in range(len(data)):
        with pytest.raises(ExchangeError):
            unpack(data[:size])
    with pytest.raises(ExchangeError):
        unpack(data + b"\0")


@given(st.sampled_from(MESSAGES), st.lists(st.tuples(st.integers(0), st.integers(0, 255))))
def test_a_message_with_other_bytes_in_it_is_read_or_refused(
    whole: tuple[bytes, Callable[[bytes], Any]], changes: list[tuple[int, int]]
) -> None:
    data = bytearray(whole[0])
    for place, value in changes:
        data[place % len(data)] = value
    refused_or_read(bytes(data), whole[1])


PLAIN = st.none() | st.integers(-9, 9) | st.floats() | st.binary(max_size=9) | st.text(max_size=9)
ROWS = st.recursive(PLAIN, lambda some: st.lists(some, max_size=20), max_leaves=30)


@given(st.integers(1, 3), st.lists(ROWS, max_size=5))
def test_what_only_looks_like_a_message_is_read_or_refused(kind: int, parts: list[Any]) -> None:
    data = zlib.compress(msgpack.packb([wire.WIRE_VERSION, kind, *parts]))
    for _, unpack in MESSAGES:
        refused_or_read(data, unpack)


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
    data = pack_page(PAGE, [])
    monkeypatch.undo()
    with pytest.raises(ExchangeError, match="a signature of 128 bytes by algorithm"):
        unpack_page(data)


def test_a_message_that_grows_beyond_all_bounds_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "MOST", 100)
    with pytest.raises(ExchangeError, match="or hold more than 100"):
        unpack_urls(zlib.compress(bytes(10**7)))
    with pytest.raises(ExchangeError, match="bytes where 100 are allowed"):
        pack_urls([LINK])
