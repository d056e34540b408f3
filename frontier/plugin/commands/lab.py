"""``scrapy lab``: replay crawl orders on a recorded web, without network, and compare them.

Options are parsed by one flat parser, as in every Scrapy command. Results go to standard output and
to files; what prevents them goes to standard error, with exit code 1, or 2 for a wrong command
line.

Scrapy imports every command on every start, whichever is run: what a run needs is imported when it
runs, or each crawl would pay for it.
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from frontier.plugin.commands.own_modules import make_importable

if TYPE_CHECKING:
    import argparse

INTERRUPTED = 130
"""What a shell reports for a process that Ctrl-C ended."""
BUDGET = 1500
_COUNTS = ("budget", "draws", "jobs", "limit", "concurrency", "per_host", "seeds_per_topic")
_VARIANTS = ("inside", "outside", "keywords")
_PARTS = ("development", "test", "all")


class Command(ScrapyCommand):
    """Replay crawl orders on a recorded web and compare them."""

    requires_project = False
    requires_crawler_process = False
    default_settings = {"LOG_LEVEL": "WARNING"}  # noqa: RUF012  # Scrapy's own declaration

    def syntax(self) -> str:
        return "run WARC...|JOBDIR --topics FILE --strategies NAME,...  [options]"

    def short_desc(self) -> str:
        return "Replay crawl orders on a recorded web, without network, and compare them"

    def long_desc(self) -> str:
        return (
            "The web is what WARC files hold, or what a past crawl saw (its JOBDIR). Every "
            "strategy crawls it for every topic, from the same seeds, with the same number of "
            "requests, through the same code as a real crawl. Labels (--topics: URL, tab, topic) "
            "say what was worth fetching; a strategy never sees them. Results, tables and curves "
            "are written to --out, where an interrupted run goes on when it is asked for again."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        _add_questions(parser)
        _add_crawl(parser)
        _add_run(parser)

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        _check(args, opts)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        assert self.settings is not None
        make_importable()
        from frontier.plugin.lab.run import Interrupted, lab_run
        from ranking.errors import LinkRankError
        from ranking.printing import say

        try:
            say(lab_run(args[1:], opts, self.settings), sys.stdout)
        except LinkRankError as error:
            say(f"scrapy lab: {error}".split("\n"), sys.stderr)
            self.exitcode = 1
        except Interrupted as interrupted:
            say([f"scrapy lab: {interrupted}"], sys.stderr)
            self.exitcode = INTERRUPTED
        except KeyboardInterrupt:
            self.exitcode = INTERRUPTED


def _add_questions(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(title="what is asked")
    group.add_argument("--topics", metavar="FILE", help="labels: URL<TAB>topic a line")
    group.add_argument(
        "--strategies",
        metavar="NAME,...",
        help="rows to compare: strategies, by name or import path, frontera-bfs and others, "
        "scrapy; all: every strategy of this library; frontera: all of Frontera's",
    )
    group.add_argument(
        "--budget", type=int, default=BUDGET, metavar="N", help=f"requests a run ({BUDGET})"
    )
    group.add_argument(
        "--variant",
        metavar="NAME,...",
        help=f"of {', '.join(_VARIANTS)}: what a crawl starts with (default: all three)",
    )
    group.add_argument("--seeds", metavar="FILE", help="seeds of every run, instead of drawn ones")
    group.add_argument(
        "--seeds-per-topic", type=int, metavar="K", help="seeds and examples drawn (default: 4)"
    )
    group.add_argument(
        "--keywords", metavar="FILE", help="topic<TAB>words a line, for the variant keywords"
    )
    group.add_argument("--draws", type=int, default=3, metavar="D", help="of seeds, a topic (3)")
    group.add_argument(
        "--split", choices=_PARTS, default="all", help="topics to use, halved by a fixed hash"
    )
    group.add_argument("--limit", type=int, metavar="N", help="use the first N of these topics")
    group.add_argument(
        "--min-pages", type=int, default=1, metavar="N", help="fewest labelled pages of a topic"
    )
    group.add_argument("--max-pages", type=int, metavar="N", help="most labelled pages of a topic")


def _add_crawl(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        title="how it is fetched (default: the ideal order, one request at a time)"
    )
    group.add_argument("--concurrency", type=int, metavar="N", help="requests at once (1)")
    group.add_argument("--per-host", type=int, metavar="N", help="of them to one host (1)")
    group.add_argument("--delay", type=float, metavar="S", help="seconds between two to one host")
    group.add_argument(
        "--latency", type=float, default=0.2, metavar="S", help="seconds to an answer (0.2)"
    )
    group.add_argument(
        "--unrecorded",
        choices=("fail", "hide"),
        default="fail",
        help="links to what was never recorded: they fail, and cost a request, or are not there",
    )
    group.add_argument(
        "--regret",
        action="store_true",
        help="replay the crawl orders also as the options above, or the settings of the project, "
        "would have them fetch, and say what that costs",
    )


def _add_run(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(title="how it is run")
    group.add_argument("--out", default="lab", metavar="DIR", help="for the results (lab)")
    group.add_argument(
        "--fresh", action="store_true", help="throw away what an earlier run left in --out"
    )
    group.add_argument("--jobs", type=int, metavar="N", help="processes (default: all cores)")
    group.add_argument(
        "--cache", metavar="DIR", help="for parsed recordings (default: in the user's cache)"
    )


def _check(args: list[str], opts: argparse.Namespace) -> None:
    """Raise UsageError for a command line that means nothing."""
    unknown = [argument for argument in args if argument.startswith("-")]
    if unknown:
        raise UsageError(f"unrecognized option: {unknown[0]}")
    if not args or args[0] != "run":
        found = f"found {args[0]!r}" if args else "found none"
        raise UsageError(f"expected the action run, {found}")
    if len(args) < 2:
        raise UsageError("expected: scrapy lab run WARC...|JOBDIR, found no recording")
    for name in _COUNTS:
        value = getattr(opts, name)
        if value is not None and value < 1:
            option = name.replace("_", "-")
            raise UsageError(f"expected --{option} 1 or more, found {value}")
    for name in ("delay", "latency"):
        value = getattr(opts, name)
        if value is not None and not 0 <= value < math.inf:
            raise UsageError(f"expected --{name} 0 or more seconds, found {value}")
    from frontier.plugin.lab.run import names

    wrong = [name for name in names(opts.variant) if name not in _VARIANTS]
    if wrong:
        raise UsageError(f"expected --variant of {', '.join(_VARIANTS)}, found {wrong[0]}")
