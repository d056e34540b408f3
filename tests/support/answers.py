"""Answers to hand-outs, for tests that stand in for who fetches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frontier import meta as key

if TYPE_CHECKING:
    from frontera.core.models import Request

    from frontier.states import State


def complete(handed: Request, state: State, fetched: float, **known: Any) -> None:
    """Complete the record of a hand-out by the names of its fields."""
    record = handed.meta[key.PAGE]
    for name, value in {"state": state, "fetched": fetched, **known}.items():
        setattr(record, name, value)
