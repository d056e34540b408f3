"""Coroutines that wait for an event or for some seconds, on a clock that the test moves."""

from __future__ import annotations

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from frontier.plugin import compat, waiting
from frontier.plugin.waiting import Waiters


class Rig:
    """Coroutines that wait, each under a name, and the names in the order in which they go on."""

    def __init__(self) -> None:
        self.waiters = Waiters()
        self.gone_on: list[str] = []

    def wait(self, name: str, seconds: float | None = None) -> None:
        async def waiting() -> None:
            await self.waiters.wait(seconds)
            self.gone_on.append(name)

        Deferred.fromCoroutine(waiting())


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(compat, "call_later", clock.callLater)
    monkeypatch.setattr(waiting, "maybe_deferred_to_future", lambda deferred: deferred)
    return clock


def test_those_that_waited_longest_go_on_first(clock: Clock) -> None:
    rig = Rig()
    for name in "abc":
        rig.wait(name)
    rig.waiters.wake(1)
    assert rig.gone_on == ["a"]
    rig.waiters.wake()
    assert rig.gone_on == ["a", "b", "c"]


def test_each_goes_on_once_when_its_seconds_are_over_or_it_is_woken(clock: Clock) -> None:
    rig = Rig()
    rig.wait("a", 1.0)
    rig.wait("b", 5.0)
    clock.advance(1.0)
    assert rig.gone_on == ["a"]
    rig.waiters.wake()
    clock.advance(9.0)
    assert rig.gone_on == ["a", "b"]
    assert clock.getDelayedCalls() == []


def test_one_that_goes_on_may_wake_the_others_or_wait_again(clock: Clock) -> None:
    rig = Rig()

    async def again() -> None:
        await rig.waiters.wait()
        rig.waiters.wake()
        rig.wait("again")

    Deferred.fromCoroutine(again())
    rig.wait("b")
    rig.waiters.wake()
    assert rig.gone_on == ["b"]
    rig.waiters.wake()
    assert rig.gone_on == ["b", "again"]
