"""Snapshots of a running crawl, about every EVERY seconds, for processes that watch it.

A snapshot is written with the next commit. Its figures are kept, for curves; the details (hosts,
queue, estimates) only of the last snapshot. Above MOST snapshots every second one of the older half
is deleted: a crawl of a month keeps as many as a crawl of three hours, and the last hour in full.

Snapshots are made of the state in memory, and do not change the order. The time that a snapshot
takes is measured; the next one waits until that time is at most SHARE of all.
"""

from __future__ import annotations

import json
import mmap
import resource
import sys
import time
from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from frontier.states import State
from frontier.store.rows import SnapshotRow
from ranking.priority import SEED_PRIORITY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from frontier.backend.backend import LinkRankBackend
    from frontier.backend.progress.figures import CrawlFigures
    from frontier.config import CrawlConfig
    from ranking.arrays import FloatArray, LongArray

EVERY: Final = 10.0
"""Seconds between two rows; at first fewer, as the crawl is young."""
FIRST: Final = 0.2
GROWTH: Final = 0.02
"""Share of its age after which a young crawl writes the next one."""
SHARE: Final = 0.004
"""Of the time, that rows may cost at most."""
MOST: Final = 1000
HOSTS: Final = 50
BINS: Final = 20
TOP: Final = 100
"""First URLs of the queue, of which a snapshot says how many a re-rank has changed."""
RERANKS: Final = 100
_PORTION: Final = 2**18
"""URLs that are counted at a time: temporary arrays stay small."""
_FAILED: Final = (State.ERROR, State.ROBOTS, State.FILTERED)
_BY_HOST: Final = ("pages", "relevant", "queued", "in_flight")
_SAMPLE: Final = 10_000
"""Pages whose ages are shown."""


class Snapshots:
    """Writes down how the crawl of a backend does."""

    def __init__(
        self,
        backend: LinkRankBackend,
        figures: CrawlFigures,
        config: CrawlConfig,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._backend = backend
        self._figures = figures
        self._config = config
        self._clock = clock
        self._began = self._due = clock()
        self._behind = False
        self._given_up: Callable[[str], str | None] = lambda _: None
        before = backend.store.snapshots()
        self._numbers = [row.number for row in before]
        self._last = before[-1] if before else None
        details = json.loads(before[-1].details or "{}") if before else {}
        self._run = json.loads(before[-1].figures)["run"] + 1 if before else 0
        self._reranks: deque[dict[str, Any]] = deque(details.get("reranks", ()), maxlen=RERANKS)
        self._rerank_seconds = 0.0

    def name_dead_hosts(self, given_up: Callable[[str], str | None]) -> None:
        """Ask a function from now on why a host is not requested any more; None if it is."""
        self._given_up = given_up

    def take_due(self) -> None:
        """Add a row to what is about to be committed, if it is time for one.

        A crawl that falls idle gets a last row, if it did something since the one before.
        """
        self._behind |= self._backend.store.dirty
        if self._behind and self._clock() >= self._due:
            self.take()

    def take(self) -> None:
        """Add a row now."""
        began = time.perf_counter()
        figures, details = self._taken()
        number = self._numbers[-1] + 1 if self._numbers else 0
        row = SnapshotRow(number, time.time(), json.dumps(figures), json.dumps(details))
        store = self._backend.store
        store.keep_snapshot(row)
        if self._last is not None:
            store.keep_snapshot(self._last._replace(details=None))
        self._last, self._behind = row, False
        self._numbers.append(number)
        if len(self._numbers) > MOST:
            for old in thinned_out(self._numbers):
                store.drop_snapshot(old)
        now = self._clock()
        pause = min(EVERY, max(FIRST, GROWTH * (now - self._began)))
        self._due = now + max(pause, (time.perf_counter() - began) / SHARE)

    @contextmanager
    def reranking(self) -> Iterator[None]:
        """Note a re-rank; the block brings the queue up to date with its scores."""
        driver, before = self._backend.driver, self._top()
        yield
        best, seconds = self._top(), driver.reranker.figures.seconds
        new = len(np.setdiff1d(best, before)) / max(len(best), 1)
        rerank = {"epoch": driver.epoch, "at": time.time(), "changed": new}
        self._reranks.append({**rerank, "seconds": seconds - self._rerank_seconds})
        self._rerank_seconds = seconds

    def _top(self) -> LongArray:
        """Ids of the TOP URLs of the queue, whether their hosts may be asked or not."""
        columns, best = self._backend.queue.columns, np.empty(0, np.int64)
        for at in range(0, len(columns.places), _PORTION):
            queued = at + np.flatnonzero(columns.places[at : at + _PORTION])
            best = np.sort(columns.best(np.concatenate([best, queued]), TOP))
        return best

    def _taken(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return figures, which are kept, and details, which the next snapshot replaces."""
        figures, ledger = self._figures, self._backend.ledger
        relevant, of = figures.harvest.last()
        by_host, queue = self._counted()
        outlook = figures.outlook
        counted = {
            "run": self._run,
            "answers": self._backend.store.next_seq,
            "known": figures.known,
            "queued": figures.count(State.QUEUED),
            "in_flight": figures.count(State.LEASED),
            "pages": figures.pages,
            "judged": figures.harvest.pages,
            "relevant": figures.harvest.relevant,
            "recent": [relevant, of],
            "failed": sum(map(figures.count, _FAILED)),
            "links": figures.links,
            "hosts": len(ledger.host_names),
            "epoch": figures.epoch,
            "revisits": figures.revisits.get("revisits", 0),
            "memory": resident(),
        }
        details = {
            "queue": queue,
            "hosts": self._hosts(by_host),
            "remaining": outlook.remaining and outlook.remaining._asdict(),
            "remaining_unknown": outlook.unknown,
            "reranks": list(self._reranks),
            "refresh": self._refresh(),
            "rendered": dict(figures.rendered),
            "finish": self._backend.ending,
        }
        return counted, details

    # -- counts of all URLs -----------------------------------------------------------------------

    def _counted(self) -> tuple[dict[str, LongArray], dict[str, Any]]:
        """Counts by host, int64[hosts] each, and the histogram of what is queued."""
        ledger, evidence = self._backend.ledger, self._backend.driver.evidence
        hosts, focused, states = len(ledger.host_names), self._config.focused, ledger.state.array
        refresher = self._backend.refresher
        if refresher is not None:  # a page that waits for a revisit is a page
            states = states.copy()
            states[list(refresher.findings.under_way)] = State.CRAWLED
        values = evidence.predicted if focused else self._backend.queue.columns.priorities
        ends = (0.0, 1.0) if focused else _range(values[states[: len(values)] == State.QUEUED])
        edges = np.linspace(*ends, BINS + 1)
        by_host = {name: np.zeros(hosts, np.int64) for name in _BY_HOST}
        counts = np.zeros(BINS, np.int64)
        for at in range(0, len(ledger), _PORTION):
            part = slice(at, at + _PORTION)
            state, host, worth = states[part], ledger.host.array[part], values[part]
            pages, queued = state == State.CRAWLED, state == State.QUEUED
            relevant = pages & (evidence.relevance[part] >= self._config.relevant)
            chosen = pages, relevant, queued, state == State.LEASED
            for name, those in zip(_BY_HOST, chosen, strict=True):
                by_host[name] += np.bincount(host[those], minlength=hosts)
            counts += np.histogram(worth[queued[: len(worth)]], BINS, ends)[0]
        by = "relevance" if focused else "priority"
        return by_host, {"by": by, "edges": edges.round(9).tolist(), "counts": counts.tolist()}

    def _hosts(self, by_host: dict[str, LongArray]) -> list[dict[str, Any]]:
        """The hosts that hold most URLs, fetched or waiting, most first."""
        names = self._backend.ledger.host_names
        held = by_host["pages"] + by_host["queued"] + by_host["in_flight"]
        most = np.argpartition(-held, HOSTS)[:HOSTS] if len(held) > HOSTS else np.arange(len(held))
        rows = []
        for host in most[np.lexsort((most, -held[most]))].tolist():
            counts = {name: int(values[host]) for name, values in by_host.items()}
            judged, dead = counts["pages"] * self._config.focused, self._given_up(names[host])
            rows.append({"host": names[host], **counts, "judged": judged, "dead": dead})
        return rows

    # -- what else is known -----------------------------------------------------------------------

    def _refresh(self) -> dict[str, Any] | None:
        """How far the crawl is up to date, by a sample of its pages; None if it does not revisit.

        Ages in seconds since a page was last seen; counts are those of this run.
        """
        refresher = self._backend.refresher
        if refresher is None:
            return None
        pages, now = refresher.findings.pages, refresher.findings.clock()
        there = np.flatnonzero(~pages.ended)
        some = there[:: max(len(there) // _SAMPLE, 1)]
        ages = np.maximum(now - pages.chances.last[some], 0.0)
        if not len(some):
            return None
        quartiles = np.quantile(ages, (0.25, 0.5, 0.75, 1)).tolist()
        names = "age_first_quartile", "age_median", "age_third_quartile", "age_oldest"
        refresh = {"pages": len(there), **self._figures.revisits}
        refresh |= dict(zip(names, quartiles, strict=True))
        return refresh | {"up_to_date": float(1 - pages.chances.chances(some, now).mean())}


def thinned_out(numbers: list[int]) -> list[int]:
    """Take every other one of the older half out of a list, but not the first, and return them."""
    half = len(numbers) // 2
    gone = numbers[1:half:2]
    numbers[:half] = numbers[:half:2]
    return gone


def resident() -> int:
    """Bytes of this process that are in memory; the peak of that where no more is known."""
    try:
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123  # a third of the time
            return int(file.read().split()[1]) * mmap.PAGESIZE
    except OSError:  # no Linux
        used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return int(used) * (1 if sys.platform == "darwin" else 1024)


def _range(priorities: FloatArray) -> tuple[float, float]:
    """Least and greatest of those that are no seed's."""
    some = priorities[priorities < SEED_PRIORITY / 2]
    low, high = (float(some.min()), float(some.max())) if len(some) else (0.0, 1.0)
    return low, max(high, low + 1e-9)
