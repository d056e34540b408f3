from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from twisted.internet.defer import Deferred, succeed
from twisted.internet.endpoints import HostnameEndpoint
from twisted.internet.interfaces import IReactorPluggableNameResolver
from twisted.internet.task import Clock
from zope.interface import implementer

from frontier.plugin.net.download_state import DownloadState
from frontier.plugin.net.faults import AddressRefusedError
from frontier.plugin.net.pool import IDLE_SECONDS, MOST_IDLE, GuardedPool, WatchedEndpoint
from frontier.urls.addresses import AddressGuard

KEY = (b"http", b"example.org", 80)


@implementer(IReactorPluggableNameResolver)
class Reactor:
    """Nothing is connected with it."""

    nameResolver = None


class Connection:
    """A connection that waits unused."""

    state = "QUIESCENT"

    def __init__(self) -> None:
        self.parted = 0
        self.watch: DownloadState | None = None
        self.transport = SimpleNamespace(loseConnection=lambda: None)

    def part(self) -> None:
        self.parted += 1


def pool_and_clock() -> tuple[Any, Clock]:
    clock = Clock()
    return GuardedPool(clock, AddressGuard()), clock


def failure_of(asked: Deferred[Any]) -> Any:
    seen: list[Any] = []
    asked.addErrback(lambda failure: seen.append(failure.value))
    return seen[0]


def test_few_connections_wait_unused_and_nothing_is_kept_of_their_hosts() -> None:
    pool, clock = pool_and_clock()
    connections = [Connection() for _ in range(MOST_IDLE + 10)]
    for number, one in enumerate(connections):
        pool._putConnection((b"http", b"%d.example" % number, 80), one)
        clock.advance(0)
    assert [one.parted for one in connections] == [1] * 10 + [0] * MOST_IDLE
    clock.advance(IDLE_SECONDS + 1)
    assert all(one.parted == 1 for one in connections)
    assert pool._connections == {}
    assert pool._timeouts == {}


def test_an_unused_connection_is_used_again_for_the_announced_download() -> None:
    pool, _ = pool_and_clock()
    connection, watch = Connection(), DownloadState()
    pool._putConnection(KEY, connection)
    pool.announce(watch)
    pool.getConnection(KEY, HostnameEndpoint(Reactor(), b"x.example", 80))
    assert connection.watch is watch
    assert watch.reused
    assert pool._connections == {}


def test_an_endpoint_of_which_nothing_is_known_is_not_connected_with() -> None:
    pool, _ = pool_and_clock()
    with pytest.raises(AddressRefusedError, match="not known where"):
        pool.getConnection(KEY, object())


@pytest.mark.parametrize(("peer", "refused"), [("127.0.0.1", True), ("8.8.8.8", False)])
def test_the_address_that_was_connected_to_is_looked_at_again(peer: str, refused: bool) -> None:
    aborted: list[bool] = []
    transport = SimpleNamespace(
        getPeer=lambda: SimpleNamespace(host=peer), abortConnection=lambda: aborted.append(True)
    )
    protocol = SimpleNamespace(transport=transport)
    endpoint: Any = HostnameEndpoint(Reactor(), b"x.example", 80)
    endpoint.connect = lambda factory: succeed(protocol)
    asked = WatchedEndpoint(endpoint, AddressGuard(), DownloadState()).connect(None)
    if refused:
        assert isinstance(failure_of(asked), AddressRefusedError)
    assert aborted == [True] * refused
