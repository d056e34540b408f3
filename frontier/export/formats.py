"""Export files, which appear whole or not at all.

pyarrow writes tables, networkx writes GraphML and GEXF. All formats hold the same text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from frontier.export.columns import Graph, arrow_table
from frontier.export.crawled import CrawledGraph
from frontier.export.hosts import HostGraph
from frontier.export.parquet import write_tables
from frontier.store import StoreReader
from ranking.errors import OfflineInputError
from ranking.offline.extras import optional, pyarrow
from ranking.offline.files import COMPRESSED, STDIO, new_file

if TYPE_CHECKING:
    from frontier.export.columns import ExportColumn, Portion, Value


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


def export_crawl(
    directory: Path, name: str, out: Path | None = None, *, by_host: bool = False
) -> Written:
    """Write the crawl in `directory` in the format of that name, of FORMATS.

    `out` is the file to write, compressed if its name ends in .gz, .bz2 or .xz; for CSV, which has
    two files, the common beginning of their names, or a folder for them; for Parquet a folder.
    None: the name of the crawl's directory, in the current directory. `by_host`: of the graph of
    hosts, of which there is no Parquet. Raises the StoreErrors of
    `StoreReader.open`, OfflineInputError if the file cannot be written and MissingExtraError if a
    package is not installed; neither leaves a file behind.
    """
    with StoreReader.open(directory) as reader:
        crawled = CrawledGraph(reader)
        graph: Graph = HostGraph(crawled) if by_host else crawled
        files = FORMATS[name](graph, out or Path(f"{directory.resolve().name}.{name}"))
        return Written(graph.n_pages, graph.n_links, files, graph.n_hidden)


def _edges(graph: Graph, out: Path) -> tuple[Path, ...]:
    write_links(graph.named_links(), out)
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


def _document(name: str, graph: Graph, out: Path) -> tuple[Path, ...]:
    if str(out) == STDIO:
        raise OfflineInputError(
            f"{name} cannot be written to standard output (-); name a file, or use --format edges"
        )
    with new_file(out) as file:
        _write_document(file, graph, name)
    return (out,)


def _write_document(file: IO[bytes], graph: Graph, name: str) -> None:
    """Write GraphML or GEXF by networkx, which has the whole graph in memory.

    Nodes have their URL as `label`, too, which programs show. Raises MissingExtraError without
    networkx.
    """
    networkx = optional("networkx", f"writing {name}")
    document = networkx.DiGraph()
    for number, *values in graph.page_rows():
        document.add_node(number, label=values[0], **_known(graph.page_columns[1:], values))
    for source, target, *values in graph.link_rows():
        document.add_edge(source, target, **_known(graph.link_columns[2:], values))
    write = {"graphml": networkx.write_graphml_xml, "gexf": networkx.write_gexf}[name]
    write(document, file)


def _known(columns: tuple[ExportColumn, ...], values: Iterable[Value]) -> dict[str, Any]:
    pairs = zip(columns, values, strict=True)
    return {column.name: value for column, value in pairs if value is not None}


def _csv(graph: Graph, out: Path) -> tuple[Path, ...]:
    nodes, edges = _two_files(out)
    with new_file(nodes) as of_nodes, new_file(edges) as of_edges:
        _write_csv(of_nodes, graph.page_columns, graph.pages())
        _write_csv(of_edges, graph.link_columns, graph.links())
    return nodes, edges


def _write_csv(
    file: IO[bytes], columns: tuple[ExportColumn, ...], portions: Iterable[Portion]
) -> None:
    """Write a table; raises MissingExtraError without pyarrow."""
    arrow, csv = pyarrow("writing tables"), pyarrow("writing CSV", "pyarrow.csv")
    empty = arrow_table(arrow, columns, {column.name: [] for column in columns})
    with csv.CSVWriter(file, empty.schema) as writer:
        for portion in portions:
            writer.write_table(arrow_table(arrow, columns, portion))


def _two_files(out: Path) -> tuple[Path, Path]:
    """Name the two files: crawl.csv -> crawl.nodes.csv, crawl.edges.csv."""
    if str(out) == STDIO:
        raise OfflineInputError(
            "nodes and edges (csv) are two files, which standard output (-) cannot be; name a file "
            "or a folder, or use --format edges"
        )
    if out.is_dir():
        return out / "nodes.csv", out / "edges.csv"
    endings = [".csv" + packed for packed in ("", *COMPRESSED)]
    ending = next((ending for ending in endings if out.name.lower().endswith(ending)), "")
    stem = out.name[: len(out.name) - len(ending)]
    tail = out.name[len(stem) :] or ".csv"
    return out.with_name(f"{stem}.nodes{tail}"), out.with_name(f"{stem}.edges{tail}")


FORMATS: dict[str, Callable[[Any, Path], tuple[Path, ...]]] = {
    "parquet": write_tables,
    "graphml": partial(_document, "graphml"),
    "gexf": partial(_document, "gexf"),
    "csv": _csv,
    "edges": _edges,
}
SUFFIXES = {f".{name}": name for name in FORMATS if name != "edges"} | dict.fromkeys(
    (".edges", ".tsv", ".ncol"), "edges"
)
SUFFIXES[".wacz"] = "wacz"
"""Ending of a file's name -> format; the format edges is also called NCOL."""
