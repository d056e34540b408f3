"""``scrapy frontier export``: what it takes and what it prints."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from frontier.plugin.commands.actions import JOBDIR, Output
from frontier.plugin.commands.base import action, argument

if TYPE_CHECKING:
    import argparse

FORMATS = ("parquet", "graphml", "gexf", "csv", "edges")


@action(
    "export",
    JOBDIR,
    argument("--format", choices=FORMATS, help="of the file (default: by the end of PATH)"),
    argument("--out", metavar="PATH", type=Path, help="where to write (default: DIR.FORMAT here)"),
)
def export(opts: argparse.Namespace) -> Output:
    """Write the link graph of a crawl to a file.

    Nodes have scores and states, edges texts and weights. Pages that ask not to be shown
    (noindex) are left out.
    """
    from frontier.export import export_crawl

    name = opts.format or _named_by(opts.out)
    written = export_crawl(opts.directory, name, opts.out)
    files = [str(path) for path in written.files]
    said = {
        "nodes": written.nodes,
        "edges": written.edges,
        "files": files,
        "noindex": written.hidden,
    }
    counts = f"{written.nodes:,} nodes and {written.edges:,} edges"
    lines = [f"Wrote {counts} to {' and '.join(files)}", *_left_out(written.hidden)]
    return Output(said, lambda: lines)


def _named_by(out: Path | None) -> str:
    """The format by the end of a file's name; raises UsageError where that does not tell."""
    from frontier.export import SUFFIXES, format_of

    found = None if out is None else format_of(out)
    if found is None:
        names = ", ".join(SUFFIXES)
        end = "neither of them" if out is None else f"--out {out}"
        raise UsageError(
            f"expected --format, or --out with a name that ends in {names} (before .gz, .bz2, .xz "
            f"or .zst, if it is to be compressed), got {end}. Add --format {'|'.join(FORMATS)}"
        )
    return found


def _left_out(hidden: int) -> list[str]:
    """The line that says how many pages are missing and why."""
    pages = "page that asks" if hidden == 1 else "pages that ask"
    return [f"Left out {hidden:,} {pages} not to be shown (noindex)"] if hidden else []
