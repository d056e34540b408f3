"""Content encodings: undone up to a size, and what is left of broken ones."""

from __future__ import annotations

import gzip
import random
import zlib

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.errors import PageError
from frontier.parsing.decompress import Decompressed, unpack

TEXT = b"<p>some text</p>" * 100
NOISE = random.Random(1).randbytes(50_000)


def test_encodings_are_undone_from_the_last_to_the_first() -> None:
    body = brotli.compress(zlib.compress(gzip.compress(TEXT)))
    assert unpack(body, ["gzip", "deflate", "br"], 1 << 20) == Decompressed(TEXT)


def test_deflate_without_its_header_is_undone() -> None:
    assert unpack(zlib.compress(TEXT)[2:-4], ["deflate"], 1 << 20).body == TEXT


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br"])
def test_bomb_is_cut(coding: str) -> None:
    pack = {"gzip": gzip.compress, "deflate": zlib.compress, "br": brotli.compress}[coding]
    found = unpack(pack(b"a" * (1 << 22)), [coding], 100_000)
    assert found == Decompressed(b"a" * 100_000, "more than 100000 bytes unpacked")


def test_bomb_within_a_bomb_is_cut_at_each_layer() -> None:
    body = gzip.compress(gzip.compress(bytes(1 << 22)))
    assert len(unpack(body, ["gzip", "gzip"], 5_000).body) == 5_000


def test_what_came_before_the_end_is_kept() -> None:
    found = unpack(gzip.compress(NOISE)[:30_000], ["gzip"], 1 << 20)
    assert NOISE.startswith(found.body)
    assert len(found.body) > 20_000
    assert found.cut == "the gzip encoding breaks off: it is truncated"


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_a_wrong_checksum_takes_nothing_away(coding: str) -> None:
    pack = {"gzip": gzip.compress, "deflate": zlib.compress}[coding]
    found = unpack(pack(TEXT)[:-4] + b"\0" * 4, [coding], 1 << 20)
    assert found.body == TEXT
    assert "incorrect" in found.cut


def test_members_are_joined_and_rubbish_behind_them_is_left() -> None:
    body = gzip.compress(b"a") + gzip.compress(b"b") + b"rubbish"
    assert unpack(body, ["gzip"], 99) == Decompressed(b"ab")


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd", "identity", "nosuch"])
def test_text_that_is_not_packed_is_taken_as_it_is(coding: str) -> None:
    assert unpack(TEXT, [coding], 1 << 20).body == TEXT


def test_bytes_that_are_neither_packed_nor_text_are_refused() -> None:
    with pytest.raises(PageError, match="cannot be decoded"):
        unpack(b"\1\2\3" * 99, ["gzip"], 99)


def test_too_many_layers_are_refused() -> None:
    with pytest.raises(PageError, match="at most 4"):
        unpack(b"", ["gzip"] * 5, 99)


@given(
    st.binary(max_size=200),
    st.lists(st.sampled_from(["gzip", "deflate", "br", "zstd", "x"]), max_size=4),
    st.booleans(),
)
def test_any_bytes_are_unpacked_within_the_bound_or_refused(
    body: bytes, codings: list[str], packed: bool
) -> None:
    try:
        found = unpack(gzip.compress(body) if packed else body, codings, 300)
    except PageError:
        return
    assert len(found.body) <= 300
