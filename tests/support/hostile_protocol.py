"""Servers that do not keep to HTTP, each with what a crawl must make of its first page.

`page`: it is read, and its link is followed. `nothing`: it has no link that could be followed.
`cut: TEXT`: it is read and not whole, and the store says TEXT, a regular expression. `error: TEXT`:
it cannot be read, and the store says TEXT. `/robots.txt` and `/next` of every host are in order.
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import socket
import struct
from collections.abc import Awaitable, Callable

from tests.support.hostile import Ask, Case

SECONDS = 5
"""DOWNLOAD_TIMEOUT of the crawl."""
SIZE = 1 << 16
"""DOWNLOAD_MAXSIZE of the crawl, bytes."""
LINK = b'<html><title>first</title><a href="/next">on</a>'
HTML = b"Content-Type: text/html\r\n"
OK = b"HTTP/1.1 200 OK\r\n" + HTML
SIZED = b"Content-Length: %d\r\n\r\n" % len(LINK) + LINK
CLOSED = b"Connection: close\r\n\r\n" + LINK
PAGE = OK + SIZED
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
FIRST_CHUNK = b"%x\r\n%s\r\n" % (len(LINK), LINK)

PROTOCOL: dict[str, tuple[Case, list[str], str]] = {}
"""By name: the case, what may become of its page, and what the store must say of it."""
Answer = Callable[[Ask], Awaitable[None]]


def _expect(outcome: str) -> Callable[[Answer], Answer]:
    def register(answer: Answer) -> Answer:
        kinds, _, text = outcome.partition(": ")
        PROTOCOL[answer.__name__] = (_as_site(answer), kinds.split("|"), text)
        return answer

    return register


def _as_site(answer: Answer) -> Case:
    async def case(ask: Ask) -> None:
        if ask.path == "/robots.txt":
            await ask.reply("", 404)
        elif ask.path == "/next":
            await ask.reply("<title>next</title>the end")
        else:
            await answer(ask)

    return case


def _bytes(name: str, data: bytes, outcome: str) -> None:
    async def answer(ask: Ask) -> None:
        await ask.raw(data)

    answer.__name__ = name
    _expect(outcome)(answer)


def _held(name: str, data: bytes, outcome: str) -> None:
    """As `_bytes`, but the server keeps the connection open."""

    async def answer(ask: Ask) -> None:
        await ask.raw(data)
        await asyncio.sleep(4 * SECONDS)

    answer.__name__ = name
    _expect(outcome)(answer)


async def _forever(ask: Ask, data: bytes, pause: float = 0.0) -> None:
    with contextlib.suppress(ConnectionError):
        while True:
            await ask.raw(data)
            await asyncio.sleep(pause)


def _reset(ask: Ask) -> None:
    raw = ask.writer.transport.get_extra_info("socket")
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    ask.writer.transport.abort()


# -- what does not end, or not in time --------------------------------------------------------


@_expect("error: ")
async def endless_headers(ask: Ask) -> None:
    await ask.raw(b"HTTP/1.1 200 OK\r\n")
    await _forever(ask, b"X-Again: " + b"a" * 100 + b"\r\n", 0.01)


@_expect("error: ")
async def endless_header_line(ask: Ask) -> None:
    await ask.raw(b"HTTP/1.1 200 OK\r\nX-Long: ")
    await _forever(ask, b"a" * 5000)


@_expect("error: ")
async def endless_continue(ask: Ask) -> None:
    await _forever(ask, b"HTTP/1.1 100 Continue\r\n\r\n", 0.01)


@_expect("error: took longer")
async def dripping_headers(ask: Ask) -> None:
    await ask.raw(b"HTTP/1.1 200 OK\r\n")
    await _forever(ask, b"X: y\r\n", 0.1)


@_expect("error: Cancelled")
async def endless_body(ask: Ask) -> None:
    await ask.raw(OK + CLOSED)
    await _forever(ask, b"more " * 1000)


@_expect("error: Cancelled")
async def endless_chunks(ask: Ask) -> None:
    await ask.raw(CHUNKED + FIRST_CHUNK)
    await _forever(ask, b"400\r\n" + b"x" * 1024 + b"\r\n")


@_expect("error: Cancelled")
async def endless_tiny_chunks(ask: Ask) -> None:
    await ask.raw(CHUNKED + FIRST_CHUNK)
    await _forever(ask, b"1\r\nx\r\n" * 1000)


@_expect("error: Cancelled")
async def endless_announced_body(ask: Ask) -> None:
    await ask.raw(OK + b"Content-Length: 99999999999\r\n\r\n" + LINK)
    await _forever(ask, b"more " * 1000)


@_expect("filtered: DOWNLOAD_MAXSIZE")
async def bomb(ask: Ask) -> None:
    packed = gzip.compress(LINK + b"x" * 100 * SIZE)
    await ask.reply(packed, Content_Encoding="gzip")


@_expect("error: took longer")
async def dripping_body(ask: Ask) -> None:
    await ask.raw(OK + CLOSED)
    await _forever(ask, b"a", 0.1)


@_expect("error: took longer")
async def dripping_chunks(ask: Ask) -> None:
    await ask.raw(CHUNKED + FIRST_CHUNK)
    await _forever(ask, b"1\r\na\r\n", 0.1)


_held("silence", b"", "error: took longer")
_held("silence_in_the_head", b"HTTP/1.1 200 OK\r\nContent-Type: te", "error: took longer")
_held("silence_in_the_body", OK + b"Content-Length: 5000\r\n\r\n" + LINK, "error: took longer")
_held("connection_kept_open", PAGE, "page")
_bytes("large_body", OK + b"Connection: close\r\n\r\n" + LINK + b"x" * (SIZE - 100), "page")

# -- connections that end ---------------------------------------------------------------------


@_expect("error: ")
async def reset_at_once(ask: Ask) -> None:
    _reset(ask)


@_expect("error: ")
async def reset_in_the_head(ask: Ask) -> None:
    await ask.raw(b"HTTP/1.1 200 OK\r\nContent-")
    await asyncio.sleep(0.1)
    _reset(ask)


@_expect("cut: before its end")
async def reset_in_the_body(ask: Ask) -> None:
    await ask.raw(OK + b"Content-Length: 5000\r\n\r\n" + LINK)
    await asyncio.sleep(0.1)
    _reset(ask)


@_expect("page")
async def answered_the_second_time(ask: Ask) -> None:
    if ask.count == 1:
        _reset(ask)
    else:
        await ask.raw(PAGE)


_bytes("length_too_long", OK + b"Content-Length: 5000\r\n\r\n" + LINK, "cut: before its end")
_bytes("no_last_chunk", CHUNKED + FIRST_CHUNK, "cut: before its end")

# -- answers that are odd, and no HTTP ----------------------------------------------------------

_bytes("chunked", CHUNKED + FIRST_CHUNK + b"0\r\n\r\n", "page")
_bytes("length_zero", OK + b"Content-Length: 0\r\n\r\n" + LINK, "nothing")
_bytes("lengths_that_differ", OK + b"Content-Length: 3\r\n" + SIZED, "error: ")
_bytes("chunk_size_garbage", CHUNKED + FIRST_CHUNK + b"zz\r\nabc\r\n", "cut|error: ")
_bytes("encoding_unknown", OK + b"Transfer-Encoding: magic\r\n" + SIZED, "error: ")
_bytes("garbage", b"\x00\xff\xfe garbage \x01" * 50, "error: ")
_held("greeting_of_ssh", b"SSH-2.0-OpenSSH_9.6\r\n", "error: ")
_bytes("status_in_words", b"HTTP/1.1 OK fine\r\n" + HTML + SIZED, "error: ")
_bytes("status_999", b"HTTP/1.1 999 Denied\r\n" + HTML + SIZED, "error: HTTP 999")
_bytes("no_reason", b"HTTP/1.1 200\r\n" + HTML + SIZED, "page")
_bytes("no_content_with_a_body", b"HTTP/1.1 204 No\r\n" + HTML + SIZED, "nothing")
_bytes("redirect_to_nowhere", b"HTTP/1.1 302 Found\r\n" + HTML + SIZED, "error: HTTP 302")
_bytes(
    "redirect_to_control_characters",
    b"HTTP/1.1 302 Found\r\nLocation: http://\x01\x02\xff/\r\n" + HTML + SIZED,
    "page|nothing|error|filtered",
)
_bytes("no_content_type", b"HTTP/1.1 200 OK\r\n" + SIZED, "page")
_bytes("garbage_after_the_answer", PAGE + b"\x00garbage" * 100, "page")
_bytes("refresh_header_garbage", OK + b"Refresh: x;;url=\r\n" + SIZED, "page")
