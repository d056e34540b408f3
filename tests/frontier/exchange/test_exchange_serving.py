"""How often the owner of the order takes in what fetchers say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from frontier.exchange.serving import Server


class Heard:
    """A connection on which one notification comes, and others while the owner sleeps."""

    def __init__(self) -> None:
        self.notifications = ["first"]

    def sleep(self, _: float) -> None:
        self.notifications += ["second", "third"]

    def notifies(self, *, timeout: float, stop_after: int) -> Iterator[str]:
        while self.notifications:
            yield self.notifications.pop(0)


def test_what_is_said_before_a_turn_begins_asks_for_no_other_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard, server = Heard(), Server(tmp_path, "", "owner")
    unheard: list[int] = []

    def turn() -> float:
        unheard.append(len(heard.notifications))
        return 1.0

    brain: Any = SimpleNamespace(turn=turn, offering=SimpleNamespace(outstanding={1: None}))
    server.brain = brain
    monkeypatch.setattr(server, "_connection", heard, raising=False)
    monkeypatch.setattr("frontier.exchange.serving.time.sleep", heard.sleep)
    server._turn()
    server._turn()
    assert unheard == [1, 0]
