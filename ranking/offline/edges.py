"""An edge list, in text or Parquet, as arrays of ids and their names.

Text is one link a line: source, target and perhaps a weight, separated by tabs, blanks, commas or
semicolons; it is read in pieces, decompressed on the way. Parquet is read in batches. Memory: 8
bytes a link, 4 more with weights, and the names; see docs/offline-ranking.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from ranking.arrays import IntArray, SingleArray
from ranking.graph.link_graph import LinkGraph
from ranking.offline._names import NameTable
from ranking.offline.building import LinkBuilder
from ranking.offline.errors import OfflineInputError
from ranking.offline.files import PARQUET, input_format
from ranking.offline.layout import NONE, TAB, Layout, edge_layout
from ranking.offline.lines import Progress, data_lines, pieces, tokens, without_head
from ranking.offline.names import Names
from ranking.offline.parquet import read_parquet
from ranking.offline.streams import open_source


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
    kind: str | None = None,
    separator: str | None = None,
    weighted: bool = True,
    named: bool = False,
    progress: Progress | None = None,
) -> EdgeList:
    """Read an edge list.

    Args:
        path: a file, or "-" for standard input; text may be compressed (.gz, .bz2, .xz, .zst).
        kind: "text" or "parquet"; None: by suffix.
        separator: a tab, a blank (for any blanks), a comma or a semicolon; None: found out.
        weighted: read the third column, or the one called weight; False: ignore it.
        named: take integers for names as well, as they are written: 07 is not 7, -1 is allowed.
        progress: told how many bytes (of Parquet: rows) are read, and of how many.

    Raises:
        OfflineInputError: a file that cannot be read, is none of this, or holds no link; lines
            are named by their number.
        MissingExtraError: the file needs a package that is not installed.

    """
    notes: list[str]
    builder = LinkBuilder(NameTable() if named else None)
    if (kind or input_format(path)) == PARQUET:
        read_parquet(path, builder, weighted=weighted, progress=progress)
        separator, notes = TAB, []
    else:
        layout, notes = _read_text(path, builder, separator, weighted, progress)
        separator = layout.separator
    links = builder.finish()
    if not len(links.sources):
        raise OfflineInputError(
            f"{path} holds no link; expected lines of a source and a target, or such columns"
        )
    return EdgeList(
        links.sources, links.targets, links.weights, links.names, separator, tuple(notes)
    )


def _read_text(
    path: str | Path,
    builder: LinkBuilder,
    separator: str | None,
    weighted: bool,  # noqa: FBT001 - a column to read or not, handed on
    progress: Progress | None,
) -> tuple[Layout, list[str]]:
    layout: Layout | None = None
    comments = 0
    notes = []
    with open_source(path) as source:
        for piece in pieces(source, progress):
            if layout is None:
                head = data_lines(piece, 2)
                if not head:
                    continue
                layout = edge_layout(head, str(path), separator)
                if not weighted:
                    layout = replace(layout, value=NONE, limit=0)
                if layout.head:
                    notes.append(f"the first line names the columns: {head[0]}")
                    piece = without_head(piece)
            found = tokens(piece, layout, source.name)
            builder.add(found, source.name)
            comments += found.comments
    if comments:
        notes.append(f"{comments} comment lines were skipped")
    return layout or Layout(TAB), notes
