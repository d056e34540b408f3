"""``scrapy frontier export``: a crawl as tables, a graph, documents or an archive."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from frontier.formatting import counted
from frontier.plugin.commands.base import Output, action, argument, print_note

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from frontier.export.documents import TextSource
    from frontier.web.recorded_web import RecordedWeb

GRAPHS = ("parquet", "graphml", "gexf", "csv", "edges")
DOCUMENTS = ("datatrove", "dolma")
FORMATS = (*GRAPHS, *DOCUMENTS, "wacz")


@action(
    "export",
    argument(
        "sources",
        metavar="DIR|WARC",
        nargs="+",
        type=Path,
        help="JOBDIR of the crawl, finished or running, or WARC files of any crawler",
    ),
    argument("--format", choices=FORMATS, help="of the file (default: by the end of PATH)"),
    argument("--out", metavar="PATH", type=Path, help="file or folder (default: DIR.FORMAT here)"),
    argument("--by", choices=("page", "host"), default="page", help="nodes of the graph"),
    argument(
        "--warc",
        metavar="FILE",
        type=Path,
        nargs="+",
        action="extend",
        help="WARC files that the crawl wrote (WARC_FILE), for wacz, or for texts that were not "
        "kept",
    ),
)
def export(opts: argparse.Namespace) -> Output:
    """Write a crawl as tables, graph, documents or archive.

    parquet: a folder of tables. graphml, gexf, csv, edges: the link graph, also of hosts.
    datatrove, dolma: pages with their texts, as lines of JSON. wacz: WARC files for replay. Pages
    that ask not to be shown (noindex) are left out. Of WARC files the links are written, in the
    format edges.
    """
    name, first = opts.format or _named_by(opts.out), opts.sources[0]
    by_host = opts.by == "host"
    if by_host and name not in GRAPHS[1:]:
        raise UsageError(f"expected --by host with {', '.join(GRAPHS[1:])}, got {name}")
    if not first.is_dir() and first.exists():
        return _export_recorded(opts, name)
    if len(opts.sources) > 1:
        raise UsageError(
            f"expected one JOBDIR or WARC files, got {' '.join(map(str, opts.sources))}"
        )
    if opts.warc and name in GRAPHS:
        raise UsageError(f"expected --warc with {', '.join(FORMATS[len(GRAPHS) :])}, got {name}")
    if name == "wacz":
        return _export_archive(opts, first)
    if name in DOCUMENTS:
        return _export_documents(opts, first, name)
    return _export_graph(opts, first, name, by_host=by_host)


def _export_graph(opts: argparse.Namespace, directory: Path, name: str, *, by_host: bool) -> Output:
    from frontier.export import export_crawl

    written = export_crawl(directory, name, opts.out, by_host=by_host)
    files = [str(path) for path in written.files]
    document = {
        "nodes": written.nodes,
        "edges": written.edges,
        "files": files,
        "noindex": written.hidden,
    }
    counts = f"{written.nodes:,} nodes and {written.edges:,} edges"
    shown = files if len(files) < 3 else [str(written.files[0].parent)]
    lines = [f"Wrote {counts} to {' and '.join(shown)}", *_left_out(written.hidden)]
    return Output(document, lambda: lines)


def _export_documents(opts: argparse.Namespace, directory: Path, name: str) -> Output:
    from frontier.export.documents import write_documents

    texts = _texts_of(opts) if opts.warc else None
    out = opts.out or Path(f"{directory.resolve().name}.jsonl.gz")
    written = write_documents(directory, name, out, texts)
    document = {
        "documents": written.documents,
        "files": [str(out)],
        "without_text": written.without_text,
        "noindex": written.hidden,
    }
    missing = counted(written.without_text, "page")
    lines = [f"Wrote {counted(written.documents, 'document')} to {out}"]
    lines += [f"Left out {missing} without text"] if written.without_text else []
    return Output(document, lambda: [*lines, *_left_out(written.hidden)])


def _texts_of(opts: argparse.Namespace) -> TextSource:
    from frontier.plugin.recorded import recorded_texts

    return recorded_texts(opts.warc)


def _export_archive(opts: argparse.Namespace, directory: Path) -> Output:
    from frontier.export.wacz import write_wacz

    if not opts.warc:
        raise UsageError(
            "expected the WARC files of the crawl with --format wacz; add --warc FILE..., which a "
            "crawl writes with -s WARC_FILE=FILE"
        )
    out = opts.out or Path(f"{directory.resolve().name}.wacz")
    written = write_wacz(directory, opts.warc, out)
    document = {"pages": written.pages, "files": [str(out)], "noindex": written.hidden}
    counts = f"{counted(len(opts.warc), 'WARC file')} and {counted(written.pages, 'page')}"
    lines = [f"Wrote {counts} to {out}"]
    if written.hidden:
        pages = counted(written.hidden, "page")
        lines.append(f"Its list leaves out {pages} marked noindex, which the WARC files hold")
    return Output(document, lambda: lines)


def _export_recorded(opts: argparse.Namespace, name: str) -> Output:
    from frontier.export import write_links
    from frontier.plugin.recorded import parser_of, recorded_links

    if name != "edges" or opts.out is None:
        raise UsageError(f"expected --format edges and --out FILE for WARC files, got {name}")
    web = _recorded(opts.sources)
    parse, _ = parser_of(opts.settings)
    edges = write_links(recorded_links(web, parse), opts.out)
    document = {"responses": len(web), "edges": edges, "files": [str(opts.out)]}
    return Output(
        document, lambda: [f"Wrote {edges:,} edges of {len(web):,} responses to {opts.out}"]
    )


def _recorded(paths: Sequence[Path]) -> RecordedWeb:
    from frontier.parsing.reader import ReadingLimits
    from frontier.web.recorded_web import RecordedWeb

    web = RecordedWeb(paths, ReadingLimits().body)
    for damage in web.warnings:
        print_note(f"not read: {damage}")
    return web


def _named_by(out: Path | None) -> str:
    """The format by the ending of a file's name; raises UsageError for another ending."""
    from frontier.export import SUFFIXES, format_of

    name = None if out is None else format_of(out)
    if name is None:
        names = ", ".join(SUFFIXES)
        end = "neither of them" if out is None else f"--out {out}"
        raise UsageError(
            f"expected --format, or --out with a name that ends in {names} (before .gz, .bz2, .xz "
            f"or .zst, if it is to be compressed), got {end}. Add --format {'|'.join(FORMATS)}"
        )
    return name


def _left_out(hidden: int) -> list[str]:
    """The line about the pages left out of an export."""
    return [f"Left out {counted(hidden, 'page')} marked noindex"] if hidden else []
