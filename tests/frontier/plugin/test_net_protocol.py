from __future__ import annotations

from typing import Any

import pytest
import scrapy.exceptions
from hypothesis import given
from hypothesis import strategies as st
from scrapy.utils.misc import load_object
from twisted.internet.error import ConnectionDone
from twisted.internet.protocol import Protocol
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure
from twisted.web._newclient import Request, ResponseFailed
from twisted.web.http_headers import Headers

from frontier.errors import AnswerError
from frontier.plugin.net.download_state import DownloadState
from frontier.plugin.net.faults import (
    PASSING,
    AnswerCutError,
    AnswerLostError,
    BadAnswerError,
    CertificateError,
    SlowAnswerError,
    fault_of,
)
from frontier.plugin.net.protocol import HEAD_BYTES, GuardedProtocol


class Body(Protocol):
    def __init__(self) -> None:
        self.data = b""
        self.ended: Failure | None = None

    def dataReceived(self, data: bytes) -> None:
        self.data += data

    def connectionLost(self, reason: Failure) -> None:  # type: ignore[override]
        self.ended = reason


class Transport(StringTransport):
    def abortConnection(self) -> None:
        self.aborting = True


class Exchange:
    """One request over a connection that exists on paper only."""

    def __init__(self, watch: DownloadState | None = None) -> None:
        self.watch = watch or DownloadState()
        self.idle: list[Any] = []
        self.protocol = GuardedProtocol(self.idle.append)
        self.protocol.watch = self.watch
        self.transport = Transport()
        self.protocol.makeConnection(self.transport)
        self.answer: Any = None
        self.error: Any = None
        self.body = Body()
        headers = Headers({b"host": [b"x"]})
        request = Request(b"GET", b"/", headers, None, persistent=True)
        self.protocol.request(request).addCallbacks(self._answered, self._failed)

    def _answered(self, answer: Any) -> None:
        self.answer = answer
        answer.deliverBody(self.body)

    def _failed(self, failure: Failure) -> None:
        self.error = fault_of(failure.value, self.watch)

    def receive(self, *pieces: bytes) -> Exchange:
        for piece in pieces:
            if not self.transport.disconnecting and not hasattr(self.transport, "aborting"):
                self.protocol.dataReceived(piece)
        return self

    def end(self) -> Exchange:
        closing = self.protocol._closing
        if closing is not None and closing.active():
            closing.cancel()
        self.protocol.connectionLost(Failure(ConnectionDone()))
        return self


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


def test_a_proper_answer_leaves_its_connection_for_the_next() -> None:
    exchange = Exchange().receive(HEAD + b"Content-Length: 2\r\n\r\nok")
    assert exchange.body.data == b"ok"
    assert exchange.idle == [exchange.protocol]
    assert exchange.watch.cut is None


@pytest.mark.parametrize(
    "answer",
    [
        HEAD + b"Content-Length: 2\r\n\r\nokmore",
        CHUNKED + b"2\r\nok\r\n0\r\n\r\nmore",
        b"HTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\n",
        b"HTTP/1.1 204 No\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"HTTP/1.1 304 Not\r\nContent-Length: 5\r\n\r\nhello",
    ],
)
def test_a_connection_on_which_more_was_said_or_announced_carries_no_other(answer: bytes) -> None:
    exchange = Exchange().receive(answer)
    assert exchange.answer is not None
    assert exchange.idle == []
    exchange.end()


def test_a_body_is_cut_at_the_limit_and_handed_over() -> None:
    exchange = Exchange(DownloadState(limit=10)).receive(
        HEAD + b"\r\n", b"x" * 8, b"y" * 8, b"z" * 8
    )
    assert exchange.body.data == b"xxxxxxxxyy"
    assert exchange.watch.cut == "longer than 10 bytes"
    assert exchange.body.ended is not None
    assert exchange.transport.aborting


def test_a_body_as_long_as_the_limit_is_whole() -> None:
    exchange = Exchange(DownloadState(limit=10)).receive(
        HEAD + b"Content-Length: 10\r\n\r\n" + b"x" * 10
    )
    assert exchange.body.data == b"x" * 10
    assert exchange.watch.cut is None


def test_a_body_is_cut_when_the_time_is_over() -> None:
    exchange = Exchange(DownloadState(seconds=3, cuts=True)).receive(HEAD + b"\r\nsome")
    exchange.watch.expire()
    assert exchange.body.data == b"some"
    assert exchange.watch.cut == "the answer took longer than 3 seconds"
    exchange.watch.expire()


def test_a_head_has_nothing_to_be_cut_when_the_time_is_over() -> None:
    exchange = Exchange().receive(HEAD)
    exchange.watch.expire()
    assert exchange.watch.cut is None
    exchange.end()
    assert isinstance(exchange.error, AnswerLostError)


def test_pieces_of_a_chunked_body_come_together() -> None:
    received: list[bytes] = []
    exchange = Exchange()
    exchange.receive(CHUNKED)
    exchange.body.dataReceived = received.append  # type: ignore[method-assign]
    exchange.receive(b"1\r\na\r\n" * 50, b"1\r\nb\r\n" * 50 + b"0\r\n\r\n")
    assert received == [b"a" * 50, b"b" * 50]


def test_what_came_before_a_broken_chunk_is_handed_over() -> None:
    exchange = Exchange().receive(CHUNKED + b"2\r\nok\r\nzz\r\n")
    assert exchange.body.data == b"ok"
    exchange.end()


def test_a_head_may_be_large_but_not_endless() -> None:
    line = b"X-Line: " + b"a" * 1000 + b"\r\n"
    fits = (HEAD_BYTES - 200) // len(line)
    assert Exchange().receive(HEAD + line * fits + b"\r\n").answer is not None
    exchange = Exchange().receive(HEAD, *[line] * 2 * fits).end()
    assert isinstance(exchange.error, BadAnswerError)


@pytest.mark.parametrize("first", [b"\x00", b"<", b"HT!", b"\r\n", b"SSH-2.0", b"HTTP"[::-1]])
def test_what_is_no_http_is_given_up_with_the_first_bytes(first: bytes) -> None:
    exchange = Exchange().receive(first)
    assert isinstance(exchange.error, BadAnswerError)
    exchange.end()


def test_garbage_on_a_used_connection_may_be_left_over_from_before() -> None:
    exchange = Exchange(DownloadState(reused=True)).receive(b"left over")
    assert isinstance(exchange.error, AnswerLostError)
    exchange.end()


def test_a_slow_prefix_is_waited_for() -> None:
    exchange = Exchange().receive(*[bytes([one]) for one in HEAD + b"Content-Length: 0\r\n\r\n"])
    assert exchange.answer.code == 200


SNIPPETS = st.sampled_from(
    [
        b"HTTP/1.1 200 OK\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\n",
        b"HTTP/1.0 204 No\n",
        b"Content-Length: 5\r\n",
        b"Content-Length: -1\r\n",
        b"Transfer-Encoding: chunked\r\n",
        b"Transfer-Encoding: x\r\n",
        b"Connection: close\r\n",
        b" folded\r\n",
        b"\r\n",
        b"\n",
        b"5\r\nhello\r\n",
        b"0\r\n\r\n",
        b"hello",
    ]
)


@given(st.lists(st.one_of(st.binary(max_size=20), SNIPPETS), max_size=12), st.integers(0, 20))
def test_whatever_is_sent_every_request_ends_and_no_body_exceeds_the_limit(
    pieces: list[bytes], limit: int
) -> None:
    exchange = Exchange(DownloadState(limit=limit)).receive(*pieces).end()
    if exchange.answer is None:
        assert isinstance(exchange.error, AnswerError)
    else:
        assert exchange.body.ended is not None
        assert not limit or len(exchange.body.data) <= limit


def test_a_body_is_cut_on_time_though_the_timer_is_late() -> None:
    exchange = Exchange(DownloadState(seconds=3, cuts=True)).receive(HEAD + b"\r\nsome")
    exchange.watch.began -= 2.98
    exchange.receive(b"more", b"and more")
    assert exchange.body.data == b"some"
    assert exchange.watch.cut == "the answer took longer than 3 seconds"


def test_nothing_is_cut_of_what_others_download() -> None:
    exchange = Exchange(DownloadState(seconds=3)).receive(HEAD + b"\r\nsome")
    exchange.watch.began -= 100
    exchange.receive(b"more")
    assert exchange.body.data == b"somemore"
    assert exchange.watch.cut is None


def test_a_chunk_that_is_none_is_a_loss_for_others() -> None:
    exchange = Exchange().receive(CHUNKED + b"2\r\nok\r\nzz\r\n")
    assert exchange.body.data == b"ok"
    exchange.end()
    assert exchange.body.ended is not None
    assert exchange.body.ended.check(ResponseFailed)


def test_faults_are_those_of_scrapy() -> None:
    plain = getattr(scrapy.exceptions, "DownloadFailedError", ResponseFailed)
    for kind in (AnswerLostError, BadAnswerError, CertificateError):
        assert issubclass(kind, plain)
    assert issubclass(
        SlowAnswerError, getattr(scrapy.exceptions, "DownloadTimeoutError", Exception)
    )


def test_what_may_pass_is_retried_and_what_will_not_is_not() -> None:
    passing = tuple(load_object(one) for one in PASSING)
    assert all(issubclass(one, passing) for one in (AnswerLostError, AnswerCutError))
    assert issubclass(SlowAnswerError, passing)
    assert not any(issubclass(one, passing) for one in (BadAnswerError, CertificateError))
