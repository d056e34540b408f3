"""What looks at a page found: its changes and last revisits, in a few bytes each."""

from __future__ import annotations

import math
import struct
from typing import Final, NamedTuple

from frontier.states import ENDED, Change

KEPT: Final = 16
"""Last looks at a page that are kept; of those before, changes and the revisit before each."""
MOST: Final = 1000
"""Revisits at a page that are kept in all."""
TELLING: Final = frozenset({Change.CHANGED, *ENDED})
"""What is a change of a page that was known."""
_REVISIT: Final = struct.Struct("<IHB")
_LATEST: Final = (1 << 32) - 1
_GREATEST_STATUS: Final = (1 << 16) - 1


class PastRevisit(NamedTuple):
    """A revisit of a page: when, how the server answered, what that showed."""

    at: float
    """Unix seconds, in whole ones."""
    status: int | None
    """HTTP status; None: no answer."""
    found: Change


def past_revisits(history: bytes) -> list[PastRevisit]:
    """Return the revisits that are kept of a page, oldest first; ValueError for what holds none."""
    if len(history) % _REVISIT.size:
        found = f"{len(history)} bytes, which are no revisits of {_REVISIT.size} bytes each"
        raise ValueError(found)
    return [
        PastRevisit(float(at), status or None, Change(found))
        for at, status, found in _REVISIT.iter_unpack(history)
    ]


def tells_any(history: bytes, changes: frozenset[Change], since: float) -> bool:
    """Whether a stored revisit found one of these changes, at `since` (Unix seconds) or later.

    Costs a tenth of reading them; of what holds no revisits it is True.
    """
    if len(history) % _REVISIT.size:
        return True
    return any(found in changes and at >= since for at, _, found in _REVISIT.iter_unpack(history))


def known_since(history: bytes) -> float:
    """Unix seconds from which on all changes of a page are kept; -inf: all there were."""
    if len(history) < MOST * _REVISIT.size or _found(history, 0) == Change.NEW:
        return -math.inf
    return past_revisits(history[: _REVISIT.size])[0].at


def with_revisit(history: bytes, at: float, status: int | None, found: Change) -> bytes:
    """Return a history with one more look; what it held too much goes, see KEPT and MOST.

    `at` is in Unix seconds and kept in whole ones, from 0 to those of the year 2106.
    """
    revisit = _REVISIT.pack(_seconds(at), min(max(status or 0, 0), _GREATEST_STATUS), found)
    history += revisit
    aged = len(history) // _REVISIT.size - KEPT - 1
    if aged >= 0:  # the revisit before it was judged when it aged itself
        found_then, found_next = (_found(history, at) for at in (aged, aged + 1))
        if found_then not in TELLING and found_next not in TELLING:
            history = history[: aged * _REVISIT.size] + history[(aged + 1) * _REVISIT.size :]
    return history[-MOST * _REVISIT.size :]


def revised(history: bytes, at: float, found: Change) -> bytes:
    """Return a history in which the change that was found at a time is something else."""
    revisits = list(_REVISIT.iter_unpack(history))
    for row in range(len(revisits) - 1, -1, -1):
        if revisits[row][0] == _seconds(at) and revisits[row][2] == Change.CHANGED:
            revisits[row] = (*revisits[row][:2], found)
            break
    return b"".join(_REVISIT.pack(*revisit) for revisit in revisits)


def _found(history: bytes, row: int) -> int:
    return history[(row + 1) * _REVISIT.size - 1]


def _seconds(at: float) -> int:
    return int(min(max(at, 0.0), _LATEST))
