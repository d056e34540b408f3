"""Whatever is no message raises ExchangeError, at no more cost than its length."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from frontier.errors import ExchangeError
from frontier.exchange import message, wire
from frontier.exchange.wire import (
    pack_handed,
    pack_page,
    pack_urls,
    unpack_handed,
    unpack_page,
    unpack_urls,
)
from frontier.page_text import PageText
from frontier.records import HandedOut, PageRecord, UrlRecord
from frontier.states import State

URL = "http://a.example/"
SAID = " ".join(f"word{number} 日本 ist nicht ganz neu" for number in range(40))
PAGE = PageRecord(
    url_id=1, state=State.CRAWLED, title="A", hash=bytes(16), relevance=0.5, text=PageText(SAID)
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
HEAD = struct.Struct("<BBIII")


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


@given(st.integers(1, 3), st.binary(max_size=300), st.text(max_size=30), st.booleans())
@example(2, struct.pack("<IIq", 2**32 - 1, 0, 1), "", False)
@example(2, struct.pack("<IIq", 0, 2**32 - 1, 1), "", False)
@example(2, struct.pack("<IIqi", 0, 1, 1, 2**31 - 1), "a.example", False)
def test_what_only_looks_like_a_message_is_read_or_refused(
    kind: int, numbers: bytes, text: str, deflate: bool
) -> None:
    said = text.encode()
    sent = zlib.compress(said) if deflate else said
    head = HEAD.pack(message.WIRE_VERSION, kind, len(numbers), len(sent), len(said))
    for _, unpack in MESSAGES:
        refused_or_read(head + numbers + sent, unpack)


@pytest.mark.parametrize(("data", "unpack"), MESSAGES)
def test_messages_of_other_kinds_and_versions_are_refused(
    data: bytes, unpack: Callable[[bytes], Any]
) -> None:
    for _, other in MESSAGES:
        if other is not unpack:
            with pytest.raises(ExchangeError, match="kind"):
                other(data)
    with pytest.raises(
        ExchangeError,
        match=rf"a message of version {message.WIRE_VERSION + 1} .*; run the same versions",
    ):
        unpack(bytes([message.WIRE_VERSION + 1]) + data[1:])


def test_signatures_of_another_algorithm_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "ALGORITHM", wire.ALGORITHM + 1)
    data = pack_page(PAGE, [])
    monkeypatch.undo()
    with pytest.raises(ExchangeError, match="a signature of 128 bytes by algorithm"):
        unpack_page(data)


def test_text_that_grows_beyond_what_it_says_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = zlib.compress(bytes(10**7))
    for size in (10**5, message.MOST_TEXT + 1):
        head = HEAD.pack(message.WIRE_VERSION, 2, 0, len(bomb), size)
        with pytest.raises(ExchangeError, match=r"text that is not|bytes of text where"):
            unpack_urls(head + bomb)
    monkeypatch.setattr(message, "MOST_TEXT", 100)
    with pytest.raises(ExchangeError, match="bytes of text where 100 are allowed"):
        pack_urls([LINK])
