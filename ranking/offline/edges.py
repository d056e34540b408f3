"""An edge list, in text or Parquet, as arrays of ids and their names.

Names are encoded as dictionaries of pyarrow, part by part, which become one at the end. Where all
ids are integers below 2**31 - 1, they are kept as such and numbered at the end, in ascending order.
Where a later id is none, the file is read once more, with names for all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ranking.arrays import MAX_ID, IntArray, SingleArray
from ranking.errors import OfflineInputError
from ranking.graph.link_graph import LinkGraph
from ranking.offline.extras import pyarrow
from ranking.offline.files import PARQUET, input_format
from ranking.offline.names import ReadNames
from ranking.offline.tables import (
    FileLayout,
    NotAnIntegerError,
    TableRows,
    edge_layout,
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
        path: a file, or "-" for standard input; text may be compressed (.gz, .bz2, .xz).
        separator: a tab, a blank, a comma or a semicolon; None: found out.
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
    parts = list[Any]()
    weights = [np.empty(0, np.float32)]
    integers = None
    for rows in _parts(path, separator, notes, weighted=weighted, named=named):
        ends = [names_of(rows, end) for end in ENDS]
        if integers is None:
            is_integer = pyarrow("reading links").types.is_integer
            integers = not named and all(is_integer(names.type) for names in ends)
        parts += [_small(names, rows) if integers else _encoded(names) for names in ends]
        if "weight" in rows.columns:
            weights.append(numbers_of(rows, "weight", MOST).astype(np.float32))
    if not parts:
        raise OfflineInputError(
            f"{path} holds no link; expected lines of a source and a target, or such columns"
        )
    ids, names = (_numbered if integers else _unified)(parts)
    every = np.concatenate(weights) if len(weights) > 1 else None
    return EdgeList(np.concatenate(ids[::2]), np.concatenate(ids[1::2]), every, names, tuple(notes))


def _parts(
    path: str | Path, separator: str | None, notes: list[str], *, weighted: bool, named: bool
) -> Iterator[TableRows]:
    def layout_of(head: list[str], name: str) -> FileLayout:
        layout = edge_layout(head, name, separator)
        if layout.head:
            notes.append(f"the first line names the columns: {head[0]}")
        columns = {key: at for key, at in layout.columns.items() if weighted or key != "weight"}
        return layout._replace(columns=columns, integers=layout.integers and not named)

    if input_format(path) == PARQUET:
        return parquet_rows(path, partial(_edge_columns, path=path, weighted=weighted))
    return text_rows(path, layout_of)


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


def _small(names: Any, rows: TableRows) -> IntArray:
    """Names as numbers in [0, MAX_ID); raises NotAnIntegerError for others."""
    numbers = names.to_numpy()
    bad = np.flatnonzero((numbers < 0) | (numbers >= MAX_ID))
    if bad.size:
        raise NotAnIntegerError(
            f"{rows.where(int(bad[0]))}: expected ids from 0 to {MAX_ID - 1}, got "
            f"{numbers[bad[0]]}. Read ids as names with --names"
        )
    return np.asarray(numbers, np.int32)


def _encoded(names: Any) -> Any:
    return names.cast(pyarrow("reading links").large_string()).dictionary_encode()


def _unified(parts: list[Any]) -> tuple[list[IntArray], ReadNames]:
    """Ids of encoded names in the order in which they came, one array for each, and the names."""
    encoded = pyarrow("reading links").chunked_array(parts).unify_dictionaries()
    ids = [chunk.indices.to_numpy() for chunk in encoded.chunks]
    return ids, ReadNames(encoded.chunk(0).dictionary)


def _numbered(parts: list[IntArray]) -> tuple[list[IntArray], ReadNames]:
    """Numbers as ids in their order, without gaps; and the numbers."""
    occurs = np.zeros(1 + max(int(part.max()) for part in parts), np.bool_)
    for part in parts:
        occurs[part] = True
    ids = np.cumsum(occurs, dtype=np.int32) - np.int32(1)
    numbers = np.flatnonzero(occurs).astype(np.int32)
    return [ids[part] for part in parts], ReadNames(pyarrow("reading links").array(numbers))
