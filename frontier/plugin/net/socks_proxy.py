"""A way to the network for browsers: a SOCKS 5 proxy on this machine that checks every address.

A browser that is given such a proxy resolves no names and opens no connections by itself: whatever
its pages ask for comes here as a name and a port. Connected to are the addresses that the name is
resolved to here and that are allowed, so that no other answer of the DNS can come in between; the
address that was connected to is looked at again. RFC 1928, without authentication: the proxy
listens on the loopback interface and leads nowhere that a process there could not go by itself.
"""

from __future__ import annotations

import logging
import struct
from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address
from typing import TYPE_CHECKING, Any

from twisted.internet.endpoints import HostnameEndpoint
from twisted.internet.protocol import Factory, Protocol

from frontier.plugin.net.download_state import DownloadState
from frontier.plugin.net.faults import AddressRefusedError
from frontier.plugin.net.pool import WatchedEndpoint
from frontier.urls.hosts import host_spelling

if TYPE_CHECKING:
    from frontier.urls.addresses import AddressGuard

logger = logging.getLogger(__name__)

LOOPBACK = "127.0.0.1"
_VERSION, _CONNECT, _NO_AUTHENTICATION = 5, 1, 0
_SHAKES_HANDS_SECONDS = 30
_CONNECTS_SECONDS = 30
_MOST_REFUSED = 1_000
_DONE, _FORBIDDEN, _UNREACHABLE, _NO_SUCH_COMMAND = 0, 2, 4, 7
_ADDRESSES: dict[int, Callable[[bytes], str]] = {
    1: lambda raw: str(IPv4Address(raw)),
    3: lambda raw: raw.decode("ascii"),  # browsers ask for names as the DNS has them
    4: lambda raw: str(IPv6Address(raw)),
}
_SIZES = {1: 4, 4: 16}

_Protocol: Any = Protocol  # not typed, but in part


class SocksProxy:
    """The proxy, from `listen` to `close`. `refused` says why hosts were, the last ones of them."""

    def __init__(self, reactor: Any, guard: AddressGuard) -> None:
        self.reactor = reactor
        self._guard = guard
        self._port: Any = None
        self.refused: dict[str, str] = {}

    def listen(self) -> str:
        """Begin, on any free port; returns the URL of the proxy."""
        factory = Factory.forProtocol(_Client)
        factory.proxy = self  # type: ignore[attr-defined]  # what its protocols ask for
        self._port = self.reactor.listenTCP(0, factory, interface=LOOPBACK)
        return f"socks5://{LOOPBACK}:{self._port.getHost().port}"

    def close(self) -> None:
        """Accept nothing more; closing again does nothing."""
        port, self._port = self._port, None
        if port is not None:
            port.stopListening()

    def connect(self, host: str, port: int, factory: Any) -> Any:
        """A Deferred of a connection to an allowed address; fails with AddressRefusedError."""
        refused = self._guard.refusal(host)
        if refused is not None:
            self._note(host, refused)
            raise AddressRefusedError(refused)
        endpoint = HostnameEndpoint(self.reactor, host, port, timeout=_CONNECTS_SECONDS)
        watch = DownloadState()

        def said(failure: Any) -> Any:
            error = failure.value
            if watch.refused is not None or isinstance(error, AddressRefusedError):
                self._note(host, watch.refused or str(error))
                raise AddressRefusedError(watch.refused or str(error))
            return failure

        return WatchedEndpoint(endpoint, self._guard, watch).connect(factory).addErrback(said)

    def _note(self, host: str, refused: str) -> None:
        if not self.refused:
            logger.info(
                "A page in the browser requested %s: %s. Blocked; further ones are not logged",
                *(host, refused),
            )
        elif len(self.refused) >= _MOST_REFUSED:
            del self.refused[next(iter(self.refused))]
        self.refused[host_spelling(host)] = refused


class _End(_Protocol):  # type: ignore[misc]  # see above
    """One end of a tunnel: what comes here goes to the other, as fast as that can take it."""

    other: _End | None = None
    watch: object = None

    def join(self, other: _End) -> None:
        self.other, other.other = other, self
        self.transport.registerProducer(other.transport, True)
        other.transport.registerProducer(self.transport, True)

    def dataReceived(self, data: bytes) -> None:
        if self.other is not None:
            self.other.transport.write(data)

    def connectionLost(self, reason: object = None) -> None:
        other, self.other = self.other, None
        if other is not None:
            other.other = None
            other.transport.unregisterProducer()
            other.transport.loseConnection()


class _Client(_End):
    """The browser's end, which says first where it wants to go."""

    _said = b""
    _greeted = False
    _answered = False
    _connecting: Any = None
    _timer: Any = None

    def connectionMade(self) -> None:
        self._proxy: SocksProxy = self.factory.proxy
        abort = self.transport.abortConnection
        self._timer = self._proxy.reactor.callLater(_SHAKES_HANDS_SECONDS, abort)

    def dataReceived(self, data: bytes) -> None:
        if self.other is not None:
            super().dataReceived(data)
        elif not self._answered:
            self._hear(data)

    def _hear(self, data: bytes) -> None:
        self._said += data
        if self._connecting is None and not self._greeted:
            self._greet()
        if self._connecting is None and self._greeted:
            self._ask()

    def _greet(self) -> None:
        if len(self._said) < 2 or len(self._said) < 2 + self._said[1]:
            return
        if self._said[0] != _VERSION:
            self.transport.abortConnection()
            return
        methods, self._said = self._said[2 : 2 + self._said[1]], self._said[2 + self._said[1] :]
        knows = _NO_AUTHENTICATION in methods
        self._greeted = knows
        self.transport.write(bytes((_VERSION, _NO_AUTHENTICATION if knows else 0xFF)))
        if not knows:
            self.transport.loseConnection()

    def _ask(self) -> None:
        if len(self._said) < 5:
            return
        _, command, _, kind, first = self._said[:5]
        at = 5 if kind == 3 else 4
        end = at + (first if kind == 3 else _SIZES.get(kind, 0))
        if len(self._said) < end + 2:
            return
        if command != _CONNECT or kind not in _ADDRESSES:
            self._answer(_NO_SUCH_COMMAND)
            return
        raw, (port,) = self._said[at:end], struct.unpack(">H", self._said[end : end + 2])
        self._said = self._said[end + 2 :]
        self.transport.pauseProducing()
        try:
            host = _ADDRESSES[kind](raw)
            self._connecting = self._proxy.connect(host, port, Factory.forProtocol(_End))
        except (AddressRefusedError, ValueError):
            self._answer(_FORBIDDEN)
            return
        self._connecting.addCallbacks(self._connected, self._failed)

    def _connected(self, far: _End) -> None:
        self._stop_timer()
        if not self.connected:
            far.transport.loseConnection()
            return
        self._answer(_DONE)
        self.join(far)
        said, self._said = self._said, b""
        if said:
            far.transport.write(said)
        self.transport.resumeProducing()

    def _failed(self, failure: Any) -> None:
        refused = isinstance(failure.value, AddressRefusedError)
        self._answer(_FORBIDDEN if refused else _UNREACHABLE)

    def _answer(self, code: int) -> None:
        self._answered = True
        self.transport.write(bytes((_VERSION, code, 0, 1)) + bytes(6))
        if code != _DONE:
            self.transport.resumeProducing()
            self.transport.loseConnection()

    def _stop_timer(self) -> None:
        timer, self._timer = self._timer, None
        if timer is not None and timer.active():
            timer.cancel()

    def connectionLost(self, reason: object = None) -> None:
        self._stop_timer()
        if self._connecting is not None and self.other is None and not self._connecting.called:
            self._connecting.cancel()
        super().connectionLost(reason)
