"""From the name of a format to files that appear whole or not at all."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from frontier.export.crawled import CrawledGraph
from frontier.export.tables import ENDS, ID, WEIGHT, clean, write_csv, write_parquet
from frontier.store import StoreReader
from ranking.errors import MissingExtraError, OfflineInputError
from ranking.offline.files import COMPRESSED, STDIO, new_file

if TYPE_CHECKING:
    from frontier.export.tables import ExportColumn, Row, Value

    WriteTable = Callable[[IO[bytes], tuple[ExportColumn, ...], Iterable[Row]], None]


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
    """Write the crawl in `directory` in the format of that name, of FORMATS.

    `out` is the file to write, compressed where its name ends in .gz, .bz2 or .xz; of a
    format with two files the name that both begin with, or a folder for them. None: a name after
    the crawl's directory, where the process runs. Raises the StoreErrors of `StoreReader.open`,
    OfflineInputError where the file cannot be written and MissingExtraError where a package is
    not installed; neither leaves a file behind.
    """
    with StoreReader.open(directory) as reader:
        graph = CrawledGraph(reader)
        files = FORMATS[name](graph, out or Path(f"{directory.resolve().name}.{name}"))
        return Written(graph.n_nodes, graph.n_edges, files, graph.n_hidden)


def _edges(graph: CrawledGraph, out: Path) -> tuple[Path, ...]:
    """Write source, target and weight of each edge, separated by tabs (the NCOL format)."""
    with new_file(out) as file:
        for source, target, *values in graph.edges():
            file.write(f"{source}\t{target}\t{values[WEIGHT]}\n".encode())
    return (out,)


def _document(name: str, graph: CrawledGraph, out: Path) -> tuple[Path, ...]:
    if str(out) == STDIO:
        raise OfflineInputError(
            f"{name} cannot be written to standard output (-); name a file, or use --format edges"
        )
    with new_file(out) as file:
        _write_document(file, graph, name)
    return (out,)


def _write_document(file: IO[bytes], graph: CrawledGraph, name: str) -> None:
    """Write GraphML or GEXF by networkx, which has the whole graph in memory.

    Nodes carry their URL once more as `label`, which is where programs look for what to show.
    Raises MissingExtraError without networkx.
    """
    try:
        networkx: Any = importlib.import_module("networkx")
    except ImportError as error:
        raise MissingExtraError("networkx", f"writing {name}") from error
    document = networkx.DiGraph()
    for number, *values in graph.nodes():
        document.add_node(number, label=clean(values[0]), **_known(graph.node_columns, values))
    for source, target, *values in graph.edges():
        document.add_edge(source, target, **_known(graph.edge_columns, values))
    write = {"graphml": networkx.write_graphml_xml, "gexf": networkx.write_gexf}[name]
    write(document, file)


def _known(columns: tuple[ExportColumn, ...], values: Iterable[Value]) -> dict[str, Any]:
    pairs = zip(columns, values, strict=True)
    return {column.name: clean(value) for column, value in pairs if value is not None}


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
    "graphml": partial(_document, "graphml"),
    "gexf": partial(_document, "gexf"),
    "csv": partial(_tables, write_csv, ".csv"),
    "edges": _edges,
}
SUFFIXES = {f".{name}": name for name in FORMATS if name != "edges"} | dict.fromkeys(
    (".edges", ".tsv", ".ncol"), "edges"
)
"""End of a file's name -> format; that of edges is called NCOL, and has tabs."""
