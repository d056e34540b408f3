"""``scrapy frontier watch``: a crawl in a browser."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from frontier.plugin.commands.base import action, argument, tcp_port

if TYPE_CHECKING:
    import argparse

    from frontier.plugin.commands.base import Output


@action(
    "watch",
    argument(
        "directories",
        metavar="DIR",
        nargs="+",
        type=Path,
        help="JOBDIR of the crawl, finished or running; of two, which are shown side by side",
    ),
    argument(
        "--port",
        type=tcp_port,
        default=6080,
        metavar="P",
        help="port to listen on; 0: any free one",
    ),
    argument(
        "--host",
        default="127.0.0.1",
        help="name or address of this machine to listen on; any other than the default lets other "
        "machines in, if they know the printed address",
    ),
    argument("--no-browser", action="store_true", help="print the address, open nothing"),
)
def watch(opts: argparse.Namespace) -> Output:
    """Show a crawl, or two, in a browser until Ctrl-C.

    Prints the address. Keep it secret: with it anybody can see the crawl and label its pages.
    """
    if len(opts.directories) > 2:
        raise UsageError(f"expected one or two JOBDIRs, got {len(opts.directories)}")
    options = {
        "directories": [str(directory) for directory in opts.directories],
        "host": opts.host,
        "port": opts.port,
        "browser": not opts.no_browser,
        "as_json": opts.json,
    }
    # In place of this process, in which Scrapy alone takes more memory than the watcher.
    code = (
        f"import sys; sys.path[:] = {sys.path!r}; from frontier.watch.server import main; "
        f"sys.exit(main(**{options!r}))"
    )
    os.execv(sys.executable, [sys.executable, "-c", code])  # noqa: S606  # no shell needed
