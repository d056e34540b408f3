"""Answers to leases, for tests that stand in for who fetches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from frontier.records import Lease
    from frontier.states import State


def complete(lease: Lease, state: State, fetched: float, **known: Any) -> None:
    """Complete the record of a lease by the names of its fields."""
    record = lease.page
    for name, value in {"state": state, "fetched": fetched, **known}.items():
        setattr(record, name, value)
