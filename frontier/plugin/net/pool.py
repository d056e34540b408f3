"""Connections: where they may go to, how many wait unused, and that they end.

All agents of Scrapy's handler ask here for a connection, each through an endpoint that it made. The
endpoint of a direct one resolves the host's name itself. It is given a resolver that withholds
addresses which are not allowed, so that no other answer can come in between; and the address that
was connected to is checked again before a byte is sent. A proxy is the user's choice; whatever is
not known to be the way to one is checked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from twisted.internet.defer import Deferred
from twisted.internet.endpoints import HostnameEndpoint, TCP4ClientEndpoint
from twisted.internet.interfaces import (
    IHostnameResolver,
    IReactorPluggableNameResolver,
    IResolutionReceiver,
    IStreamClientEndpoint,
)
from twisted.web.client import HTTPConnectionPool
from zope.interface import implementer

from frontier.plugin.net.download_state import DownloadState
from frontier.plugin.net.faults import AddressRefusedError
from frontier.plugin.net.protocol import GuardedFactory
from frontier.urls.addresses import as_address

if TYPE_CHECKING:
    from frontier.urls.addresses import AddressGuard

IDLE_SECONDS = 60
_PROXY_KEYS = (b"http-proxy", "http-proxy")
"""What Scrapy's agent for http behind a proxy begins its keys with, which are schemes otherwise."""
MOST_IDLE = 256
"""Idle connections of all hosts together: a process often may have 1,024 files open."""


_Pool: Any = HTTPConnectionPool  # not typed, but in part


class GuardedPool(_Pool):  # type: ignore[misc]  # see above
    """Connections to allowed addresses.

    Whoever asks for a connection announces its `DownloadState` just before with `announce`.
    """

    _factory = GuardedFactory
    cachedConnectionTimeout = IDLE_SECONDS

    def __init__(self, reactor: Any, guard: AddressGuard) -> None:
        super().__init__(reactor, persistent=True)
        self._guard = guard
        self._announced: DownloadState | None = None
        self._most_idle = MOST_IDLE

    def announce(self, watch: DownloadState | None) -> None:
        """Say for which download the next connection is asked for."""
        self._announced = watch

    def getConnection(self, key: Any, endpoint: Any) -> Any:
        watch, self._announced = self._announced or DownloadState(), None
        guard = None if _leads_to_proxy(key, endpoint) else self._guard
        watch.reused = True
        asked = super().getConnection(key, WatchedEndpoint(endpoint, guard, watch))
        if not self._connections.get(key, True):
            del self._connections[key]
        return asked.addCallback(_assign, watch)

    def _putConnection(self, key: Any, connection: Any) -> None:
        super()._putConnection(key, connection)
        if len(self._timeouts) > self._most_idle:
            next(iter(self._timeouts.values())).reset(0)

    def give_back(self) -> None:
        """Close what is idle, and keep less of it from now on: too many files are open."""
        self._most_idle = min(self._most_idle, len(self._timeouts)) // 2
        self.closeCachedConnections()

    def _removeConnection(self, key: Any, connection: Any) -> None:
        connection.part()
        super()._removeConnection(key, connection)
        if not self._connections[key]:
            del self._connections[key]


def _leads_to_proxy(key: Any, endpoint: object) -> bool:
    # A tunnel's endpoint connects to a proxy; nothing else of Scrapy's is of this class.
    return key[0] in _PROXY_KEYS or isinstance(endpoint, TCP4ClientEndpoint)


def _assign(connection: Any, watch: DownloadState) -> Any:
    # A used connection comes in a wrapper that asks again on a new one if the server has hung up.
    getattr(connection, "_clientProtocol", connection).watch = watch
    return connection


@implementer(IStreamClientEndpoint)
class WatchedEndpoint:
    """Connects for one download, with a guard only to allowed addresses.

    `endpoint` is one for names then, and `watch` hears which were refused.
    """

    def __init__(self, endpoint: Any, guard: AddressGuard | None, watch: DownloadState) -> None:
        self._endpoint = endpoint
        self._guard = guard
        self._watch = watch
        if guard is not None:
            _hand_resolver(endpoint, guard, watch)

    def connect(self, factory: Any) -> Deferred[Any]:
        self._watch.reused = False
        connecting: Deferred[Any] = self._endpoint.connect(factory)
        return connecting.addCallback(self._connected)

    def _connected(self, protocol: Any) -> Any:
        if self._guard is not None:
            peer = protocol.transport.getPeer().host
            refused = self._guard.address_refusal(as_address(peer))
            if refused is not None:
                protocol.transport.abortConnection()
                raise AddressRefusedError(refused)
        protocol.watch = self._watch
        return protocol


def _hand_resolver(endpoint: Any, guard: AddressGuard, watch: DownloadState) -> None:
    direct = getattr(endpoint, "_wrappedEndpoint", endpoint)  # without TLS around it
    if not isinstance(direct, HostnameEndpoint):
        raise AddressRefusedError(f"it is not known where {endpoint!r} connects to")
    direct._reactor = _GuardedReactor(direct._reactor, guard, watch)


@implementer(IReactorPluggableNameResolver, IHostnameResolver)
class _GuardedReactor:
    """The reactor for one endpoint, which asks it at connect time for a resolver: itself."""

    def __init__(self, reactor: Any, guard: AddressGuard, watch: DownloadState) -> None:
        self._reactor = reactor
        self._guard = guard
        self._watch = watch

    @property
    def nameResolver(self) -> _GuardedReactor:
        return self  # not kept as an attribute: that would be a cycle for each download

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reactor, name)

    def resolveHostName(self, receiver: Any, *arguments: Any, **more: Any) -> Any:
        sieve = _Sieve(receiver, self._guard, self._watch)
        return self._reactor.nameResolver.resolveHostName(sieve, *arguments, **more)


@implementer(IResolutionReceiver)
class _Sieve:
    """Passes on the addresses of a host that may be connected to."""

    def __init__(self, receiver: Any, guard: AddressGuard, watch: DownloadState) -> None:
        self._receiver = receiver
        self._guard = guard
        self._watch = watch
        self._passed = False

    def resolutionBegan(self, resolution: Any) -> None:
        self._receiver.resolutionBegan(resolution)

    def addressResolved(self, address: Any) -> None:
        refused = self._guard.address_refusal(as_address(address.host))
        if refused is None:
            self._passed = True
            self._receiver.addressResolved(address)
        else:
            self._watch.refused = refused

    def resolutionComplete(self) -> None:
        if self._passed:
            self._watch.refused = None
        self._receiver.resolutionComplete()
