"""Export files, which appear whole or not at all.

pyarrow writes tables, networkx writes GraphML and GEXF. All formats hold the same text, with U+FFFD
for characters that XML cannot hold (most controls, lone surrogates, U+FFFE), because many readers
of CSV fail at these, too.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from frontier.export.crawled import ENDS, ID, CrawledGraph
from frontier.store import StoreReader
from ranking.errors import MissingExtraError, OfflineInputError
from ranking.offline.extras import pyarrow
from ranking.offline.files import COMPRESSED, STDIO, new_file

if TYPE_CHECKING:
    from frontier.export.crawled import ExportColumn, Row, Value

_ROWS = 1 << 14
"""Rows of a row group of Parquet, the part of a table in memory: about 5 MB."""
# XML 1.0, production 2 (Char).
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Written(NamedTuple):
    """The result of an export; `hidden` counts the noindex pages left out."""

    nodes: int
    edges: int
    files: tuple[Path, ...]
    hidden: int = 0


def format_of(out: Path) -> str | None:
    """The format by the ending of a file's name, compressed or not; None for another ending."""
    suffixes = [suffix.lower() for suffix in out.suffixes]
    if suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    return SUFFIXES.get(suffixes[-1]) if suffixes else None


def export_crawl(directory: Path, name: str, out: Path | None = None) -> Written:
    """Write the crawl in `directory` in the format of that name, of FORMATS.

    `out` is the file to write, compressed if its name ends in .gz, .bz2 or .xz; for a format with
    two files the common beginning of their names, or a folder for them. None: the name of the
    crawl's directory, in the current directory. Raises the StoreErrors of `StoreReader.open`,
    OfflineInputError if the file cannot be written and MissingExtraError if a package is not
    installed; neither leaves a file behind.
    """
    with StoreReader.open(directory) as reader:
        graph = CrawledGraph(reader)
        files = FORMATS[name](graph, out or Path(f"{directory.resolve().name}.{name}"))
        return Written(graph.n_nodes, graph.n_edges, files, graph.n_hidden)


def _edges(graph: CrawledGraph, out: Path) -> tuple[Path, ...]:
    write_links(graph.links(), out)
    return (out,)


def write_links(links: Iterable[tuple[str, str, int]], out: Path) -> int:
    """Write source, target and weight of links, separated by tabs (the NCOL format).

    Returns how many there are. Raises OfflineInputError where the file cannot be written.
    """
    written = 0
    with new_file(out) as file:
        for source, target, weight in links:
            file.write(f"{source}\t{target}\t{weight}\n".encode())
            written += 1
    return written


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

    Nodes have their URL as `label`, too, which programs show. Raises MissingExtraError without
    networkx.
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


def _tables(suffix: str, graph: CrawledGraph, out: Path) -> tuple[Path, ...]:
    nodes, edges = _two_files(out, suffix)
    with new_file(nodes) as of_nodes, new_file(edges) as of_edges:
        _write_table(of_nodes, suffix, (ID, *graph.node_columns), graph.nodes())
        _write_table(of_edges, suffix, (*ENDS, *graph.edge_columns), graph.edges())
    return nodes, edges


def _write_table(
    file: IO[bytes], suffix: str, columns: tuple[ExportColumn, ...], rows: Iterable[Row]
) -> None:
    """Write a table in portions of rows; raises MissingExtraError without pyarrow."""
    arrow = pyarrow("writing tables")
    schema = arrow.schema([(name, arrow.type_for_alias(kind)) for name, kind in columns])
    if suffix == ".csv":
        writer = pyarrow("writing CSV", "pyarrow.csv").CSVWriter(file, schema)
    else:
        writer = pyarrow("writing Parquet", "pyarrow.parquet").ParquetWriter(file, schema)
    remaining = iter(rows)
    with writer:
        while portion := list(islice(remaining, _ROWS)):
            arrays = [
                arrow.array(map(clean, values), field.type)
                for field, values in zip(schema, zip(*portion, strict=True), strict=True)
            ]
            writer.write_table(arrow.Table.from_arrays(arrays, schema=schema))


def clean(value: Value) -> Value:
    """Return a text without the characters that XML cannot hold, and any other value as it is."""
    return _ILLEGAL.sub("\ufffd", value) if isinstance(value, str) else value


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
    ending = next((ending for ending in endings if out.name.lower().endswith(ending)), "")
    stem = out.name[: len(out.name) - len(ending)]
    tail = out.name[len(stem) :] or suffix
    return out.with_name(f"{stem}.nodes{tail}"), out.with_name(f"{stem}.edges{tail}")


FORMATS: dict[str, Callable[[CrawledGraph, Path], tuple[Path, ...]]] = {
    "parquet": partial(_tables, ".parquet"),
    "graphml": partial(_document, "graphml"),
    "gexf": partial(_document, "gexf"),
    "csv": partial(_tables, ".csv"),
    "edges": _edges,
}
SUFFIXES = {f".{name}": name for name in FORMATS if name != "edges"} | dict.fromkeys(
    (".edges", ".tsv", ".ncol"), "edges"
)
"""Ending of a file's name -> format; the format edges is also called NCOL."""
