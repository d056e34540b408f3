"""The history of the revisits of a page: changes and last revisits, in a few bytes each."""

from __future__ import annotations

import math
import struct
from typing import Final, NamedTuple

from frontier.states import ENDED, Change

KEPT: Final = 16
"""Last revisits of a page that are kept; of earlier ones, changes and the revisit before each."""
MOST: Final = 1000
"""Revisits of a page that are kept in all."""
TELLING: Final = frozenset({Change.CHANGED, *ENDED})
"""Changes of a page that was known."""
_REVISIT: Final = struct.Struct("<IHB")
_LATEST: Final = (1 << 32) - 1
_GREATEST_STATUS: Final = (1 << 16) - 1


class PastRevisit(NamedTuple):
    """A revisit of a page: its time, the answer of the server, the change."""

    at: float
    """Unix seconds, in whole ones."""
    status: int | None
    """HTTP status; None: no answer."""
    change: Change


def past_revisits(history: bytes) -> list[PastRevisit]:
    """Return the revisits in a history, oldest first; ValueError for other bytes."""
    if len(history) % _REVISIT.size:
        raise ValueError(
            f"expected revisits of {_REVISIT.size} bytes each, got {len(history)} bytes in all"
        )
    return [
        PastRevisit(float(at), status or None, Change(change))
        for at, status, change in _REVISIT.iter_unpack(history)
    ]


def has_change(history: bytes, changes: frozenset[Change], since: float) -> bool:
    """Whether a stored revisit has one of these changes, at `since` (Unix seconds) or later.

    Costs a tenth of reading them; of damaged bytes it is True.
    """
    if len(history) % _REVISIT.size:
        return True
    return any(change in changes and at >= since for at, _, change in _REVISIT.iter_unpack(history))


def known_since(history: bytes) -> float:
    """Unix seconds from which on all changes of a page are kept; -inf: all changes are."""
    if len(history) < MOST * _REVISIT.size or _change(history, 0) == Change.NEW:
        return -math.inf
    return past_revisits(history[: _REVISIT.size])[0].at


def with_revisit(history: bytes, at: float, status: int | None, change: Change) -> bytes:
    """Return a history with one more revisit, without the oldest beyond KEPT and MOST.

    `at` is in Unix seconds and kept in whole ones, from 0 to those of the year 2106.
    """
    history += _REVISIT.pack(_seconds(at), min(max(status or 0, 0), _GREATEST_STATUS), change)
    aged = len(history) // _REVISIT.size - KEPT - 1
    if aged >= 0:  # the revisit before it was judged when it aged itself
        changes = {_change(history, aged), _change(history, aged + 1)}
        if changes.isdisjoint(TELLING):
            history = history[: aged * _REVISIT.size] + history[(aged + 1) * _REVISIT.size :]
    return history[-MOST * _REVISIT.size :]


def revised(history: bytes, at: float, change: Change) -> bytes:
    """Return a history in which the revisit that was CHANGED at a time has another change."""
    revisits = list(_REVISIT.iter_unpack(history))
    for row in range(len(revisits) - 1, -1, -1):
        if revisits[row][0] == _seconds(at) and revisits[row][2] == Change.CHANGED:
            revisits[row] = (*revisits[row][:2], change)
            break
    return b"".join(_REVISIT.pack(*revisit) for revisit in revisits)


def _change(history: bytes, row: int) -> int:
    return history[(row + 1) * _REVISIT.size - 1]


def _seconds(at: float) -> int:
    return int(min(max(at, 0.0), _LATEST))
