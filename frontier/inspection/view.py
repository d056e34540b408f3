"""Reports on a crawl: the numbers, the best URLs, one URL."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from frontier.estimates import DOUBT
from frontier.inspection.onepage import UrlReport, find_url, url_report
from frontier.inspection.reports import (
    CrawlStats,
    EndCount,
    HarvestRateReport,
    HostCount,
    Refused,
    TopRow,
    iso_time,
    number_or_none,
)
from frontier.inspection.resumed import Known, best_first, stored_config
from frontier.inspection.revisits import ChangesReport, changes_report, refresh_stats
from frontier.labels.at_random import rate_of_crawl
from frontier.states import Mark, State, mark_names
from frontier.store import StoreReader
from frontier.store.statements import REFUSALS_BY_REASON
from frontier.utils import Closing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frontier.backend.backend import LinkRankBackend
    from frontier.inspection.explain import Explanation

_FAILED = (State.ERROR, State.ROBOTS, State.FILTERED)


class CrawlView(Closing):
    """A crawl to look into; a context manager.

    It shows one moment: the last commit before the first report.
    """

    def __init__(self, reader: StoreReader, backend: LinkRankBackend | None = None) -> None:
        self._reader = reader
        self._backend = backend

    @classmethod
    def open(cls, directory: Path) -> CrawlView:
        """Open the crawl in `directory`; raises what `StoreReader.open` does."""
        return cls(StoreReader.open(directory))

    @classmethod
    def beside(cls, directory: Path, backend: LinkRankBackend) -> CrawlView:
        """Open a crawl of this process, stored in `directory`, without a second copy in memory.

        The backend must have committed, and must not change as long as the view is used.
        """
        return cls(StoreReader.open(directory), backend)

    def close(self) -> None:
        """Close the file; closing again does nothing."""
        self._reader.close()

    @cached_property
    def _known(self) -> Known:
        if self._backend is not None:
            return Known.from_backend(self._reader, self._backend)
        return Known.from_store(self._reader)

    def stats(self, most: int = 10) -> CrawlStats:
        """Count; errors and hosts are listed up to the `most` frequent.

        Raises StoreMissingError if no crawl has begun, StoreDamagedError if it cannot be read.
        """
        known, reader = self._known, self._reader
        config = known.config
        judged = known.relevance[(known.states == State.CRAWLED) & ~np.isnan(known.relevance)]
        relevant = int(np.count_nonzero(judged >= config.relevant))
        may_be = int(np.count_nonzero(judged >= DOUBT * config.relevant))
        counts = np.bincount(known.states, minlength=max(State) + 1).tolist()
        return CrawlStats(
            directory=str(reader.path.parent),
            schema_version=reader.schema_version(),
            strategy=config.strategy,
            topic=config.topic,
            examples=config.examples,
            topic_model=config.topic_model if config.focused else "",
            random_seed=config.random_seed,
            epoch=known.driver.epoch,
            started=iso_time(reader.started()),
            last_page=iso_time(reader.last_fetched()),
            known=known.n,
            states={state.name.lower(): counts[state] for state in State},
            pages=counts[State.CRAWLED],
            links=known.driver.graph.n_links,
            hosts=len(known.host_names),
            judged=len(judged),
            relevant=relevant,
            in_doubt=may_be - relevant,
            relevant_from=config.relevant,
            harvest_rate=self._harvest_rate() if len(judged) else None,
            recent_share=known.harvest.recent_share() if known.harvest else None,
            mean_relevance=float(judged.mean()) if len(judged) else None,
            marks=_marked(known),
            refresh=None if self._backend else refresh_stats(reader, known),
            errors=self._reasons(*_FAILED)[:most],
            refused=tuple(Refused(*row[:4]) for row in reader.ask(REFUSALS_BY_REASON)),
            traps=self._reasons(State.TRAP),
            top_hosts=self._top_hosts(most),
        )

    def _reasons(self, *states: State) -> tuple[EndCount, ...]:
        return tuple(
            EndCount(count, reason) for reason, count in self._reader.error_counts(*states).items()
        )

    def _harvest_rate(self) -> HarvestRateReport | None:
        reader = self._reader
        return HarvestRateReport.of(rate_of_crawl(reader, self._known.config, reader.path.parent))

    def _top_hosts(self, most: int) -> tuple[HostCount, ...]:
        known = self._known
        n = len(known.host_names)
        urls = np.bincount(known.hosts, minlength=n)
        pages = np.bincount(known.hosts[known.states == State.CRAWLED], minlength=n)
        names = np.array(known.host_names, dtype=object)
        order = np.lexsort((np.arange(n), -urls, -pages))[:most]
        rows = zip(names[order], pages[order].tolist(), urls[order].tolist(), strict=True)
        return tuple(HostCount(*row) for row in rows)

    def top(
        self, n: int = 20, state: State | None = State.QUEUED, by: str = "priority"
    ) -> list[TopRow]:
        """Return the n URLs with the highest values, in a state or (None) in any.

        Queued URLs by priority stand in the order in which they would leave if their hosts
        allowed it: by class of the request, then priority. Ties go by fingerprint, as in the
        queue; unknown values come last.

        Args:
            n: at least 1.
            state: of the URLs.
            by: one of ORDERINGS. Of a URL that is not queued, priority is that of its last
                lease.

        """
        known = self._known
        ids = np.arange(known.n) if state is None else np.flatnonzero(known.states == state)
        values: NDArray[np.float64] = getattr(known, by)
        classes = known.classes if by == "priority" and state == State.QUEUED else None
        best = best_first(ids, n, values, known.fingerprints, classes)
        return [self._row(rank, at, values) for rank, at in enumerate(best.tolist(), start=1)]

    def _row(self, rank: int, url_id: int, values: NDArray[np.float64]) -> TopRow:
        known = self._known
        row = self._reader.fetch_urls([url_id])[url_id]
        page = self._reader.page_row(url_id)
        return TopRow(
            rank=rank,
            url=row.url,
            state=State(known.states[url_id]).name.lower(),
            value=number_or_none(values[url_id]),
            priority_class=int(known.classes[url_id]),
            **known.values_of(url_id, "priority"),
            depth=row.depth,
            host=known.host_names[row.host],
            title=None if page is None else page.title,
        )

    def url(self, url: str) -> UrlReport:
        """Return everything known of a URL, under any spelling.

        Raises UnknownUrlError if the crawl never met it.
        """
        return url_report(self._reader, self._known, find_url(self._reader, self._known, url))

    def changes(self, since: float | None = None) -> ChangesReport:
        """Return the changes of revisited pages, from `since` on (Unix seconds).

        Raises StoreMissingError if no crawl has begun.
        """
        stored_config(self._reader)
        return changes_report(self._reader, since)

    def explain(self, url: str, shown: int = 5) -> Explanation:
        """Return why a URL, under any spelling, has its place; lists name up to `shown` each.

        Raises UnknownUrlError if the crawl never met it.
        """
        # Imported here: every crawl imports this module for its summary, without explanations.
        from frontier.inspection.explain import explain

        return explain(self._reader, self._known, url, shown)


def _marked(known: Known) -> dict[str, int]:
    """Count pages by the names of their marks."""
    if known.marks is None:
        return {}
    counts = {mark: int(((known.marks & mark) > 0).sum()) for mark in Mark}
    return {name: count for mark, count in counts.items() for name in mark_names(mark) if count}
