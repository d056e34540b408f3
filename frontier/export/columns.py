"""The columns of an export, and their values as readers get them.

A portion of a table has a list of values for each column, or an array of NumPy in which NaN is
unknown. Times are Unix seconds in an array, and ISO 8601 in a list. Texts hold no character that
XML cannot hold (most controls, lone surrogates, U+FFFE), because many readers of CSV fail at these,
too: U+FFFD takes its place.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from frontier.inspection.reports import iso_time

if TYPE_CHECKING:
    from numpy.typing import NDArray

Value = str | int | float | bool | None
Values: TypeAlias = "Sequence[Any] | NDArray[Any]"
Portion = dict[str, Values]
"""Column -> the values of some rows, in the order of the columns."""

# XML 1.0, production 2 (Char).
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class ExportColumn(NamedTuple):
    """A column: its name, the kind of its values, and what they mean.

    Kinds are pyarrow's names of types; `time` is a moment in UTC.
    """

    name: str
    kind: str
    meaning: str


class Graph(ABC):
    """Nodes and links as portions of two tables, which can be iterated over repeatedly.

    A node has its id and its name in its first columns, a link its ends.
    """

    page_columns: tuple[ExportColumn, ...]
    link_columns: tuple[ExportColumn, ...]
    n_pages: int
    n_links: int
    n_hidden: int
    """Pages that are left out, because they ask for it."""

    @abstractmethod
    def pages(self) -> Iterator[Portion]:
        """Yield the nodes by id."""

    @abstractmethod
    def links(self) -> Iterator[Portion]:
        """Yield the links, each pair of nodes once."""

    @abstractmethod
    def named_links(self) -> Iterator[tuple[str, str, int]]:
        """Yield (source, target, weight) of each link, by the names of nodes."""

    def page_rows(self) -> Iterator[tuple[Value, ...]]:
        """Yield the values of the columns of each node, by id."""
        for portion in self.pages():
            yield from rows_of(self.page_columns, portion)

    def link_rows(self) -> Iterator[tuple[Value, ...]]:
        """Yield the values of the columns of each link."""
        for portion in self.links():
            yield from rows_of(self.link_columns, portion)


def clean(values: Sequence[str | None]) -> list[str | None]:
    """Return texts without the characters that XML cannot hold; "" is None, unknown."""
    # What is printable holds none of them.
    if " ".join(filter(None, values)).isprintable():
        return [value or None for value in values]
    return [_ILLEGAL.sub("\ufffd", value) if value else None for value in values]


def times(values: Iterable[float | None]) -> NDArray[np.float64]:
    """Return numbers with NaN for None."""
    return np.array(list(values), np.float64)


def plain(column: ExportColumn, values: Values) -> list[Value]:
    """Return the values of a column as Python has them: None is unknown, a time is ISO 8601."""
    if not isinstance(values, np.ndarray):
        return list(values)
    known = [None if value != value else value for value in values.tolist()]
    if column.kind == "time":
        return [iso_time(value) for value in known]
    if column.kind == "int32" and values.dtype.kind == "f":
        return [None if value is None else int(value) for value in known]
    return known


def rows_of(columns: Sequence[ExportColumn], portion: Portion) -> Iterable[tuple[Value, ...]]:
    """Return the rows of a portion."""
    return zip(*(plain(column, portion[column.name]) for column in columns), strict=True)


def arrow_table(arrow: Any, columns: Sequence[ExportColumn], portion: Portion, **kinds: Any) -> Any:
    """Return a portion as a table of pyarrow; `kinds` are types by the names of kinds."""
    arrays = [
        _arrow_array(arrow, column, portion[column.name], kinds.get(column.kind))
        for column in columns
    ]
    return arrow.table(arrays, names=[column.name for column in columns])


def _arrow_array(arrow: Any, column: ExportColumn, values: Values, kind: Any) -> Any:
    if column.kind == "time":
        if kind is None or not isinstance(values, np.ndarray):
            text = arrow.array(plain(column, values), arrow.string())
            return text if kind is None else text.cast(kind)
        milliseconds = arrow.array(np.round(values * 1000), from_pandas=True)
        return milliseconds.cast(arrow.int64()).cast(kind)
    kind = arrow.type_for_alias(column.kind)
    if isinstance(values, np.ndarray):
        return arrow.array(values, from_pandas=True).cast(kind)
    return arrow.array(values, kind)
