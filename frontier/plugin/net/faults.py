"""What became of a download that brought no response: the errors, and how they are told apart.

Twisted wraps what happened in up to three exceptions, whose text is for its own developers, and
Scrapy from 2.15 on wraps those. `fault_of` looks for the innermost one that says something, and
gives it as a subclass of what Scrapy raises: errbacks and RETRY_EXCEPTIONS know it by that. What
Scrapy tells clearly itself (refused, not resolved, too late, too large, not whole) stays as it is.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import scrapy.exceptions
from OpenSSL import SSL
from scrapy.exceptions import IgnoreRequest
from scrapy.settings import default_settings
from scrapy.utils.misc import load_object
from twisted.internet.defer import CancelledError
from twisted.internet.error import ConnectionAborted, ConnectionClosed, TimeoutError
from twisted.web._newclient import ResponseFailed, ResponseNeverReceived
from twisted.web.http import _DataLoss

from frontier import errors
from frontier.errors import AddressError, AnswerError, DownloadError, described

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.crawler import Crawler

    from frontier.plugin.net.download_state import DownloadState

# What Scrapy raises; before it had exceptions of its own, it was what Twisted does.
_Failed: Any = getattr(scrapy.exceptions, "DownloadFailedError", ResponseNeverReceived)
_NotWhole: Any = getattr(scrapy.exceptions, "ResponseDataLossError", ResponseFailed)
_TimedOut: Any = getattr(scrapy.exceptions, "DownloadTimeoutError", TimeoutError)
_FAILURES = (_Failed, ResponseFailed)

_LEFT = "the connection was closed in the TLS handshake"
_HUNG_UP = ("unexpected eof", "Unexpected EOF")


class AddressRefusedError(AddressError, IgnoreRequest):
    """The host has no address that may be connected to."""

    def __init__(self, refused: str) -> None:
        super().__init__(
            f"{refused} and is not connected to; FRONTIER_ALLOW_NETWORKS lists networks to allow"
        )


class _SaysWhy(Exception):  # noqa: N818 - mixed in
    """An error whose text is what it is given, with what Twisted keeps in those it stands for."""

    response = None
    reasons: object = ()

    def __init__(self, text: str) -> None:
        Exception.__init__(self, text)

    def __str__(self) -> str:
        return str(self.args[0])


class BadAnswerError(_SaysWhy, AnswerError, _Failed):  # type: ignore[misc]  # see above
    """What came is no answer, and will be none the next time."""


class CertificateError(_SaysWhy, errors.CertificateError, _Failed):  # type: ignore[misc]
    """No TLS connection could be agreed on, and will not the next time."""


class AnswerLostError(_SaysWhy, AnswerError, _Failed):  # type: ignore[misc]
    """The connection ended before the answer did, which may be different the next time."""


class AnswerCutError(_SaysWhy, AnswerError, _NotWhole):  # type: ignore[misc]
    """The body ended before it was announced to, which may be different the next time."""


class SlowAnswerError(_SaysWhy, AnswerError, _TimedOut):  # type: ignore[misc]
    """The answer began, and its head was not complete in time."""


_RETRIED: list[Any] = default_settings.RETRY_EXCEPTIONS
_LASTING = (".DownloadFailedError", ".ResponseFailed")
PASSING: tuple[Any, ...] = (
    *(one for one in _RETRIED if not str(one).endswith(_LASTING)),
    *(AnswerLostError, AnswerCutError),
)
"""For RETRY_EXCEPTIONS: what Scrapy has there, but for servers that speak no HTTP or TLS, and will
not the next time either."""
_FAULTS = (
    DownloadError,
    getattr(scrapy.exceptions, "DownloadCancelledError", DownloadError),
    # Not OSError, which stands there as a class: it may come from a middleware of the project.
    *(load_object(one) for one in _RETRIED if isinstance(one, str)),
)
_crawlers: WeakSet[Crawler] = WeakSet()


def tell_briefly(crawler: Crawler) -> None:
    """Have failed downloads of a crawl logged in one line that says what happened.

    Scrapy logs them with tracebacks, which lead through its own frames and Twisted's.
    """
    _crawlers.add(crawler)
    logging.getLogger("scrapy.core.scraper").addFilter(_brief)


def _brief(record: logging.LogRecord) -> bool:
    crawler = getattr(getattr(record, "spider", None), "crawler", None)
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, _FAULTS) and crawler in _crawlers:
        record.exc_info = None
        said = " ".join(described(error).split())
        record.msg, record.args = f"{record.getMessage()}: {said}", ()
    return True


def fault_of(error: Exception, watch: DownloadState) -> Exception:
    """The error that says what happened; `error` itself where that says it."""
    if watch.refused is not None:
        return AddressRefusedError(watch.refused)
    if isinstance(error, _TimedOut) and watch.answered and not watch.headed:
        return SlowAnswerError(f"its head was not complete after {watch.seconds:g} seconds")
    causes = list(_causes(error))
    if not isinstance(error, _FAILURES) or any(isinstance(one, _DataLoss) for one in causes):
        return error
    found = _handshake_fault(causes, watch) or _answer_fault(causes, watch) or error
    if isinstance(found, _SaysWhy):
        found.reasons = next((one.reasons for one in causes if isinstance(one, ResponseFailed)), ())
    return found


def _handshake_fault(causes: list[BaseException], watch: DownloadState) -> Exception | None:
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
    return all(_is_usual(one) and not isinstance(one, CancelledError) for one in causes)


def _openssl_text(error: SSL.Error) -> str:
    reasons = error.args[0] if error.args and isinstance(error.args[0], list) else []
    return ", ".join(reason[-1] for reason in reasons) or "the TLS handshake failed"


def _answer_fault(causes: list[BaseException], watch: DownloadState) -> Exception | None:
    odd = next((one for one in causes if not _is_usual(one)), None)
    if odd is not None:
        text = str(odd) if isinstance(odd, AnswerError) else f"{type(odd).__name__}: {odd}"
        # What was left over from the answer before may be to blame.
        return AnswerLostError(text) if watch.reused else BadAnswerError(text)
    if any(isinstance(one, CancelledError) for one in causes):
        return None
    if watch.answered:
        return AnswerLostError("the connection was closed before the head was complete")
    return AnswerLostError("the connection was closed without an answer")


_BROKEN = (ResponseFailed, ResponseNeverReceived, ConnectionClosed, ConnectionAborted)


def _is_usual(cause: BaseException) -> bool:
    # Ours are Twisted's as well up to Scrapy 2.14.
    return isinstance(cause, (*_BROKEN, CancelledError)) and not isinstance(cause, AnswerError)


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
