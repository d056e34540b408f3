"""The states of a crawl's URLs, as they follow from its file."""

from __future__ import annotations

from frontier.states import State
from frontier.store import StoreReader


def states_of(reader: StoreReader) -> list[State]:
    """The state of each URL, by id."""
    return [State(one) for one in reader.load().states.tolist()]
