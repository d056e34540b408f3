"""``scrapy frontier``: look into a crawl, finished or running, export it, rank URLs.

Actions behind one command, parsed by one flat parser as in every Scrapy command, so that
Scrapy's own options work wherever they stand; an option that means nothing to the action named is
refused. Results go to standard output, as tables or (``--json``) as one document; what prevents
them goes to standard error, with exit code 1, or 2 for a wrong command line.

Scrapy imports every command on every start, whichever is run: what the actions need is imported
when they run, or each crawl would pay for it.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TextIO

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from frontier.plugin.commands import check as keeping
from frontier.plugin.commands import export as exporting
from frontier.plugin.commands import inspect
from frontier.plugin.commands import label as labelling
from frontier.plugin.commands import rank as offline
from frontier.plugin.commands.own_modules import make_importable

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable

_EXPECTED = {
    "stats": ("DIR",),
    "top": ("DIR",),
    "url": ("DIR", "URL"),
    "explain": ("DIR", "URL"),
    "weights": ("DIR",),
    "compare": ("DIR1", "DIR2"),
    "label": ("DIR",),
    "rank": ("WARC...|DIR",),
    "export": ("DIR",),
    "check": ("DIR",),
}
_MEANT_FOR = {
    "n": ("-n", ("top", "explain", "compare", "label")),
    "sample": ("--sample", ("compare",)),
    "state": ("--state", ("top",)),
    "by": ("--by", ("top",)),
    "out": ("--out", ("rank", "export")),
    "format": ("--format", ("export",)),
    "raw": ("--raw", ("export",)),
    "salvage": ("--salvage", ("check",)),
    "yes": ("--yes", ("label",)),
    "no": ("--no", ("label",)),
    "fold": ("--hosts or --domains", ("rank",)),
    **{
        name: (f"--{name}", ("rank",))
        for name in (
            *("method", "seeds", "restart", "relevance", "top", "precedence", "damping", "tol"),
        )
    },
}
"""Where an option lands -> its name, and the actions it means something to."""
INTERRUPTED = 130
"""What a shell reports for a process that Ctrl-C ended."""
_STATES = ("queued", "leased", "crawled", "error", "robots", "filtered", "trap", "redirected")
_ORDERINGS = ("priority", "score", "authority", "hub", "relevance")

Output = tuple[Any, "Callable[[], list[str]]"]
"""What JSON says, and how it is said to people."""


class Command(ScrapyCommand):
    """Look into a crawl, finished or running; export it; rank URLs."""

    requires_project = False
    requires_crawler_process = False
    default_settings = {"LOG_ENABLED": False}  # noqa: RUF012  # Scrapy's own declaration

    def syntax(self) -> str:
        return (
            "stats DIR | top DIR | url DIR URL | explain DIR URL | weights DIR | compare DIR1 DIR2"
            " | label DIR | export DIR | rank WARC...|DIR | check DIR  [options]"
        )

    def short_desc(self) -> str:
        return "Look into a crawl, export its graph, rank the URLs of a crawl or of WARC files"

    def long_desc(self) -> str:
        return (
            "DIR is the JOBDIR of a crawl, finished or running. stats: counts, harvest rate, "
            "errors, hosts. top: the best URLs in a state, by priority (of URLs that are not "
            "queued: that of their last hand-out), by link score, authority, hub or relevance. "
            "url: everything known of one URL. explain: why a URL has its place, or none. "
            "weights: what a strategy that learns has learned. "
            "compare: what two crawls share, what each found first, what only one found. "
            "export: nodes with scores and states, edges with texts and weights, as GraphML, "
            "GEXF, CSV, Parquet or a list of edges. rank: link analysis of a crawl or of WARC "
            "files of any crawler, as a table of scores. label: asks you about the pages that "
            "would teach the crawl most, or takes --yes URL and --no URL, or lines 'yes URL' and "
            "'no URL' from standard input; a running crawl learns from the answers. Nothing else "
            "changes anything. check: whether a crawl is intact, and --salvage what is."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        group = parser.add_argument_group(title="frontier")
        group.add_argument("--json", action="store_true", help="print one JSON document")
        group.add_argument(
            "-n",
            type=int,
            metavar="N",
            help=f"top: how many URLs (default: {inspect.DEFAULT_N}); explain, compare: how many "
            f"a list (default: {inspect.LISTED}); label: how many questions (default: "
            f"{labelling.ASKED})",
        )
        group.add_argument(
            "--state", choices=_STATES, help="top: URLs in this state (default: queued)"
        )
        group.add_argument(
            "--by", choices=_ORDERINGS, help="top: what they are ordered by (default: priority)"
        )
        group.add_argument("--out", metavar="PATH", help="export, rank: where to write")
        inspect.add_options(parser)
        exporting.add_options(parser)
        labelling.add_options(parser)
        offline.add_options(parser)
        keeping.add_options(parser)

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        _check(args, opts)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        try:
            self._run(args, opts)
        except KeyboardInterrupt:
            self.exitcode = INTERRUPTED

    def _run(self, args: list[str], opts: argparse.Namespace) -> None:
        from ranking.errors import LinkRankError

        make_importable()
        action, *operands = args
        try:
            said, text = self._act(action, operands, opts)
        except LinkRankError as error:
            _print(f"scrapy frontier: {error}".split("\n"), sys.stderr)
            self.exitcode = 1
            return
        except BrokenPipeError:
            # Whoever read what goes to `--out -` has seen enough.
            _silence(sys.stdout)
            return
        stream = sys.stderr if opts.out == "-" else sys.stdout
        _print(_json(said) if opts.json else text(), stream)
        if action in _EXIT_CODES:
            self.exitcode = _EXIT_CODES[action](said)

    def _act(self, action: str, operands: list[str], opts: argparse.Namespace) -> Output:
        if action != "rank":
            return _ACTIONS[action](operands, opts)
        assert self.settings is not None
        return offline.run(operands, opts, self.settings)


def _check(args: list[str], opts: argparse.Namespace) -> None:
    """Raise UsageError for a command line that means nothing."""
    unknown = [argument for argument in args if argument.startswith("-")]
    if unknown:
        raise UsageError(f"unrecognized option: {unknown[0]}")
    if not args or args[0] not in _EXPECTED:
        found = f"found {args[0]!r}" if args else "found none"
        raise UsageError(f"expected one of the actions {', '.join(_EXPECTED)}, {found}")
    action, operands = args[0], _EXPECTED[args[0]]
    if len(args) < 2 or (action != "rank" and len(args) != 1 + len(operands)):
        found = " ".join(args[1:]) or "nothing"
        raise UsageError(f"expected: scrapy frontier {action} {' '.join(operands)}, found {found}")
    for name, (option, actions) in _MEANT_FOR.items():
        if action not in actions and getattr(opts, name) is not None:
            raise UsageError(f"{option} means nothing to 'scrapy frontier {action}'")
    if opts.n is not None and opts.n < 1:
        raise UsageError(f"expected -n 1 or more, found {opts.n}")
    if action in _CHECKS:
        _CHECKS[action](args, opts)


_ACTIONS: dict[str, Callable[[list[str], argparse.Namespace], Output]] = {
    "stats": inspect.stats,
    "top": inspect.top,
    "url": inspect.url,
    "explain": inspect.explain,
    "weights": inspect.weights,
    "compare": inspect.compare,
    "label": labelling.run,
    "export": exporting.run,
    "check": keeping.run,
}
_CHECKS = {
    "rank": offline.check,
    "export": exporting.check,
    "compare": inspect.check_compare,
    "label": labelling.check,
}
_EXIT_CODES: dict[str, Callable[[Any], int]] = {
    "rank": offline.exit_code,
    "explain": inspect.explained,
    "label": labelling.exit_code,
    "check": keeping.exit_code,
}


def _json(said: Any) -> list[str]:
    from ranking.printing import as_json

    return as_json(said)


def _print(lines: Iterable[str], stream: TextIO) -> None:
    """Print, also where whoever reads has had enough."""
    from ranking.printing import say

    try:
        say(lines, stream)
    except BrokenPipeError:
        _silence(stream)


def _silence(stream: TextIO) -> None:
    from ranking.offline.output import silence

    silence(stream)
