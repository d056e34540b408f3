"""Actions that search the fetched pages, and make the index for searching."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from frontier.plugin.commands.base import JOBDIR, Output, action, argument, positive, print_note

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from frontier.search.answers import SearchReport
    from frontier.search.snippets import Snippet
    from frontier.search.updating import ReadPage

HOW_TO = "scrapy frontier index DIR adds them, of kept texts or with --warc FILE"
_WIDEST = 120
"""Columns of a line of text, on wider terminals, too."""


@action(
    "search",
    JOBDIR,
    argument(
        "words",
        metavar="WORDS",
        nargs="+",
        help='what to look for; "words in quotes" stand together, -word does not occur',
    ),
    argument("-n", type=positive, metavar="N", default=10, help="how many pages"),
    argument(
        "--weights",
        metavar="W",
        help='of the parts of a score, such as "title=2 links=0.5 authority=0"',
    ),
    argument("--explain", action="store_true", help="show the parts of each score"),
)
def search(opts: argparse.Namespace) -> Output:
    """Search the pages that a crawl fetched.

    By title, text, URL, the texts of links to them, authority and relevance.

    Needs an index: crawl with FRONTIER_INDEX = True, or see scrapy frontier index -h.
    """
    from frontier.search import read_weights
    from frontier.search import search as find

    weights = read_weights(opts.weights or "")
    report = find(opts.directory, " ".join(opts.words), opts.n, weights)
    return Output(report.as_dict(), lambda: _listed(report, explain=opts.explain))


def _listed(report: SearchReport, *, explain: bool) -> list[str]:
    from frontier.formatting import clean, number

    width = min(shutil.get_terminal_size().columns, _WIDEST)
    lines = []
    for answer in report.answers:
        more = f" (and {answer.folded:,} that repeat it)" if answer.folded else ""
        relevance = "" if answer.relevance is None else f"  relevance {number(answer.relevance)}"
        lines += [
            clean(f"{answer.rank}. {answer.title or answer.url}", width),
            f"   {clean(answer.url, width - 3)}",
            f"   score {answer.score:.3f}{relevance}{more}",
        ]
        if explain:
            parts = [f"{name} {value:.3f}" for name, value in answer.parts.items() if value]
            lines.append(f"   {' + '.join(parts)}")
        lines += [f"   {line}" for line in _wrapped(answer.snippet, width - 3)]
        lines.append("")
    folded = f", {report.folded:,} near-duplicates folded" if report.folded else ""
    lines += [report.note] if report.note else []
    lines.append(f"{report.pages:,} pages searched, {report.found:,} ranked{folded}.")
    if report.missing:
        lines.append(f"{report.missing:,} fetched pages are not in the index: {HOW_TO}.")
    return lines


def _wrapped(snippet: Snippet, width: int) -> list[str]:
    """Lines of a snippet, with marked words between asterisks."""
    from ranking.printing import columns, cut, shown

    text = "".join(f"*{part}*" if marked else part for part, marked in snippet)
    lines: list[str] = [""]
    for word in shown(text).split():
        longer = f"{lines[-1]} {word}".lstrip()
        if columns(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(cut(word, width))
    return [line for line in lines if line]


@action(
    "index",
    JOBDIR,
    argument(
        "--warc",
        metavar="FILE",
        type=Path,
        nargs="+",
        action="extend",
        help="WARC files that the crawl wrote (WARC_FILE), oldest first",
    ),
    argument(
        "--feed",
        metavar="FILE",
        type=Path,
        help='JSON lines with "url", and "text" or "html", that its spider yielded',
    ),
)
def index(opts: argparse.Namespace) -> Output:
    """Make or update the index that a search needs.

    Adds new and changed pages of the texts that the crawl keeps (FRONTIER_TEXT), or of WARC files
    or a feed, removes pages that are gone, and reads the texts of links from the crawl.
    """
    from frontier.inspection.rendering import rendered
    from frontier.search.updating import feed_pages, update

    if opts.warc and opts.feed:
        raise UsageError("expected WARC files or a feed, got both. Run the command once for each")
    pages = _recorded(opts) if opts.warc else feed_pages(opts.feed) if opts.feed else None
    report = update(opts.directory, pages)
    return Output(report.as_dict(), lambda: rendered(report))


def _recorded(opts: argparse.Namespace) -> Iterator[ReadPage]:
    from frontier.lab.replay.webfile import AnswerKind
    from frontier.parsing.reader import ReadingLimits
    from frontier.plugin.recorded import parser_of
    from frontier.search.updating import ReadPage
    from frontier.web.recorded_web import RecordedWeb

    web = RecordedWeb(opts.warc, ReadingLimits().body, latest=True)
    for damage in web.warnings:
        print_note(f"not read: {damage}")
    parse, _ = parser_of(opts.settings)
    for url in web.urls():
        parsed = parse(web.read(url))
        if parsed.kind is AnswerKind.PAGE and not url.endswith("/robots.txt"):
            yield ReadPage(url, parsed.content.title, parsed.content.text)
