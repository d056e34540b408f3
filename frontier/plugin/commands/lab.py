"""``scrapy lab``: replay crawl orders on a recorded web, without network, and compare them.

Results go to standard output and to files; errors go to standard error, with exit code 1, or 2 for
a wrong command line.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from frontier.plugin.commands.base import (
    Action,
    ActionCommand,
    above_0,
    action,
    argument,
    make_importable,
    positive,
    share,
    since,
)

_VARIANTS = ("names", "inside", "outside", "keywords", "inside-names", "inside-keywords")
_PARTS = ("development", "test", "all")


def _variants(text: str) -> str:
    from frontier.plugin.lab import names

    wrong = [name for name in names(text) if name not in _VARIANTS]
    if wrong:
        raise argparse.ArgumentTypeError(
            f"expected some of {', '.join(_VARIANTS)}, found {wrong[0]}"
        )
    return text


_ASKED = (
    argument(
        "--topics",
        metavar="FILE",
        help="labels: URL<TAB>topic a line",
    ),
    argument(
        "--strategies",
        metavar="NAME,...",
        help="rows to compare: strategies by name or import path; all: every built-in one",
    ),
    argument("--budget", type=positive, default=1500, metavar="N", help="requests a run"),
    argument(
        "--variant",
        type=_variants,
        metavar="NAME,...",
        help=f"of {', '.join(_VARIANTS)}: what a crawl starts with (default: the first four)",
    ),
    argument("--seeds", metavar="FILE", help="seeds of every run, instead of drawn ones"),
    argument(
        "--seeds-per-topic",
        type=positive,
        metavar="K",
        help="seeds and examples drawn (default: 4)",
    ),
    argument("--names", metavar="FILE", help="topic<TAB>name a line, for the variant names"),
    argument("--keywords", metavar="FILE", help="topic<TAB>words a line, for the variant keywords"),
    argument(
        "--vectors",
        metavar="TABLE",
        help="word vectors: auto, built-in, multilingual, off or a folder "
        "(default: FRONTIER_VECTORS)",
    ),
    argument("--draws", type=positive, default=3, metavar="D", help="of seeds, a topic"),
    argument(
        "--split", choices=_PARTS, default="all", help="of the topics, halved by a fixed hash"
    ),
    argument("--limit", type=positive, metavar="N", help="use the first N of these topics"),
    argument(
        "--min-pages", type=int, default=1, metavar="N", help="fewest labelled pages of a topic"
    ),
    argument("--max-pages", type=int, metavar="N", help="most labelled pages of a topic"),
)
_RUN = (
    argument("--out", default="lab", metavar="DIR", help="for the results"),
    argument("--jobs", type=positive, metavar="N", help="processes (default: all cores)"),
    argument("--cache", metavar="DIR", help="for parsed recordings (default: in the user's cache)"),
)
_REFRESH = (
    argument(
        "--refresh",
        action="store_true",
        help="compare rules for revisiting pages; WARC is a change log then, as 'scrapy web "
        "changes' writes it, or made-up or made-up-bursty",
    ),
    argument(
        "--revisits",
        type=above_0,
        default=0.1,
        metavar="L",
        help="revisits a day, as a share of the pages",
    ),
    argument(
        "--announced", type=share, default=0, metavar="S", help="share of changes in sitemaps"
    ),
    argument(
        "--lies", type=share, default=0, metavar="S", help="new dates a page and day with no change"
    ),
    argument("--days", type=positive, default=730, metavar="N", help="of each change log"),
    argument("--begin", type=since, metavar="DATE", help="of these days (default: the last ones)"),
    argument("--random-seed", type=int, default=0, metavar="N", help="of what is drawn"),
)


@action(
    "run",
    argument(
        "recordings",
        metavar="WARC",
        nargs="+",
        help="WARC files of any crawler, together one web",
    ),
    *_ASKED,
    *_RUN,
    *_REFRESH,
)
def _run(opts: argparse.Namespace) -> None:
    """Let strategies crawl a recorded web for every topic.

    All start from the same seeds, with the same number of requests, through the same code as a
    real crawl. Labels (--topics) say which pages are relevant; a strategy never sees them. The
    table is printed, all figures are written to results.json in --out, and curves and tables to
    results.html, for a browser.

    With --refresh, let rules revisit the pages of changing webs, each with the same number of
    revisits, and compare how stale the pages are.
    """
    if opts.refresh:
        _compare_refreshing(opts)
        return
    make_importable()
    from frontier.plugin.lab import lab_run
    from ranking.printing import say

    say(lab_run(opts.recordings, opts, opts.settings), sys.stdout)


def _compare_refreshing(opts: argparse.Namespace) -> None:
    from frontier.lab.refresh import comparison
    from frontier.lab.refresh.simulation import Sitemaps
    from frontier.lab.report.tables import write_results
    from ranking.offline.extras import reading_bar
    from ranking.printing import say

    sitemaps = Sitemaps(opts.announced, opts.lies)
    protocol = comparison.RefreshProtocol(
        opts.revisits, opts.days, opts.begin, sitemaps, opts.random_seed
    )
    with reading_bar("comparing", " runs") as progress:
        figures = comparison.compare(opts.recordings, protocol, progress or (lambda *_: None))
    written = write_results(comparison.json_of(figures, protocol), Path(opts.out))
    say([*comparison.lines_of(figures, protocol), "", f"Written: {written}"], sys.stdout)


class Command(ActionCommand):
    """Replay crawl orders on a recorded web and compare them."""

    name = "lab"
    default_settings = {"LOG_LEVEL": "WARNING"}  # noqa: RUF012  # Scrapy's own declaration

    def actions(self) -> list[Action]:
        return [_run]
