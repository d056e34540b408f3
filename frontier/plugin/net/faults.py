"""What became of a download that brought no response: the errors, and how they are told apart.

Twisted wraps what happened in up to three exceptions, whose text is for its own developers, and
Scrapy from 2.14 on wraps those. `fault_of` looks for the innermost one that says something. The
class decides what Scrapy's RetryMiddleware does: of these it knows `AnswerLostError` only, so that
a server that speaks no HTTP, or an address that is refused, is not asked three times.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import scrapy.exceptions
from OpenSSL import SSL
from scrapy.exceptions import IgnoreRequest
from twisted.internet.defer import CancelledError
from twisted.internet.error import (
    ConnectionAborted,
    ConnectionClosed,
    ConnectionLost,
    TimeoutError,
)
from twisted.web._newclient import ResponseFailed, ResponseNeverReceived

from frontier.errors import AddressError, AnswerError, CertificateError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from frontier.plugin.net.watch import Watch

# Scrapy 2.14 and newer has one of its own.
_TIMEOUTS = (TimeoutError, getattr(scrapy.exceptions, "DownloadTimeoutError", TimeoutError))
_LEFT = "the connection was closed in the TLS handshake"
_HUNG_UP = ("unexpected eof", "Unexpected EOF")
_OURS = "FRONTIER_ALLOW_NETWORKS lists networks to allow"


class AddressRefusedError(AddressError, IgnoreRequest):
    """The host has no address that may be connected to."""

    def __init__(self, refused: str) -> None:
        super().__init__(f"{refused} and is not connected to; {_OURS}")


class BadAnswerError(AnswerError):
    """What came is no answer, and will be none the next time."""


class AnswerLostError(AnswerError, ConnectionLost):
    """The connection ended before the answer did, which may be different the next time."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


def fault_of(error: Exception, watch: Watch) -> Exception:
    """The error that says what happened; `error` itself where that says it."""
    if watch.refused is not None:
        return AddressRefusedError(watch.refused)
    if isinstance(error, AddressError):
        return error
    if isinstance(error, _TIMEOUTS) and watch.answered:
        return BadAnswerError(f"its head was not complete after {watch.seconds:g} seconds")
    causes = list(_causes(error))
    return _handshake_fault(causes, watch) or _answer_fault(causes, watch) or error


def _handshake_fault(causes: list[BaseException], watch: Watch) -> Exception | None:
    found = next((one for one in causes if isinstance(one, SSL.Error)), None)
    if found is None:
        return AnswerLostError(_LEFT) if watch.in_handshake and _is_lost(causes) else None
    if isinstance(found, SSL.SysCallError):
        return AnswerLostError(_LEFT)
    text = watch.certificate or _openssl_text(found)
    if any(one in text for one in _HUNG_UP):
        return AnswerLostError(_LEFT)
    return CertificateError(text)


def _is_lost(causes: list[BaseException]) -> bool:
    return all(isinstance(one, _USUAL) and not isinstance(one, CancelledError) for one in causes)


def _openssl_text(error: SSL.Error) -> str:
    reasons = error.args[0] if error.args and isinstance(error.args[0], list) else []
    return ", ".join(reason[-1] for reason in reasons) or "the TLS handshake failed"


def _answer_fault(causes: list[BaseException], watch: Watch) -> Exception | None:
    if not any(isinstance(one, ResponseFailed) for one in causes):
        return None
    odd = next((one for one in causes if not isinstance(one, _USUAL)), None)
    if odd is not None:
        text = str(odd) if isinstance(odd, AnswerError) else f"{type(odd).__name__}: {odd}"
        # What was left over from the answer before may be to blame.
        return AnswerLostError(text) if watch.reused else BadAnswerError(text)
    if any(isinstance(one, CancelledError) for one in causes):
        return None
    if watch.answered:
        return AnswerLostError("the connection was closed before the head was complete")
    return AnswerLostError("the connection was closed without an answer")


_USUAL = (
    ResponseFailed,
    ResponseNeverReceived,
    ConnectionClosed,
    ConnectionAborted,
    CancelledError,
)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An exception and all that it wraps, outermost first."""
    if isinstance(error.__context__, SSL.Error):
        # Twisted stumbles over OpenSSL's errors that say nothing.
        yield error.__context__
    reasons = getattr(error, "reasons", None)
    if type(error).__module__.partition(".")[0] != "scrapy" or error.__cause__ is None:
        yield error
    else:
        yield from _causes(error.__cause__)
    for failure in reasons or ():
        yield from _causes(failure.value)
