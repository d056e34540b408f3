"""What there is to say of a URL beside its priority, in sentences.

What became of it, what a fetched page is marked with and by whom it was judged, who is suspect, and
what else decides when a queued URL is fetched: host, failures, scores of an earlier crawl.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from frontier.backend.deaths import is_set_aside
from frontier.formatting import clean, moment, number
from frontier.inspection.explain.rank import Queue
from frontier.inspection.reports import UrlReport
from frontier.inspection.resumed import Known
from frontier.records import PageRecord
from frontier.states import Mark, State
from frontier.store import StoreReader
from frontier.store.keys import DEATHS, IDENTITY, LABELLED
from frontier.strategy.distrust import SUSPECT, Distrust

_REFUSED = {
    State.ERROR: "It could not be fetched and is not asked for again",
    State.ROBOTS: "It may not be fetched",
    State.FILTERED: "A rule of the project refused it",
    State.TRAP: "It looks like a crawler trap",
}
_COPIES = Mark.DUPLICATE | Mark.NEAR_DUPLICATE
_MEANING = {
    Mark.NOINDEX: "It asks not to be indexed (noindex), so it is in no export.",
    Mark.NOFOLLOW: "Its links carry no weight (nofollow).",
    Mark.SOFT_404: "It is an error page with a status of success (soft 404).",
    Mark.CANONICAL_HERE: "It names itself as the canonical URL.",
    Mark.LED_BACK: "All that it leads to was known without it.",
}
_MERGED = State.REDIRECTED.name.lower()
_TRUNCATED = "truncated: "
"""How the note of a page begins of which only a part was read; the reason follows."""


def of_place(report: UrlReport, priority_class: int, rank: int | None, links: int) -> list[str]:
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


def _queued(report: UrlReport) -> str:
    if report.fetched is not None:
        return f"It was answered {moment(report.fetched)} and is to be fetched again."
    return "It waits to be fetched."


def _rank_then(rank: int | None) -> str:
    if rank is None:
        return "Its rank when it was requested is not on record."
    if rank == 1:
        return "It was the best URL of the frontier when it was requested."
    return (
        f"It had rank {rank:,} in the frontier then: hosts of the {rank - 1:,} better URLs were "
        f"not to be asked at that moment."
    )


def of_page(reader: StoreReader, report: UrlReport, page: PageRecord | None) -> list[str]:
    """Say what there is to a page beside its place; empty for what has no page."""
    if page is None or report.state not in (State.CRAWLED.name.lower(), _MERGED):
        return []
    said = list(_marks(page, report.twin))
    if page.state is State.CRAWLED and page.relevance is not None and not page.marks & _COPIES:
        said += _judged(reader.settings(), page)
    return said


def _marks(page: PageRecord, twin: str | None) -> Iterator[str]:
    if twin is not None and Mark.DUPLICATE in page.marks:
        yield f"Duplicate of {twin}: relevance 0; in-links count for that page."
    if twin is not None and Mark.NEAR_DUPLICATE in page.marks:
        yield f"Near-duplicate of {twin}: relevance 0; in-links count for that page."
    if page.marks & _COPIES:
        yield "Its links are followed, but carry no weight: the links of the original do."
    if Mark.TRUNCATED in page.marks:
        yield f"Only its beginning was read: {_why_truncated(page.error)}."
    for mark, meaning in _MEANING.items():
        if mark in page.marks:
            yield meaning


def _why_truncated(note: str | None) -> str:
    reason = (note or "").partition(_TRUNCATED)[2].partition(";")[0].strip()
    return reason or "no reason is on record"


def _judged(settings: Mapping[str, Any], page: PageRecord) -> Iterator[str]:
    """Say how relevant a page is, and whether a person says so."""
    yield (
        f"Its relevance is {number(page.relevance)}; its similarity to the topic is "
        f"{number(page.similarity)}."
    )
    labelled: dict[str, dict[str, str]] = settings.get(LABELLED) or {}
    for word, texts in labelled.items():
        if str(page.url_id) in texts:
            yield f"It is labelled {word} (scrapy frontier label), which outranks the topic model."


def of_trust(reader: StoreReader, known: Known, url_id: int) -> list[str]:
    """Say who is suspect; empty in a crawl that distrusts nobody."""
    file = (reader.settings().get(IDENTITY) or {}).get("distrust")
    if not file:
        return []
    distrust = known.driver.distrust
    if not distrust.enabled:
        return [
            f"Whether it is suspect is not known: {file}, the file of FRONTIER_DISTRUST, cannot "
            f"be read from here."
        ]
    if distrust.is_bad(url_id):
        return [f"It is marked bad in {file} (FRONTIER_DISTRUST), so it is not fetched."]
    if known.states[url_id] == State.QUEUED:
        return [] if known.driver.evidence.seed[url_id] else _waiting(distrust, url_id)
    return _suspicion(distrust.suspicion(url_id))


def _suspicion(suspicion: float) -> list[str]:
    if not suspicion:
        return []
    own = f"Its suspicion is {number(suspicion)}, the share of its links that lead to bad pages"
    if suspicion < SUSPECT:
        return [f"{own}; it would be suspect from {number(SUSPECT)} on."]
    return [f"{own}: it is suspect, so its outgoing links carry no weight."]


def _waiting(distrust: Distrust, url_id: int) -> list[str]:
    said = []
    if distrust.is_led_to_by_suspects(url_id):
        said.append("Suspect pages alone have led to it")
    if distrust.is_among_bad(url_id):
        said.append("At least half of what is known of its host is marked bad")
    return [f"{one}, so it waits until nothing else is left." for one in said]


def circumstances(reader: StoreReader, known: Known, queue: Queue, url_id: int) -> list[str]:
    """Say in sentences what else there is to a queued URL; empty if nothing."""
    return [
        *_of_host(known, queue, url_id),
        *_deaths(reader, url_id),
        *_failures(reader.attempts_without_answer(url_id)),
        *_lift(known, url_id),
    ]


def _of_host(known: Known, queue: Queue, url_id: int) -> list[str]:
    own = queue.of_host(int(known.hosts[url_id]))
    if len(own) == len(queue):
        return []
    host = known.host_names[known.hosts[url_id]]
    if len(own) == 1:
        return [f"It is the only one queued for the host {host}."]
    return [f"It is number {own.rank(url_id):,} of the {len(own):,} queued for the host {host}."]


def _deaths(reader: StoreReader, url_id: int) -> list[str]:
    row = reader.url_row(url_id)
    if row is None or not is_set_aside(reader.settings().get(DEATHS), row.fingerprint):
        return []
    return [
        "It was in flight each time the process died: it is fetched when nothing else is left, and "
        "alone (FRONTIER_DEATHS)."
    ]


def _failures(attempts: int) -> list[str]:
    if not attempts:
        return []
    times = "once" if attempts == 1 else f"{attempts:,} times"
    return [
        f"It was requested {times} without an answer and is tried again, after up to "
        f"FRONTIER_RETRY_HOLD others."
    ]


def _lift(known: Known, url_id: int) -> list[str]:
    ids, driver = np.array([url_id]), known.driver
    alone = float(driver.order.priority(ids, driver.evidence)[0])
    lifted = float(driver.trusting(ids)[0])
    if lifted == alone:
        return []
    return [
        f"Scores of an earlier crawl (FRONTIER_SCORES) lift its priority from {number(alone)} to "
        f"{number(lifted)}."
    ]
