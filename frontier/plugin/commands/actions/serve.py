"""``scrapy frontier serve``: one crawl's order, for fetchers on this and other machines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from frontier.plugin.commands.actions import Output
from frontier.plugin.commands.base import action, argument, positive

if TYPE_CHECKING:
    import argparse


@action(
    "serve",
    argument(
        "directory", metavar="DIR", type=Path, help="JOBDIR of the crawl, which is made if needed"
    ),
    argument(
        "--exchange",
        required=True,
        metavar="URL",
        help="PostgreSQL database that fetchers are given as FRONTIER_EXCHANGE: postgresql://...",
    ),
    argument("--pages", type=positive, metavar="N", help="end the crawl after so many pages"),
    argument(
        "--wipe",
        action="store_true",
        help="empty the exchange first: what fetchers hold is offered again",
    ),
)
def serve(opts: argparse.Namespace) -> Output:
    """Own the order of a crawl for several fetchers.

    What the crawl is about, the first fetcher says: scrapy crawl SPIDER -s FRONTIER_EXCHANGE=URL,
    on any machine, as many as you like. It ends when nothing is left to fetch and the fetchers have
    gone; after Ctrl-C, or whatever ended it, the same command goes on with it.
    """
    from frontier.plugin.commands.serving import run

    said, lines = run(opts)
    return Output(said, lambda: lines)
