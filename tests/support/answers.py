"""Answers to hand-outs, for tests that stand in for who fetches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from frontier.records import HandedOut
    from frontier.states import State


def complete(handed: HandedOut, state: State, fetched: float, **known: Any) -> None:
    """Complete the record of a hand-out by the names of its fields."""
    record = handed.page
    for name, value in {"state": state, "fetched": fetched, **known}.items():
        setattr(record, name, value)
