"""``scrapy frontier report``: a crawl, or several side by side, as one file for a browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from frontier.plugin.commands.base import Output, action, argument

if TYPE_CHECKING:
    import argparse


@action(
    "report",
    argument(
        "directories",
        metavar="DIR",
        nargs="+",
        type=Path,
        help="JOBDIR of the crawl, finished or running; several are compared",
    ),
    argument(
        *("-o", "--out"),
        metavar="FILE",
        type=Path,
        help="where to write (default: crawl.html in the first DIR)",
    ),
)
def report(opts: argparse.Namespace) -> Output:
    """Write a crawl as one file for a browser.

    It shows what `watch` does, of one moment, and needs no server.
    """
    from frontier.watch.report import write_report

    path = write_report(opts.directories, opts.out)
    return Output({"file": str(path)}, lambda: [f"Wrote {path}"])
