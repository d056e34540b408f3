"""From the name of a format to files that appear whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

from frontier.export.columns import ENDS, ID
from frontier.export.crawled import CrawledGraph
from frontier.export.documents import gexf_lines, graphml_lines
from frontier.export.tables import edge_lines, write_csv, write_parquet
from frontier.store import StoreReader
from ranking.errors import OfflineInputError
from ranking.offline.files import COMPRESSED, STDIO, new_file

if TYPE_CHECKING:
    from frontier.export.columns import Column, Row

    WriteTable = Callable[[IO[bytes], tuple[Column, ...], Iterable[Row]], None]


RAW_CSV = "raw csv"
"""CSV with texts as they are, also where a spreadsheet would compute them; not for people."""


class Written(NamedTuple):
    """What an export came to; `hidden` counts the pages that ask not to be shown."""

    nodes: int
    edges: int
    files: tuple[Path, ...]
    hidden: int = 0


def format_of(out: Path) -> str | None:
    """The format that a file's name asks for, compressed or not; None where it asks for none."""
    suffixes = [suffix.lower() for suffix in out.suffixes]
    if suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    return SUFFIXES.get(suffixes[-1]) if suffixes else None


def export_crawl(directory: Path, name: str, out: Path | None = None) -> Written:
    """Write the crawl in `directory` in the format of that name (of FORMATS, or RAW_CSV).

    `out` is the file to write, compressed where its name ends in .gz, .bz2 or .xz; of a
    format with two files the name that both begin with, or a folder for them. None: a name after
    the crawl's directory, where the process runs. Raises the StoreErrors of `StoreReader.open`,
    OfflineInputError where the file cannot be written and MissingExtraError where a package is
    not installed; neither leaves a file behind.
    """
    with StoreReader.open(directory) as reader:
        kind, write = ("csv", _RAW) if name == RAW_CSV else (name, FORMATS[name])
        graph = CrawledGraph(reader)
        files = write(graph, out or Path(f"{directory.resolve().name}.{kind}"))
        return Written(graph.n_nodes, graph.n_edges, files, graph.n_hidden)


def _document(
    lines: Callable[[CrawledGraph], Iterator[str]], graph: CrawledGraph, out: Path
) -> tuple[Path, ...]:
    with new_file(out) as file:
        for line in lines(graph):
            file.write(line.encode())
    return (out,)


def _tables(
    write_table: WriteTable, suffix: str, graph: CrawledGraph, out: Path
) -> tuple[Path, ...]:
    nodes, edges = _two_files(out, suffix)
    with new_file(nodes) as of_nodes, new_file(edges) as of_edges:
        write_table(of_nodes, (ID, *graph.node_columns), graph.nodes())
        write_table(of_edges, (*ENDS, *graph.edge_columns), graph.edges())
    return nodes, edges


def _two_files(out: Path, suffix: str) -> tuple[Path, Path]:
    """Name the two files: crawl.csv -> crawl.nodes.csv, crawl.edges.csv."""
    if str(out) == STDIO:
        raise OfflineInputError(
            f"nodes and edges ({suffix}) are two files, which standard output (-) cannot be; name "
            f"a file or a folder, or use --format edges"
        )
    if suffix == ".parquet" and out.name.lower().endswith(COMPRESSED):
        raise OfflineInputError(
            f"Parquet is compressed inside, and nobody could read {out}; leave "
            f"{out.suffix} out of the name"
        )
    if out.is_dir():
        return out / f"nodes{suffix}", out / f"edges{suffix}"
    endings = [suffix + packed for packed in ("", *COMPRESSED)]
    ending = next((one for one in endings if out.name.lower().endswith(one)), "")
    stem = out.name[: len(out.name) - len(ending)]
    tail = out.name[len(stem) :] or suffix
    return out.with_name(f"{stem}.nodes{tail}"), out.with_name(f"{stem}.edges{tail}")


FORMATS: dict[str, Callable[[CrawledGraph, Path], tuple[Path, ...]]] = {
    "parquet": partial(_tables, write_parquet, ".parquet"),
    "graphml": partial(_document, graphml_lines),
    "gexf": partial(_document, gexf_lines),
    "csv": partial(_tables, write_csv, ".csv"),
    "edges": partial(_document, edge_lines),
}
SUFFIXES = {f".{name}": name for name in FORMATS if name != "edges"} | dict.fromkeys(
    (".edges", ".tsv", ".ncol"), "edges"
)
"""End of a file's name -> format; that of edges is called NCOL, and has tabs."""
_RAW = partial(_tables, partial(write_csv, raw=True), ".csv")
