"""The state of a crawl in memory, for its inspection.

It is rebuilt from the store as on resume: the same order with the same values. The state of a crawl
in this process is borrowed, so that the inspection at its end needs no second copy.
"""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from frontier.config import CrawlConfig
from frontier.errors import StoreMissingError
from frontier.estimates import Harvest, judged
from frontier.inspection.reports import number_or_none
from frontier.states import State
from frontier.store import StoreReader
from frontier.store.reader import LastAnswers
from frontier.store.schema import IDENTITY, SCORES
from frontier.strategy.order_driver import OrderDriver
from frontier.strategy.prior_scores import stored_prior

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frontier.backend.backend import LinkRankBackend
    from frontier.store import Loaded
    from frontier.store.loading import LoadedPages
    from frontier.store.queries import Queries


@dataclass(frozen=True, eq=False)
class Known:
    """A crawl's n URLs as arrays by id, and the driver of their order.

    `classes` holds Scrapy's priorities, which stand above those of the strategy; `leased_for`
    the priorities of the last lease, NaN for a URL that was never leased; `relevance` is NaN
    where no fetched page was judged. `answers` counts all answers.
    """

    config: CrawlConfig
    driver: OrderDriver
    fingerprints: NDArray[np.int64]
    hosts: NDArray[np.int32]
    states: NDArray[np.uint8]
    classes: NDArray[np.int64]
    host_names: list[str]
    answers: int
    leased_for: NDArray[np.float64]
    relevance: NDArray[np.float64]
    marks: NDArray[np.uint16] | None = None
    """Bits of `Mark`; None where they were not read, as `twins` and `pages`."""
    twins: NDArray[np.int32] | None = None
    """Ids of the pages that pages repeat or name as canonical; -1 without."""
    pages: LoadedPages | None = None
    """The pages of the link graph."""

    @classmethod
    def from_store(cls, reader: StoreReader) -> Known:
        """Rebuild it from the last commit; StoreMissingError where there is none."""
        config = stored_config(reader)
        # Scores before URLs: beside a running crawl they must not be the newer ones.
        saved, epoch = reader.saved_arrays(SCORES)
        prior = stored_prior(reader)
        loaded = reader.load_to_inspect()
        driver = OrderDriver(config, NoExecutor(), prior)
        driver.resume(loaded, saved, epoch, reader.updates, reader.urls_in, reader.zones_in)
        answers = reader.last_answers(len(loaded.states))
        _add_leases(answers, reader)
        return cls(
            config=config,
            driver=driver,
            fingerprints=loaded.fingerprints,
            hosts=loaded.hosts,
            states=loaded.states,
            classes=_classes(loaded),
            host_names=loaded.host_names,
            answers=loaded.next_seq,
            leased_for=answers.priority,
            relevance=answers.relevance,
            marks=loaded.marks,
            twins=loaded.twins,
            pages=loaded.pages,
        )

    @classmethod
    def from_backend(cls, reader: StoreReader, backend: LinkRankBackend) -> Known:
        """Borrow it from a crawl in this process that has just committed."""
        ledger = backend.ledger
        answers = reader.last_answers(len(ledger))
        _add_leases(answers, reader)
        return cls(
            config=stored_config(reader),
            driver=backend.driver,
            fingerprints=ledger.fingerprint.array,
            hosts=ledger.host.array,
            states=ledger.state.array,
            classes=ledger.requests.priority_class.array.astype(np.int64),
            host_names=ledger.host_names,
            answers=reader.count_answers(),
            leased_for=answers.priority,
            relevance=answers.relevance,
        )

    @property
    def n(self) -> int:
        """Number of URLs."""
        return len(self.states)

    @cached_property
    def harvest(self) -> Harvest | None:
        """Which pages were relevant, in crawl order; None where the pages were not read."""
        if self.pages is None:
            return None
        relevance = judged(self.pages.ids, self.pages.relevance, self.states)
        return Harvest(relevance, self.config.relevant)

    @cached_property
    def priority(self) -> NDArray[np.float64]:
        """Priority of now for queued URLs, of the lease for others, NaN where unknown."""
        values: NDArray[np.float64] = self.leased_for.copy()
        queued = np.flatnonzero(self.states == State.QUEUED)
        values[queued] = self.driver.priorities(queued)
        return values

    @cached_property
    def score(self) -> NDArray[np.float64]:
        """Link scores; all NaN in an order without."""
        score = self.driver.order.scores.get("score")
        return np.full(self.n, np.nan) if score is None else score

    @cached_property
    def predicted(self) -> NDArray[np.float64]:
        """Best predicted relevance of the links to a URL; NaN without any, or without a topic."""
        values: NDArray[np.float64] = np.full(self.n, np.nan)
        if self.config.focused:
            # A mask, not np.unique: that sorts a copy of all links and imports numpy.ma.
            linked = np.zeros(self.n, dtype=np.bool_)
            linked[self.driver.graph.snapshot().targets] = True
            values[linked] = self.driver.evidence.predicted[linked]
        return values

    def values_of(self, url_id: int, *more: str) -> dict[str, float | None]:
        """Relevance, predicted relevance and score of a URL, and others by name."""
        names = "relevance", "predicted", "score", *more
        return {name: number_or_none(getattr(self, name)[url_id]) for name in names}


def best_first(
    ids: NDArray[np.int64],
    n: int,
    values: NDArray[np.float64],
    ties: NDArray[np.int64],
    classes: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """Return up to n of `ids`: highest class, then highest value, NaN last, then lowest tie.

    `values`, `ties` and `classes` are indexed by id.
    """
    keys = [ties[ids], -values[ids]]
    if classes is not None:
        keys.append(-classes[ids])
    return ids[np.lexsort(keys)[:n]]


def stored_config(reader: Queries) -> CrawlConfig:
    """Return the stored configuration of the crawl.

    Raises StoreMissingError where no crawl has begun.
    """
    settings = reader.settings()
    if IDENTITY not in settings:
        raise StoreMissingError(
            f"No crawl in {reader.path.parent}: {reader.path.name} is there, but no crawl has "
            f"begun in it. Start one with -s JOBDIR={reader.path.parent}."
        )
    return CrawlConfig.stored(settings, directory=reader.path.parent)


class NoExecutor(Executor):
    """An executor that runs no re-rank."""


def _add_leases(answers: LastAnswers, reader: StoreReader) -> None:
    leases = [lease for lease in reader.leases() if lease.url_id < len(answers.priority)]
    answers.priority[[lease.url_id for lease in leases]] = [lease.priority for lease in leases]


def _classes(loaded: Loaded) -> NDArray[np.int64]:
    classes = np.zeros(len(loaded.states), dtype=np.int64)
    first = loaded.pending.next_of_each
    classes[first.ids] = first.classes
    return classes
