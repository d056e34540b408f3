"""What looks at a page found: its last looks, in the few bytes that are stored of each."""

from __future__ import annotations

import struct
from typing import Final, NamedTuple

from frontier.states import Change

KEPT: Final = 16
"""Looks of a page that are kept."""
_LOOK: Final = struct.Struct("<IHB")
_LATEST: Final = (1 << 32) - 1
_GREATEST_STATUS: Final = (1 << 16) - 1


class PastLook(NamedTuple):
    """A look at a page: when, how the server answered, what that showed."""

    at: float
    """Unix seconds, in whole ones."""
    status: int | None
    """HTTP status; None: no answer."""
    found: Change


def past_looks(history: bytes) -> list[PastLook]:
    """Return the looks that are kept of a page, oldest first; ValueError for what holds none."""
    if len(history) % _LOOK.size:
        raise ValueError(f"{len(history)} bytes, which are no looks of {_LOOK.size} bytes each")
    return [
        PastLook(float(at), status or None, Change(found))
        for at, status, found in _LOOK.iter_unpack(history)
    ]


def tells_any(history: bytes, changes: frozenset[Change], since: float) -> bool:
    """Whether a look that is kept found one of these changes, at `since` (Unix seconds) or later.

    Costs a tenth of reading them; of what holds no looks it is True.
    """
    if len(history) % _LOOK.size:
        return True
    return any(found in changes and at >= since for at, _, found in _LOOK.iter_unpack(history))


def with_look(history: bytes, at: float, status: int | None, found: Change) -> bytes:
    """Return a history with one more look, without the oldest where it would hold over KEPT.

    `at` is in Unix seconds and kept in whole ones, from 0 to those of the year 2106.
    """
    seconds = int(min(max(at, 0.0), _LATEST))
    look = _LOOK.pack(seconds, min(max(status or 0, 0), _GREATEST_STATUS), found)
    return (history + look)[-KEPT * _LOOK.size :]
