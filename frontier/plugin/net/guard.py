"""Connections to allowed addresses only, whatever library a download handler connects with.

A handler keeps its own code. When it has been made, its library is given a check of the very
address that it is about to connect to, so that no later answer of the DNS can differ: in Twisted's
`connectTCP` for HTTP/1.1 and HTTP/2, in the sockets of aiohttp, in the connections of httpx. A
proxy is the user's choice and may have any address; only the host of the URL is checked before.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from contextlib import suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from scrapy import signals
from scrapy.utils.httpobj import urlparse_cached
from twisted.internet.defer import fail
from twisted.internet.endpoints import TCP4ClientEndpoint
from twisted.internet.interfaces import IReactorPluggableNameResolver
from zope.interface import implementer

from frontier.plugin import compat
from frontier.plugin.failures import AddressRefusedError
from frontier.plugin.settings import allowed_networks
from frontier.urls.addresses import REASON, AddressGuard, as_address

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Iterator

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from frontier.parsing.html import Link

logger = logging.getLogger(__name__)

OTHER_SCHEME = "neither http nor https"
_WEB = ("http://", "https://")
_PROXY_KEYS = (b"http-proxy", "http-proxy")
"""First element of the pool keys of Scrapy's agent for a proxy; otherwise it is the scheme."""


class _GuardedDownload:
    """A download under way: whether it uses a proxy, and why an address was refused."""

    def __init__(self, *, proxied: bool) -> None:
        self.proxied = proxied
        self.refusal: str | None = None


_current: ContextVar[_GuardedDownload | None] = ContextVar("_current", default=None)

_checks: WeakKeyDictionary[Crawler, DownloadCheck] = WeakKeyDictionary()


def download_check_of(crawler: Crawler) -> DownloadCheck:
    """Return the DownloadCheck of a crawler, made on first use."""
    if crawler not in _checks:
        check = DownloadCheck(AddressGuard(allowed_networks(crawler.settings)))
        _checks[crawler] = check
        crawler.signals.connect(check.close, signals.engine_stopped)
    return _checks[crawler]


class DownloadCheck:
    """The check of a request's host, around every download for http and https."""

    def __init__(self, guard: AddressGuard) -> None:
        self.guard = guard
        self.refused_in_browsers: dict[str, str] = {}
        """Host -> reason."""
        self.closings: list[Callable[[], None]] = []
        """Called when the engine has stopped."""
        self._is_logged = False

    def close(self) -> None:
        """Run the closings of the guards."""
        for close in self.closings:
            close()

    async def download(
        self, request: Request, fetch: Callable[[], Awaitable[Response]]
    ) -> Response:
        """Fetch; raises AddressRefusedError for a host without an allowed address."""
        host = urlparse_cached(request).hostname or ""
        refusal = self.guard.refusal(host)
        if refusal is not None:
            raise self._refused(AddressRefusedError(refusal))
        download = _GuardedDownload(proxied=bool(request.meta.get("proxy")))
        _current.set(download)
        try:
            return await fetch()
        except AddressRefusedError as error:
            raise self._refused(error) from None
        except Exception:
            refusal = download.refusal or self.refused_in_browsers.get(host)
            if refusal is None:
                raise
            raise self._refused(AddressRefusedError(refusal)) from None

    def _refused(self, error: AddressRefusedError) -> AddressRefusedError:
        """Log the first refusal of a crawl: Scrapy does not log such errors."""
        if not self._is_logged:
            self._is_logged = True
            logger.warning("%s; further ones are not logged", error)
        return error


def _check(guard: AddressGuard, host: str) -> None:
    """Raise AddressRefusedError for an address, as text, that may not be connected to."""
    refusal = guard.address_refusal(as_address(host))
    if refusal is not None:
        raise AddressRefusedError(refusal)


# -- Twisted --------------------------------------------------------------------------------------


@implementer(IReactorPluggableNameResolver)
class _GuardedReactor:
    """The reactor for endpoints; refuses to connect to addresses that are not allowed."""

    def __init__(self, reactor: Any, guard: AddressGuard) -> None:
        self._reactor = reactor
        self._guard = guard

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reactor, name)

    def connectTCP(self, host: str, *arguments: Any, **more: Any) -> Any:
        """Connect to an address; an endpoint turns the exception into a failed attempt."""
        _check(self._guard, host)
        return self._reactor.connectTCP(host, *arguments, **more)


def _guarded_reactor(guard: AddressGuard) -> _GuardedReactor:
    from twisted.internet import reactor

    return _GuardedReactor(reactor, guard)


def guard_http11(handler: Any, check: DownloadCheck) -> None:
    """Guard a `HTTP11DownloadHandler`."""
    pool, reactor = compat.pool_of(handler), _guarded_reactor(check.guard)
    get = pool.getConnection

    def get_connection(key: Any, endpoint: Any) -> Any:
        # Only a tunnel's endpoint, which connects to a proxy, is a TCP4ClientEndpoint in Scrapy.
        if key[0] not in _PROXY_KEYS and not isinstance(endpoint, TCP4ClientEndpoint):
            compat.connect_by(endpoint, reactor)
        return get(key, endpoint)

    pool.getConnection = get_connection


def guard_http2(handler: Any, check: DownloadCheck) -> None:
    """Guard a `H2DownloadHandler`, which knows no proxies."""
    pool, reactor = compat.pool_of(handler), _guarded_reactor(check.guard)
    get = pool.get_connection
    refused: dict[Any, AddressRefusedError] = {}

    def get_connection(key: Any, uri: Any, endpoint: Any) -> Any:
        if key in refused:
            # Otherwise Scrapy's pool waits for the connection that failed.
            return fail(refused[key])
        compat.connect_by(endpoint, reactor)
        connect = endpoint.connect
        waiting: list[Any] = []

        def failed(failure: Any) -> Any:
            if not failure.check(AddressRefusedError):
                return failure
            refused[key] = failure.value
            for connection in waiting:
                connection.errback(failure)
            return None

        endpoint.connect = lambda factory: connect(factory).addErrback(failed)
        connection = get(key, uri, endpoint)
        waiting.append(connection)
        return fail(refused[key]) if key in refused else connection

    pool.get_connection = get_connection


# -- asyncio --------------------------------------------------------------------------------------


def guard_aiohttp(handler: Any, check: DownloadCheck) -> None:
    """Guard an `AiohttpDownloadHandler`, which makes a socket for each address before it connects.

    After an OSError, aiohttp tries the next address of a name.
    """

    def make_socket(address: tuple[Any, ...]) -> socket.socket:
        family, kind, protocol, _, target = address
        download = _current.get()
        if download is None or not download.proxied:
            refusal = check.guard.address_refusal(as_address(target[0]))
            if refusal is not None:
                if download is not None:
                    download.refusal = refusal
                raise OSError(refusal)
        return socket.socket(family, kind, protocol)

    compat.make_sockets_by(handler, make_socket)


def guard_httpx(handler: Any, check: DownloadCheck) -> None:
    """Guard a `HttpxDownloadHandler`: its client for requests without a proxy."""
    compat.open_streams_by(handler, lambda backend: _GuardedBackend(backend, check.guard))


class _GuardedBackend:
    """The network backend of httpx; resolves names here and connects to allowed addresses."""

    def __init__(self, backend: Any, guard: AddressGuard) -> None:
        self._backend = backend
        self._guard = guard

    def __getattr__(self, name: str) -> Any:
        return getattr(self._backend, name)

    async def connect_tcp(self, host: str, port: int, **more: Any) -> Any:
        """Connect to the first address that is allowed and answers."""
        try:
            addresses = await allowed_addresses(self._guard, host, port)
        except socket.gaierror as error:
            from scrapy.exceptions import CannotResolveHostError  # as new as the handler

            raise CannotResolveHostError(f"{host}: {error}") from error
        for address in addresses[:-1]:
            with suppress(Exception):  # of httpx, whichever of its two names it has
                return await self._backend.connect_tcp(address, port, **more)
        return await self._backend.connect_tcp(addresses[-1], port, **more)


async def allowed_addresses(guard: AddressGuard, host: str, port: int) -> list[str]:
    """Resolve a name; raises AddressRefusedError if no address of it is allowed, or OSError."""
    refusal = guard.refusal(host)
    allowed = []
    if refusal is None:
        answers = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        for address in dict.fromkeys(str(answer[4][0]) for answer in answers):
            reason = guard.address_refusal(as_address(address))
            if reason is None:
                allowed.append(address)
            else:
                refusal = reason
    if not allowed:
        raise AddressRefusedError(refusal or f"{host} has no address")
    return allowed


# -- links ----------------------------------------------------------------------------------------


class LinkGuard:
    """Drops links by the host in their URLs; names are resolved at connect time.

    `note` is called with reason and URL of each dropped link: its scheme is not of the web, or its
    address is not allowed.
    """

    def __init__(self, settings: BaseSettings, note: Callable[[str, str], None]) -> None:
        self._guard = AddressGuard(allowed_networks(settings))
        self._note = note

    def allowed(self, links: Iterable[Link]) -> Iterator[Link]:
        """Yield the links that may become URLs of the crawl; 0.7 us each."""
        for link in links:
            if not link.url.startswith(_WEB) and not link.url.lower().startswith(_WEB):
                self._note(OTHER_SCHEME, link.url)
            elif self._guard.url_refusal(link.url) is not None:
                self._note(REASON, link.url)
            else:
                yield link
