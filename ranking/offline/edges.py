"""An edge list, in text or Parquet, as arrays of ids and their names.

Names are text as it is written, integers too. They are encoded as dictionaries of pyarrow, part by
part, which become one at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ranking.arrays import IntArray, SingleArray
from ranking.errors import OfflineInputError
from ranking.graph.link_graph import LinkGraph
from ranking.offline.extras import pyarrow
from ranking.offline.files import PARQUET, input_format
from ranking.offline.tables import (
    FileLayout,
    TableRows,
    edge_layout,
    names_of,
    numbers_of,
    parquet_rows,
    text_rows,
)

ENDS = ("source", "target")
MOST = float(np.finfo(np.float32).max)
HELD = 1 << 20  # names that wait for their ids at least; more at a time are faster


@dataclass(frozen=True, eq=False)
class EdgeList:
    """Links between n names.

    Attributes:
        sources: (L,) int32 ids.
        targets: (L,) int32 ids.
        weights: (L,) float32 >= 0, 0 = nofollow; None: all 1.
        names: (n,) large_string array of pyarrow, by id, in the order in which they come. Exactly
            these are nodes. A name costs its bytes and 8 more, a Python string 60 more.
        notes: what a user should know about how the input was read, a line each.

    """

    sources: IntArray
    targets: IntArray
    weights: SingleArray | None
    names: Any
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
) -> EdgeList:
    """Read an edge list.

    Args:
        path: a file, or "-" for standard input; text may be compressed (.gz, .bz2, .xz).
        separator: a tab, a blank, a comma or a semicolon; None: found out.
        weighted: read the third column, or the one called weight; False: ignore it.

    Raises:
        OfflineInputError: a file that cannot be read, is none of this, or holds no link; rows
            are named by their number.
        MissingExtraError: pyarrow is not installed.

    """
    notes = list[str]()
    strings, weights = NameIds(), [np.empty(0, np.float32)]
    for rows in _parts(path, separator, notes, weighted=weighted):
        for end in ENDS:
            strings.add(names_of(rows, end))
        if "weight" in rows.columns:
            weights.append(numbers_of(rows, "weight", MOST).astype(np.float32))
    ids, names = strings.result()
    if not ids:
        raise OfflineInputError(
            f"{path} holds no link; expected lines of a source and a target, or such columns"
        )
    every = np.concatenate(weights) if len(weights) > 1 else None
    return EdgeList(np.concatenate(ids[::2]), np.concatenate(ids[1::2]), every, names, tuple(notes))


def _parts(
    path: str | Path, separator: str | None, notes: list[str], *, weighted: bool
) -> Iterator[TableRows]:
    def layout_of(head: list[str], name: str) -> FileLayout:
        layout = edge_layout(head, name, separator)
        if layout.head:
            notes.append(f"the first line names the columns: {head[0]}")
        columns = {key: at for key, at in layout.columns.items() if weighted or key != "weight"}
        return layout._replace(columns=columns)

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


class NameIds:
    """Ids of names in the order in which they come.

    The names of each array wait, once each, until there are as many as all names that have ids;
    then their dictionaries become one. So a name is hashed a few times, however long the file is.
    """

    def __init__(self) -> None:
        arrow = pyarrow("reading links")
        self._names = arrow.array([], arrow.large_string())
        self._waiting: list[Any] = []
        self._count = 0
        self._ids: list[IntArray] = []

    def add(self, names: Any) -> None:
        """Take an array of names."""
        self._waiting.append(names.dictionary_encode())
        self._count += len(self._waiting[-1].dictionary)
        if self._count > max(HELD, len(self._names)):
            self._settle()

    def _settle(self) -> None:
        arrow = pyarrow("reading links")
        known = arrow.DictionaryArray.from_arrays(arrow.array([], arrow.int32()), self._names)
        chunks = arrow.chunked_array([known, *self._waiting]).unify_dictionaries().chunks
        self._names = chunks[-1].dictionary
        self._ids += [chunk.indices.to_numpy() for chunk in chunks[1:]]
        self._waiting, self._count = [], 0

    def result(self) -> tuple[list[IntArray], Any]:
        """The ids of each array that came, and the names."""
        self._settle()
        return self._ids, self._names
