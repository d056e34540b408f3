"""``scrapy frontier rank``: what it takes and what it prints."""

from __future__ import annotations

import math
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from scrapy.settings import BaseSettings

    from frontier.linkgraphs import RankTask, UrlGraph

    Output = tuple[Any, Callable[[], list[str]]]

METHODS = ("pagerank", "ppr", "trustrank", "hits", "topic-hits", "salsa")
MAX_LEVELS = 2**31 - 1
"""Of `ranking.offline.precedence`, which is not imported before it is needed."""
NOT_CONVERGED = 3
"""Exit code where the scores are written but did not reach the tolerance, as of `ranking rank`."""
_DAMPING, _TOL = 0.85, 1e-6


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that only this action has."""
    group = parser.add_argument_group(title="frontier rank")
    group.add_argument("--method", choices=METHODS, help="of link analysis")
    group.add_argument(
        "--seeds", metavar="FILE", help="ppr, trustrank: URLs where the surfer jumps, one a line"
    )
    group.add_argument(
        "--restart",
        metavar="FILE",
        help="URL<TAB>value a line; ppr: the same weighted; trustrank: seeds are those above 0",
    )
    group.add_argument(
        "--relevance", metavar="FILE", help="topic-hits: URL<TAB>value a line, what is relevant"
    )
    folds = group.add_mutually_exclusive_group()
    for name in ("hosts", "domains"):
        folds.add_argument(
            f"--{name}",
            dest="fold",
            action="store_const",
            const=name,
            help=f"rank {'registered ' if name == 'domains' else ''}{name} instead of pages",
        )
    group.add_argument("--top", type=int, metavar="N", help="write the N best only")
    group.add_argument(
        "--precedence",
        type=int,
        metavar="K",
        help="add integer levels: 1 for the best K-th, K for the worst",
    )
    group.add_argument(
        "--damping", type=float, help=f"probability to follow a link (default: {_DAMPING})"
    )
    group.add_argument("--tol", type=float, help=f"L1 error of the scores (default: {_TOL:g})")


def check(args: list[str], opts: argparse.Namespace) -> None:
    """Raise UsageError for options that mean nothing."""
    if opts.method is None:
        raise UsageError(f"expected --method, one of {', '.join(METHODS)}")
    if opts.out is None:
        raise UsageError("expected --out FILE: .tsv, .tsv.gz or .parquet, or - for the terminal")
    for name in ("top", "precedence"):
        value = getattr(opts, name)
        if value is not None and value < 1:
            raise UsageError(f"expected --{name} 1 or more, found {value}")
    if opts.precedence is not None and opts.precedence > MAX_LEVELS:
        raise UsageError(f"expected --precedence up to {MAX_LEVELS}, found {opts.precedence}")
    if opts.damping is not None and not 0 <= opts.damping < 1:
        raise UsageError(f"expected --damping from 0 to below 1, found {opts.damping}")
    if opts.tol is not None and not 0 < opts.tol < math.inf:
        raise UsageError(f"expected a --tol above 0 such as 1e-6, found {opts.tol}")


def run(operands: list[str], opts: argparse.Namespace, settings: BaseSettings) -> Output:
    """Rank what the operands hold: a directory is a crawl, files are WARCs."""
    from frontier.errors import SettingsError
    from frontier.linkgraphs import check_task
    from frontier.warc.scan import require_readable

    paths = [Path(one) for one in operands]
    crawls = [path for path in paths if path.is_dir()]
    if crawls and len(paths) > 1:
        raise SettingsError(
            f"Expected WARC files or one directory of a crawl, found {crawls[0]} beside others. "
            f"Rank them one by one."
        )
    task = _task(opts)
    check_task(task, of_crawl=bool(crawls))
    if not crawls:
        require_readable(paths)
    with ExitStack() as resources:
        urls = _crawl(crawls[0], resources) if crawls else _warcs(paths, settings)
        return _ranked(task, _folded(urls, opts.fold), opts.fold or "URLs")


def exit_code(said: Any) -> int:
    """Exit code of a ranking, which is written also where it did not converge."""
    return 0 if said["converged"] else NOT_CONVERGED


def _task(opts: argparse.Namespace) -> RankTask:
    from frontier.linkgraphs import RankTask

    return RankTask(
        method=opts.method,
        out=opts.out,
        restart=opts.restart,
        seeds=opts.seeds,
        relevance=opts.relevance,
        top=opts.top,
        precedence=opts.precedence,
        damping=opts.damping,
        tol=opts.tol,
    )


def _crawl(directory: Path, resources: ExitStack) -> UrlGraph:
    from frontier.linkgraphs import crawl_graph
    from frontier.store import StoreReader

    return crawl_graph(resources.enter_context(StoreReader.open(directory)))


def _warcs(paths: list[Path], settings: BaseSettings) -> UrlGraph:
    from frontier.linkgraphs import warc_graph
    from frontier.linkgraphs.recorded import Reading
    from frontier.plugin.settings.reading import limits_from
    from ranking.offline.progress import reading_bar

    limits, max_url = limits_from(settings), settings.getint("URLLENGTH_LIMIT")
    with Reading(limits, max_url) as reading, reading_bar("reading", "B") as progress:
        urls = warc_graph(paths, reading, progress)
    for note in urls.notes:
        _tell(note)
    return urls


def _folded(urls: UrlGraph, fold: str | None) -> UrlGraph:
    from frontier.linkgraphs.hosts import by_domain, by_host

    if fold is None:
        return urls
    return urls.folded(by_host() if fold == "hosts" else by_domain())


def _ranked(task: RankTask, urls: UrlGraph, what: str) -> Output:
    from frontier.linkgraphs import rank_urls

    links = urls.graph.snapshot().n_links
    ranked = rank_urls(task, urls)
    for note in ranked.notes:
        _tell(f"warning: {note}")
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
    return said, lambda: [f"{graph}; {ranked.iterations} iterations; {done}"]


def _tell(note: str) -> None:
    from ranking.printing import say

    say([note], sys.stderr)
