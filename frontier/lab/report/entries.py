"""Who is in the tables, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from frontier.lab.replay.records import GREEDY_ORACLE, TRUE_LABEL
from ranking.orders import ORDERS

ORDER, BOUND, PEER = "order", "bound", "peer"
"""Kinds of rows: a strategy of ours, one that sees labels, another project's code."""

_BOUNDS: Final = {
    GREEDY_ORACLE: (
        "sees all labels and all recorded links, and asks next for the known URL that is fewest "
        "links from a target"
    ),
    TRUE_LABEL: (
        "the learned order, told the true label of each page it has fetched: what a perfect judge "
        "of pages would gain"
    ),
}
_FRONTERA: Final = "frontera-"


@dataclass(frozen=True, slots=True)
class Entry:
    """Name of a row, its kind, and what it does, in a sentence."""

    name: str
    kind: str
    words: str


def entries_of(
    names: Iterable[str],
    peers: Mapping[str, str] | None = None,
    orders: Mapping[str, str] | None = None,
) -> list[Entry]:
    """Entries of rows by name.

    `peers` says in words what rows of other projects do, `orders` what orders of the user's own do.
    """
    summaries = {name: order.summary for name, order in ORDERS.items()} | dict(orders or {})
    return [_entry(name, peers or {}, summaries) for name in names]


def _entry(name: str, peers: Mapping[str, str], orders: Mapping[str, str]) -> Entry:
    if name in _BOUNDS:
        return Entry(name, BOUND, _BOUNDS[name])
    if name in peers:
        return Entry(name, PEER, peers[name])
    if name in orders:
        return Entry(name, ORDER, orders[name])
    if name.startswith(_FRONTERA):
        backend = name.removeprefix(_FRONTERA).upper()
        return Entry(name, PEER, f"Frontera's own memory backend {backend}, its code as released")
    return Entry(name, PEER, "a crawler of another project, as released")
