"""``scrapy frontier mcp``: a crawl for agents, over the Model Context Protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from frontier.plugin.commands.base import JOBDIR, Output, action, argument

if TYPE_CHECKING:
    import argparse


@action(
    "mcp",
    JOBDIR,
    argument(
        "--allow-label",
        action="store_true",
        help="offer a tool that labels pages, too, as scrapy frontier label does",
    ),
)
def mcp(opts: argparse.Namespace) -> Output:
    """Serve a crawl to an agent, on standard streams.

    An agent's program starts this command and speaks the Model Context Protocol with it. The tools
    only read what is stored, also beside a running crawl; nothing is fetched.
    """
    from frontier.agents.server import serve

    if opts.json:
        raise UsageError("expected no --json: standard output carries the protocol alone")
    serve(opts.directory, allow_label=opts.allow_label)
    return Output(None, list)
