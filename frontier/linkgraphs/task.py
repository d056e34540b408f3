"""One offline ranking of URLs: what was asked for, what it needs, what comes out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from frontier.errors import SettingsError
from frontier.linkgraphs.vectors import totals_of_file, totals_of_seeds
from frontier.urls.url_lists import is_file_name, read_seeds
from ranking.offline.methods import DAMPING, METHODS, TOL, columns_of, not_converged, run_method
from ranking.offline.output import check_output
from ranking.offline.scores import write_scores
from ranking.offline.table import ScoreTable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from frontier.linkgraphs.urlgraph import UrlGraph


@dataclass(frozen=True)
class RankTask:
    """What `scrapy frontier rank` was asked to do; None: not said."""

    method: str
    out: str
    restart: str | None = None
    seeds: str | None = None
    relevance: str | None = None
    top: int | None = None
    precedence: int | None = None
    damping: float | None = None
    tol: float | None = None


@dataclass(frozen=True)
class Ranked:
    """What came of it: URLs or hosts that were ranked, and what their owner should know."""

    written: int
    iterations: int
    converged: bool
    notes: list[str]


def check_task(task: RankTask, *, of_crawl: bool) -> None:
    """Refuse what can be seen to fail before hours of reading.

    Raises SettingsError for options that do not go together or files that are missing,
    OfflineInputError and MissingExtraError where the scores could not be written.
    """
    method = METHODS[task.method]
    needs = method.needs
    if task.damping is not None and not method.damped:
        raise SettingsError(f"Expected no --damping with --method {task.method}. Leave it out.")
    if task.tol is not None and method.exact:
        raise SettingsError(f"Expected no --tol with --method {task.method}, which is exact.")
    if task.restart and task.seeds:
        raise SettingsError("Expected --restart or --seeds, found both. Give one of them.")
    if (task.restart or task.seeds) and needs != "restart":
        raise SettingsError(_not_taken(task.method, "--restart" if task.restart else "--seeds"))
    if task.relevance and needs != "relevance":
        raise SettingsError(_not_taken(task.method, "--relevance"))
    if needs == "restart" and not (task.restart or task.seeds or of_crawl):
        raise SettingsError(
            f"Expected --seeds FILE or --restart FILE: {task.method} must know where the surfer "
            f"jumps, and WARC files do not say what their crawl began with. Or use --method "
            f"pagerank, where it may jump to any URL."
        )
    if needs == "relevance" and not (task.relevance or of_crawl):
        raise SettingsError(
            f"Expected --relevance FILE: {task.method} must know what is relevant, and WARC files "
            f"do not say. Or use --method hits."
        )
    for path in (task.restart, task.relevance):
        # Not is_file: what a shell makes of <(command) is a pipe.
        if path and (Path(path).is_dir() or not Path(path).exists()):
            raise SettingsError(f"Expected a file, but {path} is none. Check the name.")
    if task.seeds and is_file_name(task.seeds) and not Path(task.seeds).exists():
        read_seeds(task.seeds)  # says what is wrong
    check_output(task.out)


def _not_taken(method: str, option: str) -> str:
    kind = "relevance" if option == "--relevance" else "restart"
    others = [name for name, one in METHODS.items() if one.needs == kind]
    return (
        f"Expected no {option} with --method {method}, which does not use it. Leave it out, or "
        f"use --method {' or '.join(others)}."
    )


def rank_urls(task: RankTask, urls: UrlGraph) -> Ranked:
    """Rank a graph and write the scores.

    Raises SettingsError where the graph lacks what the method needs, and what `run_method` and
    `write_scores` raise.
    """
    needs = METHODS[task.method].needs
    vector, notes = None, list[str]()
    tol = TOL if task.tol is None else task.tol
    if needs == "restart":
        vector, notes = _restart(task, urls)
    elif needs == "relevance":
        vector, notes = _relevance(task, urls)
    ranking = run_method(
        urls.graph,
        task.method,
        **({needs: vector} if needs else {}),
        damping=DAMPING if task.damping is None else task.damping,
        tol=tol,
    )
    if not ranking.converged:
        notes.append(not_converged(task.method, ranking, tol))
    table = ScoreTable(urls.names, columns_of(ranking))
    shown = None if urls.hidden is None else ~urls.hidden
    write_scores(task.out, table, top=task.top, precedence=task.precedence, rows=shown)
    left = urls.n if shown is None else int(shown.sum())
    if left < urls.n:
        notes.append(f"left out {urls.n - left:,} of noindex pages, which ask not to be shown")
    written = min(task.top or left, left)
    return Ranked(written, ranking.iterations, ranking.converged, notes)


def _restart(task: RankTask, urls: UrlGraph) -> tuple[NDArray[np.float64], list[str]]:
    if task.restart:
        found = totals_of_file(task.restart, urls)
        return found.sums, found.notes
    if task.seeds:
        found = totals_of_seeds(task.seeds, urls)
        return found.sums, found.notes
    assert urls.seeds is not None, "only a crawl goes without"
    if not urls.seeds.any():
        raise SettingsError("Expected seeds, but the crawl has none yet. Give --seeds FILE.")
    return urls.seeds, []


def _relevance(task: RankTask, urls: UrlGraph) -> tuple[NDArray[np.float64], list[str]]:
    if task.relevance:
        found = totals_of_file(task.relevance, urls)
        return found.means, found.notes
    if urls.relevance is None:
        raise SettingsError(
            f"Expected pages that were judged, but the crawl has no topic: {task.method} must know "
            f"what is relevant. Give --relevance FILE, or use --method hits."
        )
    return urls.relevance, []
