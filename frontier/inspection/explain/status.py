"""Where a URL stands, in sentences: what became of it, and what decided beside its priority."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.inspection.formatting import clean, moment, number
from frontier.states import State

if TYPE_CHECKING:
    from frontier.inspection.reports import UrlReport


def sentences(report: UrlReport, priority_class: int, rank: int | None, links: int) -> list[str]:
    """Say where a URL that the crawl met stands; `rank` is that at its hand-out."""
    state = State[report.state.upper()]
    said = _of_state(report, state)
    if report.handout is not None and state != State.QUEUED:
        said.append(_rank_then(rank))
    if report.seed:
        said.append("It is a seed: unfetched seeds come before all that was found.")
    elif not links:
        said.append("No fetched page links to it: a request of the spider asked for it.")
    if priority_class:
        said.append(f"Its request asks for class {priority_class}, which outranks every priority.")
    return said


def _of_state(report: UrlReport, state: State) -> list[str]:
    reason = clean(report.error) if report.error else "no reason is on record"
    if state == State.QUEUED:
        return [_queued(report)]
    if state == State.LEASED:
        return [f"In flight since {moment(report.leased)}."]
    if state == State.CRAWLED:
        return [f"Fetched {moment(report.fetched)}, as request {number(report.handout)}."]
    if state == State.REDIRECTED:
        if report.twin is not None:
            return [f"Merged into its canonical URL {report.twin}; its in-links count there."]
        target = report.redirects_to or report.final_url or "elsewhere"
        return [f"It redirects to {target}; its in-links count there."]
    return [f"{_REFUSED[state]}: {reason}."]


_REFUSED = {
    State.ERROR: "It could not be fetched and is not asked for again",
    State.ROBOTS: "It may not be fetched",
    State.FILTERED: "A rule of the project refused it",
    State.TRAP: "It looks like one of endlessly many",
}


def _queued(report: UrlReport) -> str:
    if report.fetched is not None:
        return f"It was answered {moment(report.fetched)} and is to be fetched again."
    return "It waits to be fetched."


def _rank_then(rank: int | None) -> str:
    if rank is None:
        return "Its rank at the hand-out is not on record: an earlier version stored the crawl."
    if rank == 1:
        return "Nothing in the frontier had a higher priority then."
    return (
        f"It had rank {rank:,} in the frontier then: hosts of the {rank - 1:,} better URLs were "
        f"not to be asked at that moment."
    )
