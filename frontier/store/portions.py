"""Many rows as a few arrays: they leave the cursor in portions, so that no row is alive twice."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

_PORTION = 8192


class InconsistentError(ValueError):
    """The rows contradict each other; the opener says so as StoreDamagedError."""


def require(condition: bool | np.bool_, what: str) -> None:  # noqa: FBT001  # an assertion
    """Raise InconsistentError where a condition does not hold."""
    if not condition:
        raise InconsistentError(f"{what} do not fit together")


def portions(cursor: sqlite3.Cursor, statement: str) -> Iterator[tuple[tuple[Any, ...], ...]]:
    """Yield the columns of a few thousand rows at a time."""
    cursor.execute(statement)
    while rows := cursor.fetchmany(_PORTION):
        yield tuple(zip(*rows, strict=True))


def columns(
    cursor: sqlite3.Cursor, statement: str, *types: type[np.generic]
) -> tuple[NDArray[Any], ...]:
    """Return the columns of all rows as arrays of these types; a null is NaN."""
    found: list[list[NDArray[Any]]] = [[np.empty(0, one)] for one in types]
    for portion in portions(cursor, statement):
        for parts, kind, column in zip(found, types, portion, strict=True):
            parts.append(np.array(column, kind))
    return tuple(np.concatenate(found.pop(0)) for _ in types)
