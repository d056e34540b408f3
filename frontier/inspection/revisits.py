"""Results of revisits: changes and their times, the age of pages, due revisits.

A page that was fetched and never revisited was last seen when it was fetched.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from frontier.backend.revisits.known_pages import SeenPages
from frontier.inspection.reports import PERCENT, RefreshStats, Report, iso_time
from frontier.refresh.chances import DAY, ChangeChances
from frontier.refresh.changes import TELLING, has_change, known_since, past_revisits
from frontier.refresh.pauses import earliest
from frontier.refresh.policy import SWEEP, RefreshPolicy
from frontier.states import ENDED, UNSEEN, Change, State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from frontier.inspection.resumed import Known
    from frontier.records import RevisitRow
    from frontier.store import StoreReader
    from frontier.store.reader import RevisitHistory
    from frontier.store.rows import RevisitColumns

_PORTION = 1000
"""Pages whose changes are read at a time."""
_LISTED = (Change.NEW, Change.CHANGED, *ENDED)


@dataclass(frozen=True)
class PageChange(Report):
    """A change of a page: when it was seen, and when the page had been seen before.

    `change` is new, changed, gone, moved or forbidden; `share_of_text` the share of the text that
    changed, known of the last change of a page.
    """

    seen: str | None
    change: str
    share_of_text: float | None = field(metadata=PERCENT)
    previous_revisit: str | None
    url: str
    moved_to: str | None


@dataclass(frozen=True)
class ChangesReport(Report):
    """What changed since a time, newest first; `pages` and `revisits` are those of the whole crawl.

    Of a page the last changes are known, as many as MOST of `frontier.refresh.changes`. Where a
    page had more, the list is complete from `complete_since` on; None: it is complete.
    """

    directory: str
    since: str | None
    complete_since: str | None
    pages: int
    revisits: int
    counts: dict[str, int]
    changes: tuple[PageChange, ...]


@dataclass(frozen=True)
class PastRevisitRow(Report):
    """A revisit of a page; without status there was no answer."""

    at: str | None
    status: int | None
    result: str


@dataclass(frozen=True)
class RevisitReport(Report):
    """Revisits of one page, and when the next is due.

    Attributes:
        revisits, changes: revisits after the first fetch, and how many of them found a change.
        last_revisit: its result, a name of `Change`.
        share_of_text: that the last change changed.
        changes_a_day: estimated rate.
        chance_of_change: that the page has changed since it was seen.
        signalled: time of a change that a sitemap, feed or linking page names.
        next_revisit: when it is due, or what decides that.
        due_from, due_by: when the page may, and when it must be revisited; None: never.
        history: last revisits, oldest first.

    """

    first_seen: str | None
    last_seen: str | None
    last_changed: str | None
    revisits: int
    changes: int
    last_revisit: str
    share_of_text: float | None = field(metadata=PERCENT)
    changes_a_day: float
    chance_of_change: float = field(metadata=PERCENT)
    signalled: str | None
    next_revisit: str
    due_from: str | None
    due_by: str | None
    history: tuple[PastRevisitRow, ...]


class _Event(NamedTuple):
    at: float
    url_id: int
    change: Change
    share: float | None
    previous: float | None


def changes_report(reader: StoreReader, since: float | None) -> ChangesReport:
    """List what changed at `since` (Unix seconds; None: ever) or later."""
    columns, events = reader.revisit_columns(), []
    begin = complete = -math.inf if since is None else since
    with reader.reading():
        for revisit in reader.revisit_histories():
            events += _events(revisit, begin)
            complete = max(complete, known_since(revisit.history))
    events.sort(key=lambda event: (-event.at, event.url_id))
    counts = Counter(event.change for event in events)
    return ChangesReport(
        directory=str(reader.path.parent),
        since=iso_time(since),
        complete_since=iso_time(complete) if complete > begin else None,
        pages=len(columns.ids),
        revisits=int(columns.revisits.sum()),
        counts={change.name.lower(): counts[change] for change in _LISTED},
        changes=tuple(_page_changes(reader, events)),
    )


def page_changes(reader: StoreReader, shown: NDArray[np.bool_]) -> Iterator[list[PageChange]]:
    """Yield all known changes of some pages, some pages at a time, by id; `shown` is by id."""
    histories = (
        revisit
        for revisit in reader.revisit_histories()
        if revisit.url_id < len(shown) and shown[revisit.url_id]
    )
    while some := list(islice(histories, _PORTION)):
        with reader.reading():
            events = [event for revisit in some for event in _events(revisit, -math.inf)]
        yield list(_page_changes(reader, events))


def _events(revisit: RevisitHistory, since: float) -> list[_Event]:
    """Return the changes of a page since then without repetitions, oldest first."""
    is_older = revisit.changed is None or revisit.changed < since
    if is_older and not has_change(revisit.history, TELLING, since):
        events = iter([_first(revisit)])
    else:
        events = _all_events(revisit)
    return [event for event in events if event.at >= since]


def _first(revisit: RevisitHistory) -> _Event:
    return _Event(revisit.first, revisit.url_id, Change.NEW, None, None)


def _all_events(revisit: RevisitHistory) -> Iterator[_Event]:
    yield _first(revisit)
    past = past_revisits(revisit.history)
    changes = [at for at, _, change in past if change is Change.CHANGED]
    if revisit.changed is not None and (not past or int(revisit.changed) < past[0].at):
        share = None if changes else revisit.share
        yield _Event(revisit.changed, revisit.url_id, Change.CHANGED, share, None)
    before, previous = Change.NEW, None
    for at, status, change in past:
        if change in ENDED and change is not before:
            yield _Event(at, revisit.url_id, change, None, previous)
        elif change is Change.CHANGED:
            share = revisit.share if at == changes[-1] else None
            yield _Event(at, revisit.url_id, change, share, previous)
        if change.is_known or change is Change.FORBIDDEN:
            before = change
        if status is not None and change is not Change.NOTICE:
            previous = at


def _page_changes(reader: StoreReader, events: list[_Event]) -> Iterator[PageChange]:
    rows = reader.fetch_urls(dict.fromkeys(event.url_id for event in events))
    for event in events:
        yield PageChange(
            seen=iso_time(event.at),
            change=event.change.name.lower(),
            share_of_text=event.share,
            previous_revisit=iso_time(event.previous),
            url=rows[event.url_id].url,
            moved_to=_target(reader, event),
        )


def _target(reader: StoreReader, event: _Event) -> str | None:
    page = reader.page_row(event.url_id) if event.change is Change.MOVED else None
    return None if page is None else page.final_url


def _watched(
    reader: StoreReader, known: Known, columns: RevisitColumns
) -> tuple[SeenPages, ChangeChances]:
    """Return all fetched pages, and the chances that a resumed crawl infers from their revisits."""
    seen = SeenPages.of(reader, columns, known.n)
    chances = ChangeChances(1 / known.config.refresh.between)
    folders = np.unique(reader.folder_keys()[seen.ids], return_inverse=True)[1]
    chances.restore(seen.first, seen.last, seen.changes, folders, known.hosts[seen.ids])
    chances.signal(np.flatnonzero(seen.signalled))
    return seen, chances


def refresh_stats(reader: StoreReader, known: Known) -> RefreshStats | None:
    """Return how far a crawl is up to date; None for a crawl that never revisited a page."""
    columns = reader.revisit_columns()
    if not len(columns.ids):
        return None
    (seen, watched), now = _watched(reader, known, columns), time.time()
    there = ~seen.ended & (known.states[seen.ids] <= State.CRAWLED)  # or waits for a revisit
    ages = np.maximum(now - seen.last[there], 0.0)
    stale = watched.chances(np.flatnonzero(there), now)
    quartiles = np.quantile(ages, (0.25, 0.5, 0.75, 1)).tolist() if len(ages) else [None] * 4
    counts = np.bincount(columns.result, minlength=len(Change)).tolist()
    return RefreshStats(
        pages=len(ages),
        revisits=int(columns.revisits.sum()),
        changes=int(columns.changes.sum()),
        gone=counts[Change.GONE],
        moved=counts[Change.MOVED],
        forbidden=counts[Change.FORBIDDEN],
        up_to_date=float(1 - stale.mean()) if len(ages) else None,
        age_first_quartile=quartiles[0],
        age_median=quartiles[1],
        age_third_quartile=quartiles[2],
        age_oldest=quartiles[3],
    )


def revisit_report(reader: StoreReader, known: Known, url_id: int) -> RevisitReport | None:
    """Return the results of all revisits of a page; None for a page that is not revisited."""
    revisit = reader.revisit(url_id)
    if revisit is None:
        return None
    seen, watched = _watched(reader, known, reader.revisit_columns())
    policy, now = known.config.refresh, time.time()
    rates, chances = watched.estimates(np.flatnonzero(seen.ids == url_id), now)
    with reader.reading():
        change, history = Change(revisit.result), past_revisits(revisit.history)
    is_due = policy.enabled and change not in (Change.GONE, Change.FORBIDDEN)
    due_from = earliest(policy, revisit.last, revisit.history)
    return RevisitReport(
        first_seen=iso_time(revisit.first),
        last_seen=iso_time(revisit.last),
        last_changed=iso_time(revisit.changed),
        revisits=revisit.revisits,
        changes=revisit.changes,
        last_revisit=change.name.lower(),
        share_of_text=revisit.share,
        changes_a_day=float(rates[0]) * DAY,
        chance_of_change=float(chances[0]),
        signalled=iso_time(revisit.signalled),
        next_revisit=_next_revisit(policy, revisit, now),
        due_from=iso_time(due_from) if is_due else None,
        due_by=iso_time(max(revisit.last + policy.most, due_from)) if is_due else None,
        history=tuple(
            PastRevisitRow(iso_time(past.at), past.status, past.change.name.lower())
            for past in history
        ),
    )


def _next_revisit(policy: RefreshPolicy, revisit: RevisitRow, now: float) -> str:
    """Return when the next revisit is due, or what decides that."""
    if revisit.result == Change.FORBIDDEN:
        return "never: it is forbidden"
    if not policy.enabled:
        return "never: the last run was without FRONTIER_REFRESH"
    if revisit.result == Change.GONE:
        return "never, unless a page is seen that links to it: it is gone"
    if revisit.result == Change.MOVED:
        return "FRONTIER_REFRESH_MAX after the last revisit: it is moved"
    if revisit.result in UNSEEN:
        return "after a pause, twice as long each time: the last revisit failed"
    if now >= revisit.last + policy.most:
        return "now: it was not seen for FRONTIER_REFRESH_MAX"
    if now < revisit.last + policy.least:
        return "later: it was seen less than FRONTIER_REFRESH_MIN ago"
    if policy.way == SWEEP:
        return "when it is the page not seen for longest"
    if (revisit.signalled or 0.0) > revisit.last:
        return "by its relevance or score, and sooner because a change is signalled"
    return "by its relevance or score, and the chance that it changed"
