from __future__ import annotations

import gzip
import random
import zlib

import brotli
import pytest

from frontier.warc.payload import playable, split_message, status_of, unpacked

HTML = b"<html><body>" + b"word " * 50 + b"</body></html>"


def chunked(body: bytes, size: int = 7) -> bytes:
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(one), one) for one in pieces) + b"0\r\n\r\n"


@pytest.mark.parametrize(
    ("coding", "encoded"),
    [
        ("gzip", gzip.compress(HTML, mtime=0)),
        ("x-gzip", gzip.compress(HTML, mtime=0)),
        ("deflate", zlib.compress(HTML)),
        ("deflate", zlib.compress(HTML)[2:-4]),
        ("br", b"\x1b\x39\x01\x00\x8c\x94\xff"),
        ("zstd", b"\x28\xb5\x2f\xfd rest"),
        ("br, gzip", gzip.compress(HTML, mtime=0)),
    ],
)
def test_content_encoding_is_kept_while_the_body_is_encoded(coding: str, encoded: bytes) -> None:
    headers = [("Content-Encoding", coding)]
    assert playable(headers, encoded) == (headers, encoded)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd", "GZIP"])
@pytest.mark.parametrize("body", [HTML, b""])
def test_content_encoding_goes_when_the_body_was_stored_decoded(coding: str, body: bytes) -> None:
    assert playable([("Content-Encoding", coding), ("X", "y")], body) == ([("X", "y")], body)


def test_hop_by_hop_fields_go_and_all_others_stay_in_their_order() -> None:
    headers = [
        ("Set-Cookie", "a=1"),
        ("Connection", "close, X-Hop"),
        ("X-Hop", "1"),
        ("Content-Length", "3"),
        ("Set-Cookie", "b=2"),
        ("Transfer-Encoding", "chunked"),
        ("Keep-Alive", "timeout=5"),
    ]
    kept, body = playable(headers, chunked(HTML))
    assert kept == [("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")]
    assert body == HTML


@pytest.mark.parametrize(
    ("block", "status"),
    [
        (b"HTTP/1.1 200 OK\r\n", 200),
        (b"HTTP/1.0 404\r\n", 404),
        (b"HTTP/2 301 \r\n", 301),
        (b"HTTP/1.1 200", 200),
        (b"ICY 200 OK\r\n", None),
        (b"", None),
    ],
)
def test_status_line(block: bytes, status: int | None) -> None:
    assert status_of(block) == status


def test_a_message_is_split_into_reason_fields_and_body() -> None:
    block = b"HTTP/1.1 200 All right\r\nA: 1\r\nB: two\r\n  lines\r\nno colon\r\n\r\nbody\r\n\r\n"
    assert split_message(block) == (
        "All right",
        [("A", "1"), ("B", "two lines")],
        b"body\r\n\r\n",
    )


def test_bare_line_feeds_end_lines_too() -> None:
    assert split_message(b"HTTP/1.0 200 OK\nA: 1\n\nbody") == ("OK", [("A", "1")], b"body")


TEXT = b"<p>text</p>" * 50


@pytest.mark.parametrize(
    ("body", "codings"),
    [
        (TEXT, []),
        (gzip.compress(TEXT), ["gzip"]),
        (gzip.compress(TEXT[:100]) + gzip.compress(TEXT[100:]), ["x-gzip"]),
        (zlib.compress(TEXT), ["deflate"]),
        (zlib.compress(TEXT)[2:-4], ["deflate"]),
        (brotli.compress(TEXT), ["br"]),
        (brotli.compress(gzip.compress(TEXT)), ["gzip", "br"]),
        (TEXT, ["gzip"]),
        (TEXT, ["nosuch"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "body",
)
def test_content_codings_are_undone(body: bytes, codings: list[str]) -> None:
    assert unpacked(body, codings, 10_000) == TEXT


def test_a_bomb_is_unpacked_up_to_the_bound() -> None:
    bomb = gzip.compress(gzip.compress(bytes(50_000_000)))
    assert unpacked(bomb, ["gzip", "gzip"], 1_000) == bytes(1_000)


def test_of_a_body_that_breaks_off_its_beginning_is_left() -> None:
    whole = random.Random(1).randbytes(100_000)
    cut = unpacked(gzip.compress(whole)[:-20_000], ["gzip"], 10**6)
    assert cut
    assert whole.startswith(cut)
