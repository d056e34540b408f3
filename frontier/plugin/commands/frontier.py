"""``scrapy frontier``: look into a crawl, finished or running.

Three actions behind one command, parsed by one flat parser as in every Scrapy command, so that
Scrapy's own options work wherever they stand; an option that means nothing to the action named is
refused. Results go to standard output, as tables or (``--json``) as one document; what prevents
them goes to standard error, with exit code 1, or 2 for a wrong command line.

Scrapy imports every command on every start, whichever is run: what the actions need is imported
when they run, or each crawl would pay for it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

_EXPECTED = {"stats": ("DIR",), "top": ("DIR",), "url": ("DIR", "URL")}
_STATES = ("queued", "leased", "crawled", "error", "robots", "filtered", "trap", "redirected")
_ORDERINGS = ("priority", "score", "authority", "hub", "relevance")
_DEFAULT_N = 20

Output = tuple[Any, "Callable[[], list[str]]"]
"""What JSON says, and how it is said to people."""


class Command(ScrapyCommand):
    """Look into a crawl, finished or running."""

    requires_project = False
    requires_crawler_process = False
    default_settings = {"LOG_ENABLED": False}  # noqa: RUF012  # Scrapy's own declaration

    def syntax(self) -> str:
        return "stats DIR | top DIR | url DIR URL  [options]"

    def short_desc(self) -> str:
        return "Look into a crawl: its figures, its best URLs, all that is known of one URL"

    def long_desc(self) -> str:
        return (
            "DIR is the JOBDIR of a crawl, finished or running. stats: counts, harvest rate, "
            "errors, hosts. top: the best URLs in a state, by priority (of URLs that are not "
            "queued: that of their last hand-out), by link score, authority, hub or relevance. "
            "url: everything known of one URL. Nothing is changed."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        group = parser.add_argument_group(title="frontier")
        group.add_argument("--json", action="store_true", help="print one JSON document")
        group.add_argument(
            "-n", type=int, metavar="N", help=f"top: how many URLs (default: {_DEFAULT_N})"
        )
        group.add_argument(
            "--state", choices=_STATES, help="top: URLs in this state (default: queued)"
        )
        group.add_argument(
            "--by", choices=_ORDERINGS, help="top: what they are ordered by (default: priority)"
        )

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        _check(args, opts)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        from ranking.errors import LinkRankError

        action, directory, *rest = args
        try:
            said, text = _ACTIONS[action](Path(directory), rest, opts)
            _print(_json(said) if opts.json else "\n".join(text()))
        except LinkRankError as error:
            print(f"scrapy frontier: {error}", file=sys.stderr)
            self.exitcode = 1


def _check(args: list[str], opts: argparse.Namespace) -> None:
    """Raise UsageError for a command line that means nothing."""
    unknown = [argument for argument in args if argument.startswith("-")]
    if unknown:
        raise UsageError(f"unrecognized option: {unknown[0]}")
    if not args or args[0] not in _EXPECTED:
        found = f"found {args[0]!r}" if args else "found none"
        raise UsageError(f"expected one of the actions stats, top, url, {found}")
    action, operands = args[0], _EXPECTED[args[0]]
    if len(args) != 1 + len(operands):
        found = " ".join(args[1:]) or "nothing"
        raise UsageError(f"expected: scrapy frontier {action} {' '.join(operands)}, found {found}")
    if action != "top":
        for name, option in (("n", "-n"), ("state", "--state"), ("by", "--by")):
            if getattr(opts, name) is not None:
                raise UsageError(f"{option} means nothing to 'scrapy frontier {action}'")
    if opts.n is not None and opts.n < 1:
        raise UsageError(f"expected -n 1 or more, found {opts.n}")


def _stats(directory: Path, rest: list[str], opts: argparse.Namespace) -> Output:
    from frontier.inspection import CrawlView, text

    with CrawlView.open(directory) as view:
        stats = view.stats()
    return stats.as_dict(), lambda: text.stats_text(stats)


def _top(directory: Path, rest: list[str], opts: argparse.Namespace) -> Output:
    from frontier.inspection import CrawlView, text
    from frontier.states import State

    by = opts.by or "priority"
    state = State[(opts.state or "queued").upper()]
    with CrawlView.open(directory) as view:
        rows = view.top(opts.n or _DEFAULT_N, state, by)
    said = {"by": by, "state": state.name.lower(), "urls": [row.as_dict() for row in rows]}
    return said, lambda: text.top_text(rows, by)


def _url(directory: Path, rest: list[str], opts: argparse.Namespace) -> Output:
    from frontier.inspection import CrawlView, text

    with CrawlView.open(directory) as view:
        report = view.url(rest[0])
    return report.as_dict(), lambda: text.url_text(report)


_ACTIONS: dict[str, Callable[[Path, list[str], argparse.Namespace], Output]] = {
    "stats": _stats,
    "top": _top,
    "url": _url,
}


def _json(said: Any) -> str:
    import json

    return json.dumps(said, indent=2, allow_nan=False)


def _print(text: str) -> None:
    """Print, also where the terminal lacks a character or whoever reads has had enough."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        print(text.encode(encoding, "replace").decode(encoding), flush=True)
    except BrokenPipeError:
        # Python would flush once more at exit, and complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
