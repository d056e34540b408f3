"""Bodies of records and sitemaps as texts."""

from __future__ import annotations

import gzip
import random
import zlib

import brotli
import pytest

from frontier.parsing.bodies import decoded, unpacked

TEXT = b"<p>text</p>" * 50


@pytest.mark.parametrize(
    ("body", "content_type", "text"),
    [
        ("größe".encode(), "", "größe"),
        ("größe".encode("cp1252"), "text/html; charset=iso-8859-1", "größe"),
        ("größer als".encode("cp1252"), "", "größer als"),
        ('<meta charset="koi8-r">страница'.encode("koi8-r"), "text/html", None),
        (b"\xef\xbb\xbf" + "größe".encode(), "text/html; charset=koi8-r", "größe"),
        ("größe".encode(), "text/html; charset=rot13", "größe"),
        (b"ab\xff", "text/html; charset=utf-8", "ab\ufffd"),
        (b"", "", ""),
    ],
)
def test_charset_is_found_in_scrapys_order(
    body: bytes, content_type: str, text: str | None
) -> None:
    assert decoded(body, content_type)[0] == (text or body.decode("koi8-r"))


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
