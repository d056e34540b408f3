"""A resolver for tests: names of `.test`, some of which lead where they must not.

Named by the setting DNS_RESOLVER, or installed by `install`: the former holds for Twisted, both
for whatever else resolves names in the process. Other names are resolved by the system.
"""

from __future__ import annotations

import socket
from collections import Counter
from typing import Any

from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.interfaces import IHostnameResolver, IHostResolution
from zope.interface import implementer

PRIVATE = "127.99.0.1"
PUBLIC = "127.66.0.2"
"""The host of the first case of a hostile web, which is allowed."""
ANSWERS: dict[str, list[list[str]]] = {
    "public.test": [[PUBLIC]],
    "private.test": [[PRIVATE]],
    "mapped.test": [[f"::ffff:{PRIVATE}"]],
    "nat64.test": [["64:ff9b::7f63:1"]],
    "ipv6.test": [["::1"]],
    "metadata.test": [["169.254.169.254"]],
    "zero.test": [["0.0.0.0"]],
    "both.test": [[PRIVATE, PUBLIC]],
    "nothing.test": [[]],
    # Public when it is asked for first, private ever after, as a name with a lifetime of 0 can be.
    "rebinding.test": [[PUBLIC], [PRIVATE]],
}


_asked: Counter[str] = Counter()


def _answer(name: str) -> list[str]:
    answers = ANSWERS[name]
    _asked[name] += 1
    return answers[min(_asked[name], len(answers)) - 1]


def install() -> None:
    """Have `socket.getaddrinfo` answer for these names too."""
    system = socket.getaddrinfo

    def getaddrinfo(host: Any, port: Any, *arguments: Any, **more: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        if name not in ANSWERS:
            return system(host, port, *arguments, **more)
        found = [system(one, port, *arguments, **more)[0] for one in _answer(name)]
        if not found:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return found

    socket.getaddrinfo = getaddrinfo


@implementer(IHostResolution)
class _Resolution:
    def __init__(self, name: str) -> None:
        self.name = name

    def cancel(self) -> None:
        raise NotImplementedError


@implementer(IHostnameResolver)
class Resolver:
    def __init__(self, reactor: Any) -> None:
        self._reactor = reactor
        self._system = reactor.nameResolver

    @classmethod
    def from_crawler(cls, crawler: Any, reactor: Any) -> Resolver:
        return cls(reactor)

    def install_on_reactor(self) -> None:
        self._reactor.installNameResolver(self)
        install()

    def resolveHostName(
        self, receiver: Any, hostName: str, portNumber: int = 0, *more: Any, **rest: Any
    ) -> Any:
        name = hostName
        if name not in ANSWERS:
            return self._system.resolveHostName(receiver, name, portNumber, *more, **rest)
        resolution = _Resolution(name)
        receiver.resolutionBegan(resolution)
        for one in _answer(name):
            kind = IPv6Address if ":" in one else IPv4Address
            receiver.addressResolved(kind("TCP", one, portNumber))
        receiver.resolutionComplete()
        return resolution
