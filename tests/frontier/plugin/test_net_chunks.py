"""Chunked bodies: what is read of them, and where reading ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twisted.web.http import _DataLoss

from frontier.plugin.net.chunks import LINE_BYTES, TRAILER_BYTES, ChunkError, LenientChunks


class Received:
    """What a decoder made of bytes that came in pieces of `size`."""

    def __init__(self, data: bytes, size: int = 1 << 20) -> None:
        self.body = b""
        self.rest: bytes | None = None
        self.decoder = LenientChunks(self._more, self._end)
        for at in range(0, len(data), size):
            if self.rest is None:
                self.decoder.dataReceived(data[at : at + size])

    def _more(self, piece: bytes) -> None:
        self.body += piece

    def _end(self, rest: bytes) -> None:
        self.rest = rest


@pytest.mark.parametrize(
    "data",
    [
        b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
        b"3\nabc\n2\nde\n0\n\n",
        b"3 \r\nabc\r\n2\t\r\nde\r\n0 \r\n\r\n",
        b"003;x=y\r\nabc\r\n2 ; z\r\nde\r\n000\r\nTrailer: t\r\nAnother: u\r\n\r\n",
    ],
)
@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_chunks_are_read_however_they_come(data: bytes, size: int) -> None:
    found = Received(data, size)
    assert (found.body, found.rest) == (b"abcde", b"")
    found.decoder.noMoreData()


def test_what_comes_after_the_end_is_handed_on() -> None:
    assert Received(b"1\r\na\r\n0\r\n\r\nHTTP/1.1 200 OK").rest == b"HTTP/1.1 200 OK"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"zz\r\n", "begins with b'zz'"),
        (b"-1\r\n", "begins with b'-1'"),
        (b"0x1\r\na", "begins with b'0x1'"),
        (b"1_0\r\na", "begins with b'1_0'"),
        (b"\r\n1\r\na", "begins with b''"),
        (b"f" * 16 + b"\r\n", "begins with b'ffff"),
        (b"1\r\nab\r\n", "longer than it says, by b'b"),
        (b"0" * LINE_BYTES, "more than 4096 bytes"),
        (b"0\r\n" + b"t: u\r\n" * (TRAILER_BYTES // 6 + 1), "of trailers"),
    ],
)
def test_what_is_no_chunk_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(ChunkError, match=reason):
        Received(data)


@pytest.mark.parametrize("data", [b"", b"3", b"3\r\nab", b"1\r\na\r\n", b"0\r\n", b"0\r\nt: u\r\n"])
def test_an_end_that_has_not_come_is_a_loss(data: bytes) -> None:
    with pytest.raises(_DataLoss):
        Received(data).decoder.noMoreData()


@given(st.binary(max_size=60), st.integers(1, 9))
def test_nothing_else_is_raised_and_pieces_make_no_difference(data: bytes, size: int) -> None:
    found = []
    for step in (size, 100):
        try:
            one = Received(data, step)
            found.append(one.body if one.rest is None else (one.body, "end"))
        except ChunkError as fault:
            found.append(type(fault).__name__)
    assert found[0] == found[1]
