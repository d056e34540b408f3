"""An edge list, in text or Parquet, as arrays of ids and their names.

Memory: 8 bytes a link, 4 more with weights, and the names; see docs/offline-ranking.md.

As long as all ids are integers below 2**31 - 1, they are kept as such and numbered at the end, in
ascending order. The first id that is none makes names of all of them, those before it included:
then ids are given in the order of first appearance. Either way what comes out does not depend on
how the input was cut into pieces.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ranking.arrays import Column, IntArray, SingleArray
from ranking.errors import OfflineInputError
from ranking.graph.link_graph import LinkGraph
from ranking.offline._names import NameTable
from ranking.offline._numbers import parse_numbers
from ranking.offline.extras import Progress
from ranking.offline.files import PARQUET, input_format
from ranking.offline.layout import NONE, TAB, Layout, edge_layout
from ranking.offline.lines import read_lines
from ranking.offline.names import Names, NumberLinks, TextNames, Tokens, as_text, close_gaps
from ranking.offline.parquet import edge_rows

BLOCK = 1 << 16  # links renamed at a time
NEGATIVE = 2  # of ranking/offline/_numbers.pyx


@dataclass(frozen=True, eq=False)
class EdgeList:
    """Links between n names.

    Attributes:
        sources: (L,) int32 ids.
        targets: (L,) int32 ids.
        weights: (L,) float32 >= 0, 0 = nofollow; None: all 1.
        names: n names, by id. Integer ids come in ascending order, other names in the order of
            first appearance. Exactly the names that occur are nodes: gaps between integers are
            none.
        separator: of the text that was read; a tab for Parquet.
        notes: what a user should know about how the input was read, a line each.

    """

    sources: IntArray
    targets: IntArray
    weights: SingleArray | None
    names: Names
    separator: str = TAB
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
    progress: Progress | None = None,
) -> EdgeList:
    """Read an edge list.

    Args:
        path: a file, or "-" for standard input; text may be compressed (.gz, .bz2, .xz, .zst).
        separator: a tab, a blank (for any blanks), a comma or a semicolon; None: found out.
        weighted: read the third column, or the one called weight; False: ignore it.
        named: take integers for names as well, as they are written: 07 is not 7, -1 is allowed.
        progress: told how many bytes (of Parquet: rows) are read, and of how many.

    Raises:
        OfflineInputError: a file that cannot be read, is none of this, or holds no link; lines
            are named by their number.
        MissingExtraError: the file needs a package that is not installed.

    """
    notes = list[str]()

    def layout_of(head: list[str], name: str) -> Layout:
        layout = edge_layout(head, name, separator)
        if layout.head:
            notes.append(f"the first line names the columns: {head[0]}")
        return layout if weighted else replace(layout, value=NONE, limit=0)

    builder, used, comments = _Builder(named=named), TAB, 0
    parts: Iterable[Tokens | NumberLinks]
    if input_format(path) == PARQUET:
        parts = edge_rows(path, weighted=weighted, progress=progress)
    else:
        parts = read_lines(path, layout_of, progress)
    for part in parts:
        if isinstance(part, NumberLinks):
            builder.add_numbers(part)
        else:
            builder.add(part)
            used, comments = part.separator, comments + part.comments
    if comments:
        notes.append(f"{comments} comment lines were skipped")
    if not len(builder):
        raise OfflineInputError(
            f"{path} holds no link; expected lines of a source and a target, or such columns"
        )
    return builder.edges(used, tuple(notes))


class _Builder:
    """Links that come piece by piece, in columns that grow.

    Invariant: `_table` is None and the columns hold numbers, or they hold ids of the table.
    """

    def __init__(self, *, named: bool) -> None:
        self._table = NameTable() if named else None
        self._sources, self._targets = Column(np.int32), Column(np.int32)
        self._weights: Column[np.float32] | None = None

    def __len__(self) -> int:
        return len(self._sources.array)

    def add(self, tokens: Tokens) -> None:
        """Append links: the names are source, target, source, ...

        Raises OfflineInputError for a negative id where all before are integers, and for a
        weight that float32 cannot hold.
        """
        where = tokens.text, tokens.starts, tokens.lengths
        ids = np.empty(len(tokens.starts), np.int32)
        if self._table is None:
            read, problem = parse_numbers(*where, ids) if tokens.numeric else (0, 1)
            if problem == NEGATIVE:
                raise OfflineInputError(
                    f"{tokens.where(read)}: expected integer ids of 0 or more, got "
                    f"{tokens.name(read)}; read ids as names with --names"
                )
            if problem:
                self._table = self._named()
        if self._table is not None:
            self._table.intern(*where, ids)
        self._extend(ids, _single(tokens) if tokens.valued else None)

    def add_numbers(self, links: NumberLinks) -> None:
        """Append links between integers; raises OfflineInputError for a weight, see `add`."""
        if self._table is None:
            self._extend(links.ends, None if links.values is None else _single(links))
        else:
            self.add(links.tokens())

    def edges(self, separator: str, notes: tuple[str, ...]) -> EdgeList:
        """All links; the builder is not to be used any more."""
        sources, targets = self._sources.array, self._targets.array
        weights = None if self._weights is None else self._weights.array
        names = close_gaps(sources, targets) if self._table is None else TextNames(self._table)
        return EdgeList(sources, targets, weights, names, separator, notes)

    def _extend(self, ends: IntArray, weights: SingleArray | None) -> None:
        """Append k links: `ends` (2k,) are source, target, source, ...; weights None: all 1."""
        if weights is not None and self._weights is None:
            self._weights = Column(np.float32)
            self._weights.extend(np.ones(len(self), np.float32))
        if self._weights is not None:
            self._weights.extend(np.ones(len(ends) // 2) if weights is None else weights)
        self._sources.extend(ends[0::2])
        self._targets.extend(ends[1::2])

    def _named(self) -> NameTable:
        """Make names of the numbers read so far."""
        table = NameTable()
        sources, targets = self._sources.array, self._targets.array
        for start in range(0, len(sources), BLOCK):
            block = slice(start, start + BLOCK)
            ends = np.stack([sources[block], targets[block]], axis=1).ravel()
            table.intern(*as_text(ends), ends)
            sources[block], targets[block] = ends[0::2], ends[1::2]
        return table


def _single(links: Tokens | NumberLinks) -> SingleArray:
    """Weights as float32. None may become 0, which would make a followed link a nofollow link."""
    values = links.values
    assert values is not None
    with np.errstate(over="ignore", under="ignore"):
        single = values.astype(np.float32)
    bad = np.flatnonzero((values > np.finfo(np.float32).max) | ((single == 0) & (values > 0)))
    if bad.size:
        raise OfflineInputError(
            f"{links.where(2 * int(bad[0]))}: expected a weight that a float32 can hold "
            f"(1e-45 to 3e38), got {values[bad[0]]}; scale the weights"
        )
    return single
