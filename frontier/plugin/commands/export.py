"""``scrapy frontier export``: what it takes and what it prints."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    Output = tuple[Any, Callable[[], list[str]]]

FORMATS = ("parquet", "graphml", "gexf", "csv", "edges")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that only this action has."""
    group = parser.add_argument_group(title="frontier export")
    group.add_argument("--format", choices=FORMATS, help="of the file to write")
    group.add_argument(
        "--raw",
        action="store_const",
        const=True,
        help="csv: texts as they are, also those that a spreadsheet would take for formulas",
    )


def check(args: list[str], opts: argparse.Namespace) -> None:
    """Raise UsageError where no format was named."""
    if opts.format is None:
        raise UsageError(f"expected --format, one of {', '.join(FORMATS)}")
    if opts.raw and opts.format != "csv":
        raise UsageError(f"--raw means nothing to --format {opts.format}, which holds texts as is")


def run(operands: list[str], opts: argparse.Namespace) -> Output:
    """Write the files; say which, and how much is in them."""
    from frontier.export import RAW_CSV, export_crawl

    name = RAW_CSV if opts.raw else opts.format
    written = export_crawl(Path(operands[0]), name, Path(opts.out) if opts.out else None)
    files = [str(path) for path in written.files]
    said = {
        "nodes": written.nodes,
        "edges": written.edges,
        "files": files,
        "noindex": written.hidden,
    }
    counts = f"{written.nodes:,} nodes and {written.edges:,} edges"
    return said, lambda: [f"Wrote {counts} to {' and '.join(files)}", *_left_out(written.hidden)]


def _left_out(hidden: int) -> list[str]:
    """The line that says how many pages are missing and why."""
    pages = "page that asks" if hidden == 1 else "pages that ask"
    return [f"Left out {hidden:,} {pages} not to be shown (noindex)"] if hidden else []
