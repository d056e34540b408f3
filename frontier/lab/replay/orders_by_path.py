"""Rows of a lab's table that are crawl orders of a user's own, named by import path."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from frontier.errors import LabError
from ranking.orders import ORDERS, order_class


@dataclass(frozen=True)
class OrderByPath:
    """An order at an import path: the name and words it has in reports, a digest of its source."""

    name: str
    summary: str
    code: str


def orders_by_path(rows: Iterable[str]) -> dict[str, OrderByPath]:
    """The rows that are import paths, by path.

    Raises UnknownOrderError where no order is, LabError where two rows would have one name.
    """
    rows = list(rows)
    found = {row: _described(row) for row in rows if "." in row}
    names = [found[row].name if row in found else row for row in rows]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise LabError(
            f"expected --strategies that can be told apart, but several are called "
            f"{', '.join(repeated)}. Give each class a `name` of its own"
        )
    return found


def _described(path: str) -> OrderByPath:
    kind = order_class(path)
    return OrderByPath(kind.name, kind.summary, _code(kind))


def _code(kind: type) -> str:
    """Digest of the modules that the class and its bases are written in, ours left out."""
    ours = {order.__module__ for order in ORDERS.values()}
    modules = {base.__module__ for base in kind.__mro__} - ours - {"abc", "builtins"}
    digest = blake2b(f"{kind.__module__}.{kind.__qualname__}".encode(), digest_size=16)
    for name in sorted(modules):
        source = inspect.getsourcefile(sys.modules[name])
        digest.update(Path(source).read_bytes() if source else b"")
    return digest.hexdigest()
