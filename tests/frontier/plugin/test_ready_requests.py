"""Requests of one turn of the engine are leased together and leave one by one."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from scrapy import Request

from frontier.plugin.crawl.leases import ReadyRequests, places_of


class Turn:
    """A frontier with so many requests, an engine with so many places; notes what happened."""

    def __init__(self, requests: int, places: int) -> None:
        self.left = [Request(f"http://a.example/{number}") for number in range(requests)]
        self.places = places
        self.done: list[str] = []
        self.fails = False
        self.ready = ReadyRequests(self._take, lambda: self.done.append("commit"), self._room)

    def _room(self) -> int:
        return self.places

    def _take(self) -> Request | None:
        if not self.left:
            return None
        if self.fails and len(self.left) == 1:
            raise RuntimeError("a strategy of the project")
        request = self.left.pop(0)
        self.done.append(f"take {request.url[-1]}")
        return request

    def next(self) -> None:
        request = self.ready.next()
        self.done.append("none" if request is None else f"leave {request.url[-1]}")


def test_all_that_there_are_places_for_are_committed_before_the_first_leaves() -> None:
    turn = Turn(requests=4, places=2)
    turn.next()
    assert turn.done == ["take 0", "take 1", "commit", "leave 0"]
    assert turn.ready
    turn.next()
    assert turn.done[4:] == ["leave 1"]
    assert not turn.ready
    turn.next()
    assert turn.done[5:] == ["take 2", "take 3", "commit", "leave 2"]


def test_without_a_known_place_one_is_taken() -> None:
    # An engine may have places that its downloader does not count: of hosts that are silent.
    turn = Turn(requests=2, places=-3)
    turn.next()
    assert turn.done == ["take 0", "commit", "leave 0"]


def test_what_was_learned_is_committed_where_nothing_is_left_to_take() -> None:
    turn = Turn(requests=1, places=5)
    turn.next()
    turn.next()
    assert turn.done == ["take 0", "commit", "leave 0", "commit", "none"]


def test_what_was_taken_before_a_failure_leaves_all_the_same() -> None:
    turn = Turn(requests=3, places=5)
    turn.fails = True
    with pytest.raises(RuntimeError):
        turn.next()
    turn.next()
    turn.next()
    assert turn.done == ["take 0", "take 1", "commit", "leave 0", "leave 1"]


def test_the_places_are_those_of_the_downloader() -> None:
    assert places_of(SimpleNamespace(total_concurrency=16, active={1, 2, 3})) == 13
    assert places_of(SimpleNamespace(total_concurrency=2, active={1, 2, 3})) == -1
    assert places_of(SimpleNamespace(slots={})) == 1
