"""``scrapy frontier rank``: what it takes and what it prints."""

from __future__ import annotations

import math
from contextlib import ExitStack
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from frontier.plugin.commands.base import Output, action, argument, number, positive, tell

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import BaseSettings

    from frontier.linkgraphs import RankTask, UrlGraph

METHODS = ("pagerank", "ppr", "hits", "topic-hits")
"""Of `ranking.offline.methods`, which is not imported before it is needed."""
NOT_CONVERGED = 3
"""Exit code where the scores are written but did not reach the tolerance, as of `ranking rank`."""


def _folds(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    exclusive = parser.add_mutually_exclusive_group()
    return [
        exclusive.add_argument(
            f"--{fold}",
            dest="fold",
            action="store_const",
            const=fold,
            help=f"rank {words} instead of pages",
        )
        for fold, words in (("hosts", "hosts"), ("domains", "registered domains"))
    ]


@action(
    "rank",
    argument(
        "sources",
        metavar="WARC|DIR",
        nargs="+",
        type=Path,
        help="WARC files of any crawler, or JOBDIR of a crawl",
    ),
    argument("--method", choices=METHODS, required=True, help="of link analysis"),
    argument(
        "--out",
        metavar="FILE",
        required=True,
        help="where to write: .tsv, .tsv.gz or .parquet, or - for the terminal",
    ),
    argument(
        "--seeds",
        metavar="FILE",
        help="ppr: where the surfer jumps, URL or URL<TAB>value a line",
    ),
    argument(
        "--relevance", metavar="FILE", help="topic-hits: URL<TAB>value a line, what is relevant"
    ),
    _folds,
    argument("--top", type=positive, metavar="N", help="write the N best only"),
    argument(
        "--damping",
        type=number(float, "0 to below 1", lambda d: 0 <= d < 1),
        metavar="D",
        help="probability to follow a link (default: 0.85)",
    ),
    argument(
        "--tol",
        type=number(float, "a number above 0 such as 1e-6", lambda tol: 0 < tol < math.inf),
        metavar="T",
        help="L1 error of the scores (default: 1e-06)",
    ),
)
def rank(opts: argparse.Namespace) -> Output:
    """Rank URLs of WARC files or of a crawl by their links.

    Writes a table of scores. Exit code 3 where they did not reach the tolerance.
    """
    from frontier.errors import SettingsError
    from frontier.linkgraphs import check_task

    paths = opts.sources
    crawls = [path for path in paths if path.is_dir()]
    if crawls and len(paths) > 1:
        raise SettingsError(
            f"Expected WARC files or one directory of a crawl, found {crawls[0]} beside others. "
            f"Rank them one by one."
        )
    task = _task(opts)
    check_task(task, of_crawl=bool(crawls))
    with ExitStack() as resources:
        urls = _crawl(crawls[0], resources) if crawls else _warcs(paths, opts.settings)
        return _ranked(task, _folded(urls, opts.fold), opts.fold or "URLs")


def _task(opts: argparse.Namespace) -> RankTask:
    from frontier.linkgraphs import RankTask

    return RankTask(**{one.name: getattr(opts, one.name) for one in fields(RankTask)})


def _crawl(directory: Path, resources: ExitStack) -> UrlGraph:
    from frontier.linkgraphs import crawl_graph
    from frontier.store import StoreReader

    return crawl_graph(resources.enter_context(StoreReader.open(directory)))


def _warcs(paths: list[Path], settings: BaseSettings) -> UrlGraph:
    from frontier.linkgraphs import Reading, warc_graph
    from frontier.parsing.reader import ReadingLimits
    from ranking.offline.extras import reading_bar

    reading = Reading(ReadingLimits(), settings.getint("URLLENGTH_LIMIT"))
    with reading_bar("reading", "B") as progress:
        urls = warc_graph(paths, reading, progress)
    for note in urls.notes:
        tell(note)
    return urls


def _folded(urls: UrlGraph, fold: str | None) -> UrlGraph:
    from frontier.urls.domains import public_domain

    if fold is None:
        return urls
    return urls.folded(str if fold == "hosts" else public_domain)


def _ranked(task: RankTask, urls: UrlGraph, what: str) -> Output:
    from frontier.linkgraphs import rank_urls

    links = urls.graph.snapshot().n_links
    ranked = rank_urls(task, urls)
    for note in ranked.notes:
        tell(f"warning: {note}")
    said = {
        "method": task.method,
        what.lower(): urls.n,
        "pages": urls.pages,
        "links": links,
        "iterations": ranked.iterations,
        "converged": ranked.converged,
        "written": ranked.written,
        "file": task.out,
    }
    graph = f"{urls.n:,} {what}, {urls.pages:,} pages read, {links:,} links"
    done = f"{ranked.written:,} scores written to {task.out}"
    line = f"{graph}; {ranked.iterations} iterations; {done}"
    # Written also where it did not converge.
    return Output(said, lambda: [line], 0 if ranked.converged else NOT_CONVERGED)
