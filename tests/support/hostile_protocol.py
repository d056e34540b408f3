"""Servers that do not keep to HTTP, each with what a crawl must make of its first page.

`page`: it is read, and its link is followed. `nothing`: it has no link that could be followed.
`cut: TEXT`: it is read and not whole, and the store says TEXT, a regular expression. `error: TEXT`:
it cannot be read, and the store says TEXT. `/robots.txt` and `/next` of every host are in order.
"""

from __future__ import annotations

import asyncio
import contextlib
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


# -- heads that do not end --------------------------------------------------------------------


@_expect("error: head has more than")
async def endless_headers(ask: Ask) -> None:
    await ask.raw(b"HTTP/1.1 200 OK\r\n")
    await _forever(ask, b"X-Again: " + b"a" * 100 + b"\r\n")


@_expect("error: head has more than")
async def endless_tiny_headers(ask: Ask) -> None:
    await ask.raw(b"HTTP/1.1 200 OK\r\n")
    await _forever(ask, b"a:\n" * 1000)


@_expect("error: a line of more than")
async def endless_header_line(ask: Ask) -> None:
    await ask.raw(b"HTTP/1.1 200 OK\r\nX-Long: ")
    await _forever(ask, b"a" * 5000)


@_expect("error: head has more than|a line of more than")
async def endless_folded_header(ask: Ask) -> None:
    await ask.raw(b"HTTP/1.1 200 OK\r\nX-Long: a\r\n")
    await _forever(ask, b" " + b"a" * 5000 + b"\r\n")


@_expect("error: a line of more than")
async def endless_status_line(ask: Ask) -> None:
    await ask.raw(b"HTTP/1.1 200 ")
    await _forever(ask, b"OK " * 2000)


@_expect("error: head was not complete")
async def dripping_headers(ask: Ask) -> None:
    await ask.raw(b"HTTP/1.1 200 OK\r\n")
    await _forever(ask, b"X: y\r\n", 0.1)


@_expect("error: head was not complete")
async def dripping_status_line(ask: Ask) -> None:
    await ask.raw(b"HTTP/1.1 200 ")
    await _forever(ask, b"K", 0.1)


@_expect("error: interim answers")
async def endless_continue(ask: Ask) -> None:
    await _forever(ask, b"HTTP/1.1 100 Continue\r\n\r\n")


@_expect("error: interim answers")
async def endless_early_hints(ask: Ask) -> None:
    await _forever(ask, b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n", 0.01)


@_expect("error: head was not complete")
async def dripping_interim_answers(ask: Ask) -> None:
    await _forever(ask, b"HTTP/1.1 102 Processing\r\n\r\n", 0.4)


_held("silence_in_the_head", b"HTTP/1.1 200 OK\r\nContent-Type: te", "error: head was not complete")
_held("silence_after_the_status", b"HTTP/1.1 200 OK\r\n", "error: head was not complete")
_held("silence", b"", "error: took longer|timeout")
_bytes("large_headers", OK + b"X-Large: " + b"a" * 60_000 + b"\r\n" + SIZED, "page")
_bytes("many_headers", OK + b"X-Many: a\r\n" * 900 + SIZED, "page")
_bytes("too_many_headers", OK + b"X-Many: a\r\n" * 1500 + SIZED, "error: head has more than")
_bytes("many_cookies", OK + b"Set-Cookie: a=%s\r\n" % (b"b" * 200) * 300 + SIZED, "page")
_bytes("gigantic_reason", b"HTTP/1.1 200 " + b"O" * 60_000 + b"\r\n" + HTML + SIZED, "page")
_bytes("interim_answer_first", b"HTTP/1.1 100 Continue\r\n\r\n" + PAGE, "page")
_bytes(
    "early_hints_first", b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n" * 3 + PAGE, "page"
)
_bytes("protocol_changed", b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n" + PAGE, "error: unasked")

# -- bodies that do not end -------------------------------------------------------------------


@_expect("cut: longer than")
async def endless_body(ask: Ask) -> None:
    await ask.raw(OK + CLOSED)
    await _forever(ask, b"more " * 1000)


@_expect("cut: longer than")
async def endless_chunks(ask: Ask) -> None:
    await ask.raw(CHUNKED + FIRST_CHUNK)
    await _forever(ask, b"400\r\n" + b"x" * 1024 + b"\r\n")


@_expect("cut: chunks are too small|longer than")
async def endless_tiny_chunks(ask: Ask) -> None:
    await ask.raw(CHUNKED + FIRST_CHUNK)
    await _forever(ask, b"1\r\nx\r\n" * 1000)


@_expect("cut: longer than")
async def endless_announced_body(ask: Ask) -> None:
    await ask.raw(OK + b"Content-Length: 99999999999\r\n\r\n" + LINK)
    await _forever(ask, b"more " * 1000)


@_expect("cut: took longer")
async def dripping_body(ask: Ask) -> None:
    await ask.raw(OK + CLOSED)
    await _forever(ask, b"a", 0.1)


@_expect("cut: took longer")
async def dripping_chunks(ask: Ask) -> None:
    await ask.raw(CHUNKED + FIRST_CHUNK)
    await _forever(ask, b"1\r\na\r\n", 0.1)


@_expect("cut: took longer")
async def dripping_announced_body(ask: Ask) -> None:
    await ask.raw(OK + b"Content-Length: 5000\r\n\r\n" + LINK)
    await _forever(ask, b"a", 0.1)


@_expect("cut: longer than")
async def endless_trailers(ask: Ask) -> None:
    await ask.raw(CHUNKED + FIRST_CHUNK + b"0\r\n")
    await _forever(ask, b"X-Trailer: a\r\n" * 100)


_held("silence_in_the_body", OK + b"Content-Length: 5000\r\n\r\n" + LINK, "cut: took longer")
_held("silence_after_the_head", OK + b"Content-Length: 5000\r\n\r\n", "cut: took longer")
_held("silence_in_a_chunk", CHUNKED + FIRST_CHUNK + b"400\r\nabc", "cut: took longer")
_held("silence_after_the_last_chunk", CHUNKED + FIRST_CHUNK + b"0\r\n", "cut: took longer")
_held("connection_kept_open", PAGE, "page")
_held("close_that_is_none", OK + CLOSED, "cut: took longer")
_bytes("large_body", OK + b"Connection: close\r\n\r\n" + LINK + b"x" * (SIZE - 100), "page")

# -- connections that end ---------------------------------------------------------------------


@_expect("error: without an answer")
async def closed_at_once(ask: Ask) -> None:
    ask.writer.close()


@_expect("error: without an answer")
async def reset_at_once(ask: Ask) -> None:
    _reset(ask)


@_expect("error: before the head was complete")
async def reset_in_the_status(ask: Ask) -> None:
    await ask.raw(b"HTTP/1.1 20")
    await asyncio.sleep(0.1)
    _reset(ask)


@_expect("error: before the head was complete")
async def reset_in_the_head(ask: Ask) -> None:
    await ask.raw(b"HTTP/1.1 200 OK\r\nContent-")
    await asyncio.sleep(0.1)
    _reset(ask)


@_expect("cut: before its end")
async def reset_in_the_body(ask: Ask) -> None:
    await ask.raw(OK + b"Content-Length: 5000\r\n\r\n" + LINK)
    await asyncio.sleep(0.1)
    _reset(ask)


@_expect("cut: before its end")
async def reset_in_a_chunk(ask: Ask) -> None:
    await ask.raw(CHUNKED + FIRST_CHUNK + b"400\r\nabc")
    await asyncio.sleep(0.1)
    _reset(ask)


@_expect("page|cut: before its end")
async def reset_at_an_unannounced_end(ask: Ask) -> None:
    await ask.raw(OK + CLOSED)
    await asyncio.sleep(0.1)
    _reset(ask)


@_expect("page")
async def answered_the_second_time(ask: Ask) -> None:
    if ask.count == 1:
        _reset(ask)
    else:
        await ask.raw(PAGE)


_bytes("closed_in_the_head", b"HTTP/1.1 200 OK\r\nContent-T", "error: before the head was")
_bytes("closed_after_the_status", b"HTTP/1.1 200 OK\r\n", "error: before the head was complete")
_bytes("length_too_long", OK + b"Content-Length: 5000\r\n\r\n" + LINK, "cut: before its end")
_bytes("no_last_chunk", CHUNKED + FIRST_CHUNK, "cut: before its end")

# -- lengths and encodings --------------------------------------------------------------------

_bytes("length_too_short", OK + b"Content-Length: 100\r\n\r\n" + LINK + b"x" * 900, "page")
_bytes("length_zero", OK + b"Content-Length: 0\r\n\r\n" + LINK, "nothing")
_bytes("length_negative", OK + b"Content-Length: -5\r\n\r\n" + LINK, "page")
_bytes("length_garbage", OK + b"Content-Length: many\r\n\r\n" + LINK, "page")
_bytes("length_empty", OK + b"Content-Length:\r\n\r\n" + LINK, "page")
_bytes("length_hexadecimal", OK + b"Content-Length: 0x10\r\n\r\n" + LINK, "page")
_bytes("length_enormous", OK + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n" + LINK, "page")
_bytes("length_twice", OK + b"Content-Length: %d\r\n" % len(LINK) + SIZED, "page")
_bytes("lengths_that_differ", OK + b"Content-Length: 3\r\n" + SIZED, "error: length is not clear")
_bytes(
    "lengths_in_one_that_differ",
    OK + b"Content-Length: 3, 48\r\n\r\n" + LINK,
    "error: length is not clear",
)
_bytes(
    "length_and_chunks",
    OK + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n" + FIRST_CHUNK + b"0\r\n\r\n",
    "page",
)
_bytes("chunked", CHUNKED + FIRST_CHUNK + b"0\r\n\r\n", "page")
_bytes(
    "chunked_in_capitals",
    OK + b"TRANSFER-ENCODING: Chunked\r\n\r\n" + FIRST_CHUNK + b"0\r\n\r\n",
    "page",
)
_bytes(
    "chunk_extensions",
    CHUNKED + FIRST_CHUNK.replace(b"\r\n", b";a=b\r\n", 1) + b"0\r\n\r\n",
    "page",
)
_bytes("chunk_size_garbage", CHUNKED + FIRST_CHUNK + b"zz\r\nabc\r\n", "cut: begins with b'zz")
_bytes("chunk_size_negative", CHUNKED + FIRST_CHUNK + b"-5\r\nabc\r\n", "cut: begins with b'-5")
_bytes("chunk_size_huge", CHUNKED + FIRST_CHUNK + b"f" * 900 + b"\r\nabc", "cut: begins with b'f")
_bytes("chunk_line_endless", CHUNKED + FIRST_CHUNK + b"1;" + b"a" * 9000, "cut: line of its")
_bytes("chunk_without_its_end", CHUNKED + FIRST_CHUNK[:-2] + b"0\r\n\r\n", "cut: longer than it")
_bytes("chunks_in_bare_lines", CHUNKED + FIRST_CHUNK.replace(b"\r", b"") + b"0\n\n", "page")
_bytes("chunk_size_padded", CHUNKED + FIRST_CHUNK.replace(b"\r", b" \r", 1) + b"0\r\n\r\n", "page")
_bytes("no_chunks_at_all", CHUNKED + LINK, "cut: before its end")
_bytes("encoding_unknown", OK + b"Transfer-Encoding: magic\r\n" + SIZED, "error: encoding is")
_bytes("encoding_identity", OK + b"Transfer-Encoding: identity\r\n" + SIZED, "page")

# -- status lines and no HTTP -----------------------------------------------------------------

_bytes("http_0_9", LINK, "error: it is no HTTP")
_bytes("garbage", b"\x00\xff\xfe garbage \x01" * 50, "error: it is no HTTP")
_held("garbage_without_an_end", b"\x15\x03\x01\x00\x02\x02\x28", "error: it is no HTTP")
_held("http_2_frames", b"\x00\x00\x12\x04\x00\x00\x00\x00\x00", "error: it is no HTTP")
_bytes("http_2_preface", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "error: it is no HTTP")
_held("greeting_of_ssh", b"SSH-2.0-OpenSSH_9.6\r\n", "error: it is no HTTP")
_held("greeting_of_smtp", b"220 mail ESMTP\r\n", "error: it is no HTTP")
_bytes("shoutcast", b"ICY 200 OK\r\n" + HTML + SIZED, "error: it is no HTTP")
_bytes("empty_lines_only", b"\r\n" * 20, "error: it is no HTTP")
_bytes("status_only_version", b"HTTP/1.1\r\n\r\n", "error: status line is")
_bytes("status_0", b"HTTP/1.1 0 Zero\r\n" + HTML + SIZED, "error: status line is")
_bytes("status_99", b"HTTP/1.1 99 Low\r\n" + HTML + SIZED, "error: status line is")
_bytes("status_negative", b"HTTP/1.1 -200 OK\r\n" + HTML + SIZED, "error: status line is")
_bytes("status_four_digits", b"HTTP/1.1 2000 OK\r\n" + HTML + SIZED, "error: status line is")
_bytes("status_in_words", b"HTTP/1.1 OK fine\r\n" + HTML + SIZED, "error: status line is")
_bytes("status_fraction", b"HTTP/1.1 200.5 OK\r\n" + HTML + SIZED, "error: status line is")
_bytes("status_299", b"HTTP/1.1 299 Odd\r\n" + HTML + SIZED, "page")
_bytes("status_600", b"HTTP/1.1 600 High\r\n" + HTML + SIZED, "error: HTTP 600")
_bytes("status_999", b"HTTP/1.1 999 Denied\r\n" + HTML + SIZED, "error: HTTP 999")
_bytes("version_garbage", b"HTTP/x.y 200 OK\r\n" + HTML + SIZED, "error: status line is")
_bytes("version_9_9", b"HTTP/9.9 200 OK\r\n" + HTML + SIZED, "page")
_bytes("version_2", b"HTTP/2 200 OK\r\n" + HTML + SIZED, "page")
_bytes("version_1_0", b"HTTP/1.0 200 OK\r\n" + HTML + CLOSED, "page")
_bytes("no_reason", b"HTTP/1.1 200\r\n" + HTML + SIZED, "page")
_bytes("wide_status_line", b"HTTP/1.1   200   OK\r\n" + HTML + SIZED, "page")
_bytes("reason_of_bytes", b"HTTP/1.1 200 \xff\x00\xfe\r\n" + HTML + SIZED, "page")
_bytes("no_content_with_a_body", b"HTTP/1.1 204 No\r\n" + HTML + SIZED, "nothing")
_bytes("not_modified_with_a_body", b"HTTP/1.1 304 Not\r\n" + HTML + SIZED, "error: HTTP 304")
_bytes("reset_content_with_a_body", b"HTTP/1.1 205 Reset\r\n" + HTML + SIZED, "page")
_bytes("redirect_to_nowhere", b"HTTP/1.1 302 Found\r\n" + HTML + SIZED, "error: HTTP 302")
_bytes(
    "redirect_to_nothing",
    b"HTTP/1.1 302 Found\r\nLocation:\r\n" + HTML + SIZED,
    "page|nothing|error|filtered",
)
_bytes(
    "redirect_to_control_characters",
    b"HTTP/1.1 302 Found\r\nLocation: http://\x01\x02\xff/\r\n" + HTML + SIZED,
    "page|nothing|error|filtered",
)
_bytes("choices_without_any", b"HTTP/1.1 300 Choices\r\n" + HTML + SIZED, "error: HTTP 300")
_bytes(
    "login_asked", b"HTTP/1.1 401 No\r\nWWW-Authenticate: x\r\n" + HTML + SIZED, "error: HTTP 401"
)
_bytes("proxy_login_asked", b"HTTP/1.1 407 No\r\n" + HTML + SIZED, "error: HTTP 407")

# -- header lines -----------------------------------------------------------------------------

_bytes("bare_line_feeds", PAGE.replace(b"\r\n", b"\n"), "page")
_bytes("bare_carriage_returns", PAGE.replace(b"\r\n", b"\r"), "error: before the head was|status")
_bytes("folded_header", OK + b"X-Fold: a\r\n  b\r\n\tc\r\n" + SIZED, "page")
_bytes("folded_before_any", b"HTTP/1.1 200 OK\r\n  lost\r\n" + HTML + SIZED, "page")
_bytes("line_without_a_colon", OK + b"no colon here\r\n" + SIZED, "page")
_bytes("empty_header_name", OK + b": nothing\r\n" + SIZED, "page")
_bytes("space_before_the_colon", OK + b"X-Odd : a\r\n" + SIZED, "page")
_bytes("bytes_in_a_name", OK + b"X-\xff\x00: a\r\n" + SIZED, "page")
_bytes("bytes_in_a_value", OK + b"X-Odd: \xff\x00\x01\r\n" + SIZED, "page")
_bytes("only_a_colon", OK + b":\r\n" * 20 + SIZED, "page")
_bytes("no_headers", b"HTTP/1.1 200 OK\r\n\r\n" + LINK, "page")
_bytes("no_content_type", b"HTTP/1.1 200 OK\r\n" + SIZED, "page")
_bytes(
    "content_type_garbage",
    b"HTTP/1.1 200 OK\r\nContent-Type: \xff/\x00;;=\r\n" + SIZED,
    "page|nothing",
)
_bytes("content_type_empty", b"HTTP/1.1 200 OK\r\nContent-Type:\r\n" + SIZED, "page")
_bytes("content_type_twice", OK + b"Content-Type: text/plain\r\n" + SIZED, "page|nothing")
_bytes("nul_bytes_in_the_body", OK + b"Connection: close\r\n\r\n\x00" + LINK + b"\x00" * 99, "page")
_bytes("keep_alive_lie", OK + b"Connection: keep-alive\r\nKeep-Alive: max=99\r\n" + SIZED, "page")
_bytes("two_answers", PAGE + b"HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n", "page")
_bytes("garbage_after_the_answer", PAGE + b"\x00garbage" * 100, "page")
_bytes("refresh_header_garbage", OK + b"Refresh: x;;url=\r\n" + SIZED, "page")
_bytes("link_header_garbage", OK + b"Link: <<<>>>;rel=\r\n" + SIZED, "page")
