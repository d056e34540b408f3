"""A resolver for tests: names of `.test`, some of which lead where they must not.

Named by the setting DNS_RESOLVER; what has another ending is resolved by the system.
"""

from __future__ import annotations

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
        self._asked: Counter[str] = Counter()

    @classmethod
    def from_crawler(cls, crawler: Any, reactor: Any) -> Resolver:
        return cls(reactor)

    def install_on_reactor(self) -> None:
        self._reactor.installNameResolver(self)

    def resolveHostName(
        self, receiver: Any, hostName: str, portNumber: int = 0, *more: Any, **rest: Any
    ) -> Any:
        name = hostName
        if name not in ANSWERS:
            return self._system.resolveHostName(receiver, name, portNumber, *more, **rest)
        answers = ANSWERS[name]
        number = min(self._asked[name], len(answers) - 1)
        self._asked[name] += 1
        resolution = _Resolution(name)
        receiver.resolutionBegan(resolution)
        for one in answers[number]:
            kind = IPv6Address if ":" in one else IPv4Address
            receiver.addressResolved(kind("TCP", one, portNumber))
        receiver.resolutionComplete()
        return resolution
