"""Rows whose values are what their columns hold: SQLite would give anything that lies in the file.

A broken file may hold a text where a number belongs. Whoever reads it is told so here, as damage,
and not wherever the value is first used.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, TypeVar, get_args, get_type_hints

Row = TypeVar("Row", bound=tuple[Any, ...])


def typed(kind: type[Row], values: Sequence[Any]) -> Row:
    """Return values as a row, a named tuple; ValueError where one is not of its field's type."""
    for value, (name, allowed) in zip(values, _fields(kind), strict=True):
        if not isinstance(value, allowed):
            raise ValueError(f"{name} of a {kind.__name__} is {value!r:.60}")
    return kind(*values)


@cache
def _fields(kind: type[Any]) -> tuple[tuple[str, tuple[type, ...]], ...]:
    """The names of the fields, and the types that their values may have."""
    hints = get_type_hints(kind)
    return tuple((name, _allowed(hints[name])) for name in kind._fields)


def _allowed(hint: Any) -> tuple[type, ...]:
    kinds = get_args(hint) or (hint,)
    return (*kinds, int) if float in kinds else kinds
