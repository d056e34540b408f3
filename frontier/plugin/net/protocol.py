"""Answers as servers write them: read as far as they can be, bounded in every direction.

Twisted's parser reads an endless head into memory, waits for the end of what is no HTTP at all,
and fails on a line that browsers skip. Its subclass here

* takes a head of at most `HEAD_BYTES` in `HEAD_LINES` lines, and `INTERIM` answers before it;
* gives up with the first bytes that cannot begin an answer;
* skips header lines that are none, and lengths that are no number (the body ends with the
  connection then), as browsers do;
* cuts a body at the size and at the time its `DownloadState` sets, and where its chunks make no
  sense, and hands over what came;
* leaves no connection to the next request on which something odd was said.

A `__class__` is set where Twisted creates its parser itself; the attributes have class defaults.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.core.downloader.handlers import http11
from twisted.internet.protocol import Factory
from twisted.python.failure import Failure
from twisted.web._newclient import BODY, DONE, HEADER, HTTP11ClientProtocol, HTTPClientParser
from twisted.web.http import PotentialDataLoss

from frontier.plugin.net.chunks import ChunkError, LenientChunks
from frontier.plugin.net.download_state import DownloadState
from frontier.plugin.net.faults import BadAnswerError
from frontier.plugin.net.tls import certificate_fault

if TYPE_CHECKING:
    from collections.abc import Callable

    from twisted.internet.defer import Deferred

HEAD_BYTES = 128 * 1024
"""Half of what browsers take; the largest heads of honest sites have some 30 KiB."""
HEAD_LINES = 1000
INTERIM = 16
LINGER = 5.0
"""Seconds that a server has to agree that a connection is closed: some never do."""
TINY = 1 << 16
"""Bytes of a chunked body from which on its framing must not be most of it."""

_PREFIX = b"HTTP/"
_STATUS = re.compile(rb"(HTTP/\d\.\d|HTTP/\d)[ \t]+([1-9]\d\d)(?:[ \t]+(.*))?", re.I | re.S)
_LENGTHS = re.compile(rb"\d{1,18}(?:[ \t]*,[ \t]*\d{1,18})*")

# Twisted's parser is not typed.
_Parser: Any = HTTPClientParser
# Scrapy 2.17 and newer notes certificate and address of answers without a body there.
_Protocol: Any = getattr(http11, "_LenientHTTP11ClientProtocol", HTTP11ClientProtocol)


class GuardedParser(_Parser):  # type: ignore[misc]  # see above
    """Reads one answer."""

    MAX_LENGTH = HEAD_BYTES
    _transferDecoders: ClassVar[dict[bytes, Any]] = {b"chunked": LenientChunks}
    watch: DownloadState
    abort: Callable[[], None]
    state: str
    bodyDecoder: Any
    _opening = b""
    _head = 0
    _lines = 0
    _interim = 0
    _wire = 0
    _body = 0
    _pieces: list[bytes] | None = None

    def dataReceived(self, data: bytes) -> None:
        self.watch.answered = True
        if len(self._opening) < len(_PREFIX):
            begun = self._opening + data[:20]
            self._opening = begun[: len(_PREFIX)]
            if not _PREFIX.startswith(self._opening.upper()):
                raise BadAnswerError(f"it is no HTTP: it begins with {begun!r}")
        super().dataReceived(data)

    def lineLengthExceeded(self, line: bytes) -> None:
        raise BadAnswerError(f"its head has a line of more than {HEAD_BYTES} bytes")

    def lineReceived(self, line: bytes) -> None:
        self._head += len(line) + 1
        self._lines += 1
        if self._head > HEAD_BYTES or self._lines > HEAD_LINES:
            raise BadAnswerError(f"its head has more than {HEAD_BYTES} bytes or {HEAD_LINES} lines")
        if self.state != HEADER or not self._is_no_header(line):
            super().lineReceived(line)

    def _is_no_header(self, line: bytes) -> bool:
        if not line.rstrip(b"\r"):
            return False
        if line[0] in b" \t":
            return self._partialHeader is None
        return b":" not in line

    def statusReceived(self, status: bytes) -> None:
        found = _STATUS.fullmatch(status)
        if found is None:
            raise BadAnswerError(f"its status line is {status[:60]!r}")
        if found[2] == b"101":
            raise BadAnswerError("it changes the protocol unasked")
        if found[2][:1] == b"1":
            self._interim += 1
            if self._interim > INTERIM:
                raise BadAnswerError(f"more than {INTERIM} interim answers come before it")
        version = found[1] if b"." in found[1] else b"HTTP/1.1"
        super().statusReceived(b" ".join((version, found[2], found[3] or b"")))

    def headerReceived(self, name: bytes, value: bytes) -> None:
        name = name.strip().lower()
        if name == b"content-length" and not _LENGTHS.fullmatch(value):
            return
        if name == b"transfer-encoding" and value.lower() in (b"", b"identity"):
            return
        with suppress(ValueError):  # a name that Twisted does not take
            super().headerReceived(name, value)

    def allHeadersReceived(self) -> None:
        interim = self.response.code < 200
        if self.response.code in self.NO_BODY_CODES and self._announces_body():
            self.request.persistent = False
        try:
            super().allHeadersReceived()
        except KeyError as encoding:
            raise BadAnswerError(f"its transfer encoding is {encoding}") from None
        except ValueError as reason:
            raise BadAnswerError(f"its length is not clear: {reason}") from None
        self.watch.headed = not interim
        if not interim and self.state == BODY:
            self._gather()

    def _announces_body(self) -> bool:
        lengths = self.connHeaders.getRawHeaders(b"content-length", [b"0"])
        encoded: bool = self.connHeaders.hasHeader(b"transfer-encoding")
        return encoded or lengths != [b"0"]

    def _gather(self) -> None:
        """Have the pieces of a chunked body come together: each costs Scrapy a round of signals."""
        if self.connHeaders.hasHeader(b"transfer-encoding"):
            self._pieces = []
            self.bodyDecoder.dataCallback = self._pieces.append

    def rawDataReceived(self, data: bytes) -> None:
        if self.state == DONE:
            return
        if self.watch.is_late():
            self.watch.expire()
            return
        limit = self.watch.limit
        self._wire += len(data)
        excess = self._wire - limit if limit else 0
        try:
            super().rawDataReceived(data[: len(data) - excess] if excess > 0 else data)
        except ChunkError as fault:
            self._deliver()
            if not self.watch.cuts:
                raise
            self.cut_body(f"{fault}")
        else:
            self._deliver()
        if excess > 0:
            self.cut_body(f"longer than {limit} bytes")
        elif self.watch.cuts and self._frames_only():
            self.cut_body("its chunks are too small")

    def _frames_only(self) -> bool:
        return self._pieces is not None and self._wire > max(TINY, 4 * self._body)

    def _deliver(self) -> None:
        if self._pieces:
            piece = b"".join(self._pieces)
            self._pieces.clear()
            self._body += len(piece)
            self.response._bodyDataReceived(piece)

    def _finished(self, rest: bytes) -> None:
        self._deliver()
        if rest:
            self.request.persistent = False
        super()._finished(rest)

    def cut_body(self, reason: str) -> None:
        """End the body here, if it is being received, and the connection."""
        if self.state != BODY:
            return
        self.watch.cut = reason
        self.state = DONE
        self.bodyDecoder = None
        not_all: Any = Failure
        self.response._bodyDataFinished(not_all(PotentialDataLoss()))
        self.abort()


class GuardedProtocol(_Protocol):  # type: ignore[misc]  # which one depends on Scrapy's version
    """One connection, which carries one request after the other."""

    watch: DownloadState | None = None
    _closing: Any = None

    def request(self, request: Any) -> Deferred[Any]:
        answer: Deferred[Any] = super().request(request)
        parser: Any = self._parser
        if parser is not None:
            parser.__class__ = GuardedParser
            parser.watch = self.watch = self.watch or DownloadState()
            parser.abort = self.transport.abortConnection
            self.watch.parser = parser
            answer.addCallback(self._note_certificate, self.watch)
        return answer

    def _note_certificate(self, answer: Any, watch: DownloadState) -> Any:
        watch.certificate = fault_of(self.transport)
        return answer

    def _giveUp(self, reason: Failure) -> None:
        super()._giveUp(reason)
        self.part()

    def part(self) -> None:
        """Close the connection, if need be without the server's consent."""
        from twisted.internet import reactor

        self.transport.loseConnection()
        if self._closing is None and self._state != "CONNECTION_LOST":
            timer: Any = reactor
            self._closing = timer.callLater(LINGER, self.transport.abortConnection)

    def connectionLost(self, reason: Failure) -> None:
        if self._closing is not None and self._closing.active():
            self._closing.cancel()
        if self.watch is not None:
            self.watch.certificate = self.watch.certificate or fault_of(self.transport)
            self.watch.in_handshake = is_in_handshake(self.transport)
        super().connectionLost(reason)


class GuardedFactory(Factory):
    """Builds the protocols of `pool.GuardedPool`."""

    noisy = False

    def __init__(self, quiescent: Callable[[Any], None], metadata: object) -> None:
        self._quiescent = quiescent

    def buildProtocol(self, address: object) -> GuardedProtocol:
        return GuardedProtocol(self._quiescent)


def fault_of(transport: Any) -> str | None:
    """What is wrong with the certificate that a connection's server showed."""
    try:
        return certificate_fault(transport.getHandle())
    except AttributeError:  # closed, and there was no TLS
        return None


def is_in_handshake(transport: Any) -> bool:
    """Whether a connection has begun to agree on TLS, and has not finished."""
    try:
        return transport.getHandle().get_peer_finished() is None
    except AttributeError:  # closed, or no TLS
        return False
