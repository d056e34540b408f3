"""One offline ranking of URLs: what was asked for, what it needs, what comes out.

What files tell about URLs (where the surfer jumps, what is relevant) is looked up by name as the
crawler would know it, however it is spelled; of hosts both names and URLs may be given. Names that
are not in the graph are counted and shown, and a file of which no name is known is refused: it
belongs to another graph.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from frontier.errors import SettingsError
from frontier.linkgraphs.urlgraph import UNKNOWN
from ranking.offline.files import check_input, check_output
from ranking.offline.methods import DAMPING, METHODS, TOL, columns_of, not_converged, run_method
from ranking.offline.scores import value_parts, write_scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frontier.linkgraphs.urlgraph import UrlGraph


_KINDS = {"seeds": "restart", "relevance": "relevance"}
"""Option -> what a method needs that it tells."""
_MISSING = {
    "restart": "Expected --seeds FILE: {method} must know where the surfer "
    "jumps, and WARC files do not say what their crawl began with. Or use --method "
    "pagerank, where it may jump to any URL.",
    "relevance": "Expected --relevance FILE: {method} must know what is relevant, and WARC files "
    "do not say. Or use --method hits.",
}


@dataclass(frozen=True)
class RankTask:
    """What `scrapy frontier rank` was asked to do; None: not said."""

    method: str
    out: str
    seeds: str | None = None
    relevance: str | None = None
    top: int | None = None
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

    Raises SettingsError for options that do not go together, OfflineInputError for files that are
    missing, and the same or MissingExtraError where the scores could not be written.
    """
    method = METHODS[task.method]
    if task.damping is not None and not method.damped:
        raise SettingsError(f"Expected no --damping with --method {task.method}. Leave it out.")
    given = [name for name in _KINDS if getattr(task, name)]
    for name in given:
        if _KINDS[name] != method.needs:
            others = " or ".join(one for one in METHODS if METHODS[one].needs == _KINDS[name])
            raise SettingsError(
                f"Expected no --{name} with --method {task.method}, which does not use it. Leave "
                f"it out, or use --method {others}."
            )
    if method.needs and not (given or of_crawl):
        raise SettingsError(_MISSING[method.needs].format(method=task.method))
    for path in filter(None, (task.seeds, task.relevance)):
        check_input(path)
    check_output(task.out)


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
        vector,
        damping=DAMPING if task.damping is None else task.damping,
        tol=tol,
    )
    if not ranking.converged:
        notes.append(not_converged(task.method, ranking, tol))
    shown = None if urls.hidden is None else ~urls.hidden
    write_scores(task.out, urls.names, columns_of(ranking), top=task.top, rows=shown)
    left = urls.n if shown is None else int(shown.sum())
    if left < urls.n:
        notes.append(f"left out {urls.n - left:,} of noindex pages, which ask not to be shown")
    written = min(task.top or left, left)
    return Ranked(written, ranking.iterations, ranking.converged, notes)


def _restart(task: RankTask, urls: UrlGraph) -> tuple[NDArray[np.float64], list[str]]:
    """Sums of what a file says of each id, or the seeds of the crawl; and what is unknown."""
    if task.seeds:
        sums, _, notes = _totals(task.seeds, urls)
        return sums, notes
    assert urls.seeds is not None, "only a crawl goes without"
    if not urls.seeds.any():
        raise SettingsError("Expected seeds, but the crawl has none yet. Give --seeds FILE.")
    return urls.seeds, []


def _relevance(task: RankTask, urls: UrlGraph) -> tuple[NDArray[np.float64], list[str]]:
    """Means of what a file says of each id, 0 where nothing, or what the crawl judged."""
    if task.relevance:
        sums, counts, notes = _totals(task.relevance, urls)
        return sums / np.maximum(counts, 1), notes
    if urls.relevance is None:
        raise SettingsError(
            f"Expected pages that were judged, but the crawl has no topic: {task.method} must know "
            f"what is relevant. Give --relevance FILE, or use --method hits."
        )
    return urls.relevance, []


def _totals(path: str, urls: UrlGraph) -> tuple[NDArray[np.float64], NDArray[np.int64], list[str]]:
    """For each id the sum of the values that a file gives it, how many there are, and notes.

    Raises OfflineInputError for a bad row, with its number.
    """
    sums, counts = np.zeros(urls.n), np.zeros(urls.n, np.int64)
    unknown, example = 0, ""
    for names, values in value_parts(path):
        for name, value in zip(names.to_pylist(), values.tolist(), strict=True):
            found = urls.find(name)
            if found == UNKNOWN:
                unknown, example = unknown + 1, example or name
                continue
            sums[found] += value
            counts[found] += 1
    if not counts.any():
        raise SettingsError(
            f"Expected names of the graph in {path}, but none of its {unknown:,} names is one"
            + (f", such as {example!r}" if example else "")
            + (f". Names look like {urls.names[0]!r}." if urls.n else ": the graph is empty.")
        )
    if not unknown:
        return sums, counts, []
    note = f"{path}: {unknown:,} names are not in the graph, such as {example!r}"
    return sums, counts, [note]
