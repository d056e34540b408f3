"""An edge list, in text or Parquet, as arrays of ids and their names.

Memory: 8 bytes a link, 4 more with weights, and the names.

Where all ids are integers below 2**31 - 1, they are kept as such and numbered at the end, in
ascending order. Where a later id is none, the file is read once more, with names for all of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from ranking.arrays import Column, IntArray, SingleArray
from ranking.errors import OfflineInputError
from ranking.graph.link_graph import LinkGraph
from ranking.offline.extras import pyarrow
from ranking.offline.files import PARQUET, input_format
from ranking.offline.layout import FileLayout, edge_layout
from ranking.offline.names import NameIds, ReadNames, close_gaps
from ranking.offline.tables import (
    NotAnIntegerError,
    TableRows,
    integers_of,
    names_of,
    numbers_of,
    parquet_rows,
    text_rows,
)

ENDS = ("source", "target")
MOST = float(np.finfo(np.float32).max)


@dataclass(frozen=True, eq=False)
class EdgeList:
    """Links between n names.

    Attributes:
        sources: (L,) int32 ids.
        targets: (L,) int32 ids.
        weights: (L,) float32 >= 0, 0 = nofollow; None: all 1.
        names: n names, by id, integers in ascending order. Exactly the names that occur are
            nodes: gaps between integers are none.
        notes: what a user should know about how the input was read, a line each.

    """

    sources: IntArray
    targets: IntArray
    weights: SingleArray | None
    names: ReadNames
    notes: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """Number of nodes."""
        return len(self.names)

    @property
    def n_links(self) -> int:
        """Number of links as they were read, repeated ones and self-loops included."""
        return len(self.sources)

    def graph(self) -> LinkGraph:
        """The link graph: no self-loops, repeated links once with their largest weight."""
        return LinkGraph.from_edges(self.sources, self.targets, self.weights, self.n)


def read_edges(
    path: str | Path,
    *,
    separator: str | None = None,
    weighted: bool = True,
    named: bool = False,
) -> EdgeList:
    """Read an edge list.

    Args:
        path: a file, or "-" for standard input; text may be compressed (.gz, .bz2, .xz, .zst).
        separator: a tab, a blank (for any blanks), a comma or a semicolon; None: found out.
        weighted: read the third column, or the one called weight; False: ignore it.
        named: take integers for names as well, as they are written: 07 is not 7.

    Raises:
        OfflineInputError: a file that cannot be read, is none of this, or holds no link; rows
            are named by their number.
        MissingExtraError: pyarrow is not installed.

    """
    read = partial(_read, path, separator, weighted=weighted)
    try:
        return read(named=named)
    except NotAnIntegerError:
        if not (Path(path).is_file() or Path(path).is_dir()):
            raise  # what came through a pipe does not come again
        return read(named=True)


def _read(path: str | Path, separator: str | None, *, weighted: bool, named: bool) -> EdgeList:
    notes = list[str]()

    def layout_of(head: list[str], name: str) -> FileLayout:
        layout = edge_layout(head, name, separator)
        if layout.head:
            notes.append(f"the first line names the columns: {head[0]}")
        columns = {key: at for key, at in layout.columns.items() if weighted or key != "weight"}
        return layout._replace(columns=columns, integers=layout.integers and not named)

    parts: Iterable[TableRows]
    if input_format(path) == PARQUET:
        parts = parquet_rows(path, partial(_edge_columns, path=path, weighted=weighted))
    else:
        parts = text_rows(path, layout_of)
    links: _Links | None = None
    for rows in parts:
        if links is None:
            types = pyarrow("reading links").types
            integers = all(types.is_integer(rows.columns[end].type) for end in ENDS)
            links = _Links(NameIds() if named or not integers else None)
        links.add(rows)
    if links is None:
        raise OfflineInputError(
            f"{path} holds no link; expected lines of a source and a target, or such columns"
        )
    names = links.names()
    return EdgeList(links.sources, links.targets, links.weights, names, tuple(notes))


def _edge_columns(names: list[str], path: str | Path, *, weighted: bool) -> dict[str, str]:
    low = {name.lower(): name for name in reversed(names)}
    ends = [name for name in ENDS if name in low]
    if len(ends) == 2:
        columns = [*ends, "weight"] if weighted and "weight" in low else ends
        return {name: low[name] for name in columns}
    if ends or len(names) < 2:
        raise OfflineInputError(
            f"{path}: expected columns source and target, or else at least two columns, "
            f"got {', '.join(names) or 'none'}"
        )
    return {"source": names[0], "target": names[1]}


class _Links:
    """Links that come part by part, in columns that grow."""

    def __init__(self, ids: NameIds | None) -> None:
        """`ids` gives ids to names; None: names are integers."""
        self._ids = ids
        self._ends = Column(np.int32), Column(np.int32)
        self._weights = Column(np.float32)

    @property
    def sources(self) -> IntArray:
        return self._ends[0].array

    @property
    def targets(self) -> IntArray:
        return self._ends[1].array

    @property
    def weights(self) -> SingleArray | None:
        return self._weights.array if len(self._weights.array) else None

    def add(self, rows: TableRows) -> None:
        """Append links; raises OfflineInputError for names and weights that cannot be used."""
        if "weight" in rows.columns:
            self._weights.extend(numbers_of(rows, "weight", MOST))
        if self._ids is None:
            self._extend([integers_of(rows, end) for end in ENDS])
        else:
            self._extend(self._ids.add(*(names_of(rows, end) for end in ENDS)))

    def names(self) -> ReadNames:
        """The names by id; nothing is to be added any more."""
        if self._ids is None:
            numbers = close_gaps(self.sources, self.targets)
            return ReadNames(pyarrow("reading links").array(numbers))
        self._extend(self._ids.ids())
        return ReadNames(self._ids.names)

    def _extend(self, ids: list[IntArray]) -> None:
        for place, some in enumerate(ids):
            self._ends[place % 2].extend(some)
