"""A crawl's own frontier: wires store, ledger, queue and order driver, and has no policy itself.

An answer goes to the ledger, which stores its row, then to the driver, which learns from it; the
URLs that the driver schedules go to the queue. Each lease writes to disk: one transaction holds
everything learned since the last one together with the leases about to leave. So no URL is fetched
that the store does not know as leased, and a crash costs at most the answers since the last lease,
whose URLs are then fetched again.
"""

from __future__ import annotations

import logging
import math
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from frontera.core.components import Backend
from frontera.utils.misc import load_object

from frontier.backend.bad_pages import BadPages
from frontier.backend.corrections import Corrections
from frontier.backend.frontier_queue import FrontierQueue
from frontier.backend.identity import take_identity, take_url_rules
from frontier.backend.ledger import UrlLedger
from frontier.backend.reasons import Distrusted, Reason
from frontier.backend.repeats import Repeats
from frontier.backend.revisits.refresher import Refresher
from frontier.backend.rules.crash_suspects import CrashSuspects
from frontier.backend.rules.doubles import (
    CanonicalPages,
    DuplicatePages,
    Inheritance,
    RedirectToKnown,
)
from frontier.backend.rules.trapped_urls import TrappedUrls
from frontier.backend.saved_scores import SavedScores
from frontier.errors import StoreError, described
from frontier.estimates import judged
from frontier.states import State
from frontier.store import Store, schema
from frontier.store.sqlite import damaged
from frontier.strategy.order_driver import OrderDriver
from frontier.texts import OFF, TextWriter
from frontier.topic.samples import Samples
from frontier.traps.refusals import Refusals
from frontier.verdict import Rule, Verdict, decided, flag_links
from ranking.errors import RankingInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from concurrent.futures import Executor
    from contextlib import AbstractContextManager
    from pathlib import Path

    from frontier.config import CrawlConfig
    from frontier.records import Canonical, Lease, Page, PageRow, UrlRecord
    from frontier.store import Loaded
    from frontier.urls.rules import UrlRules

logger = logging.getLogger(__name__)

FOR_PROGRAMS = "frontier.plugin.frontera.FronteraBackend"
"""The class that a program of Frontera gets by the name of `LinkRankBackend`."""
_MEGABYTE = 1_000_000


class SnapshotTaker(Protocol):
    """Writes down how a crawl does, see `frontier.backend.progress.snapshots`."""

    def take(self) -> None:
        """Take a snapshot."""

    def take_due(self) -> None:
        """Take a snapshot if one is due."""

    def name_dead_hosts(self, given_up: Callable[[str], str | None]) -> None:
        """Name hosts that were given up; `given_up` returns why, by slot."""

    def reranking(self) -> AbstractContextManager[None]:
        """A context in which queued URLs get their priorities by new scores."""


class LinkRankBackend:
    """One crawl's frontier: what `frontier.protocol.Frontier` asks of an order.

    Raises the StoreErrors of `Store.open`, and CrawlChangedError, when it starts.
    """

    def __init__(
        self,
        config: CrawlConfig,
        executor: Executor | None = None,
        identify: Callable[[str, UrlRules], int] | None = None,
        store: Store | None = None,
    ) -> None:
        self.store = Store.open(config.directory) if store is None else store
        """The file of the crawl; rules about pages, hosts and links keep their state in it."""
        try:
            with self.store.reading():
                self.url_rules = take_url_rules(self.store, config.url_rules)
                self._config = replace(config, url_rules=self.url_rules)
                self._identify = self._config.identify if identify is None else self._by(identify)
                self._start(executor)
        except BaseException:
            # A crawl that may not go on stays as it was.
            self.store.abandon()
            self.store.close()
            raise

    @classmethod
    def from_manager(cls, manager: Any) -> Any:
        """Return the backend of a program of Frontera, which names this class."""
        return load_object(FOR_PROGRAMS).from_manager(manager)

    def _by(self, identify: Callable[[str, UrlRules], int]) -> Callable[[str], int]:
        return lambda url: identify(url, self.url_rules)

    def _start(self, executor: Executor | None) -> None:
        prior = take_identity(self.store, self._config, self._identify)
        self.driver = OrderDriver(self._config, executor, prior)
        loaded = self.store.load()
        self.resumed = len(loaded.states) > 0
        self.ledger = UrlLedger(self.store, loaded)
        numbered = self.store.settings().get(schema.NEXT_LEASE) or 0
        next_lease_number = max(loaded.next_lease_number, numbered)
        self.queue = FrontierQueue(self.ledger, self.driver, self._config, next_lease_number)
        parts = self.store, self.ledger, self.queue, self.driver
        self.suspects = CrashSuspects(*parts, loaded, self._config.max_crashes)
        if self.resumed:
            self._resume(loaded)
        self._repeats = Repeats(self.store, self.ledger, self.queue, self._identify)
        self._scores = SavedScores(self.store, self.ledger, self.driver)
        self.corrections = Corrections(*parts, self._scores)
        self.refusals = Refusals(
            self.store.add_refusal, [(row.reason, row.domain) for row in self.store.refusals()]
        )
        self.samples = Samples(self.store, self.ledger.fingerprint.array.__getitem__)
        self.relevance_so_far = judged(loaded.pages.ids, loaded.pages.relevance, loaded.states)
        """float64: relevance of every page fetched and judged before this run."""
        self.inheritance = Inheritance(self.driver, focused=self._config.focused)
        self.canonical_pages = CanonicalPages(self.ledger, self.driver, loaded)
        self.duplicates = DuplicatePages(self._config.duplicates, self.store, self.ledger, loaded)
        self.traps = TrappedUrls(
            *(self._config, self.store, self.ledger, self.queue, self.driver),
            self.refusals,
        )
        self.rules: tuple[Rule, ...] = (
            # First, as the other rules depend on whether the page is merged with another.
            self.canonical_pages,
            # Before the rules that flag links: traps refuse some of them.
            self.traps,
            # Behind traps, for which a copy is a page like any other.
            self.duplicates,
            RedirectToKnown(),
        )
        bad = BadPages.by_file(self._config.distrust)
        distrusted = [Distrusted(bad, self.store, self.ledger, self.driver)] if bad else []
        self.reasons: tuple[Reason, ...] = (self.suspects, *distrusted, self.traps)
        """The reasons that are asked about a URL when its turn has come, in this order."""
        self.snapshots: SnapshotTaker | None = None
        """None for a crawl without snapshots, such as a replay."""
        self.ending: dict[str, str] | None = None
        """Why the crawl ends, as `reason` and in words, once that is known."""
        self.refresher: Refresher | None = None
        """Plans and records revisits; None in a crawl without them."""
        if self._config.refresh.enabled:
            about = self._config, self.store, self.ledger, self.queue, self.driver
            self.refresher = Refresher(*about)
        self.store.commit()
        self.texts: TextWriter | None = None
        """Where the texts of pages are kept, if they are."""
        if self._config.text != OFF and not self.store.temporary:
            self.texts = TextWriter(self.directory, self._config.text_mb * _MEGABYTE)
            self.store.commit_within(self.texts.committing)

    def _resume(self, loaded: Loaded) -> None:
        store = self.store
        scores, epoch = store.saved_arrays(schema.SCORES)
        # Scores of an earlier strategy are listed no more, and their epochs do not come again.
        epoch = max(epoch, store.last_epoch())
        try:
            self.driver.resume(loaded, scores, epoch, store.updates, store.urls_in, store.zones_in)
        except RankingInputError as error:
            raise damaged(store.path, error) from error
        self.queue.schedule(np.flatnonzero(loaded.states == State.QUEUED))

    # -- as `frontier.protocol.Frontier` has it -------------------------------------------------

    def close(self, reason: str | None = None, text: str = "") -> None:
        """Write everything down; `reason` and `text` say why the crawl ends, if that is known."""
        if reason is not None:
            self.ending = {"reason": reason, "text": text}
        self.suspects.stopped()
        self._scores.save()
        self.traps.save()
        if self.refresher is not None:
            self.refresher.findings.save()
        self.traps.log_dropped()
        self.driver.close()
        if self.snapshots is not None:
            self.snapshots.take()
        with nullcontext() if self.texts is None else self.texts:
            self.store.close()

    def stopped(self) -> None:
        """The process ends as it was asked to, whatever is in flight."""
        self.suspects.stopped()
        self.commit()

    def begin_closing(self) -> None:
        """Begin no re-rank any more: its result would not be used."""
        self.driver.reranker.stop()

    def add_seeds(self, seeds: Sequence[UrlRecord]) -> None:
        """Take requests that no page led to, each URL once."""
        self.ledger.add_seeds(seeds)
        self._repeats.store_requests(seeds)
        self.driver.add_seeds(seeds)
        self.queue.met(seeds)
        self.queue.price_met()

    def take(
        self, lease: Lease, page: Page, links: list[UrlRecord], canonical: Canonical | None = None
    ) -> Verdict:
        """Take in a page that was read, with its links and the address that it names."""
        if canonical is not None and (
            canonical.may_be_new or self.knows(canonical.named.fingerprint)
        ):
            links = self.inheritance.with_canonical(lease, page, canonical.named, links)
        return self._take_in(lease, page, links)

    def _take_in(self, lease: Lease, page: Page, links: list[UrlRecord]) -> Verdict:
        self.ledger.identify(links)
        verdict = Verdict(links, refetched=bool(self.driver.evidence.fetched[lease.url_id]))
        if self.refresher is not None:
            page = replace(page, fetched=self.refresher.findings.clock())
            verdict, stays = self.refresher.findings.compare(lease, page, verdict)
            if stays:
                self._keep(lease, page)
                return verdict
        verdict = self._decide(lease, page, verdict)
        flag_links(verdict)
        row = self.ledger.row(lease, page, verdict)
        self._repeats.store_requests(verdict.links)
        # Learned from before it is written down: what cannot be learned from now could not be
        # when the crawl goes on either.
        row = self._learn(row, lease.url, verdict.links)
        if row.links is None:
            verdict = replace(verdict, state=row.state, error=row.error)
        if self.texts is not None:
            self.texts.put(row, self.ledger.host_of(row.url_id), page.kept)
        self.ledger.answer(row, held=lease.held)
        if self.refresher is not None:
            self.refresher.answered(lease, page, verdict)
        self.queue.met(verdict.links)
        self.queue.answered(lease.url_id, row.state, row.status)
        self._end(lease)
        # What was credited by this page may leave; and it may be the last one before a re-rank.
        self.traps.release()
        self.driver.start_due_rerank()
        return verdict

    def _decide(self, lease: Lease, page: Page, so_far: Verdict) -> Verdict:
        """Return what the rules decide; where a rule fails, the page is an error with its links."""
        try:
            return decided(lease, page, so_far, self.rules)
        except (StoreError, MemoryError):
            raise
        except Exception as error:
            return replace(so_far, state=State.ERROR, error=_left_out(lease.url, error))

    def _learn(self, row: PageRow, url: str, links: list[UrlRecord]) -> PageRow:
        """Learn from a page; where a strategy fails, return it as an error outside the graph."""
        try:
            self.driver.take(row, links)
        except (StoreError, MemoryError):
            raise
        except Exception as error:  # of a strategy of the project
            return replace(
                row,
                state=State.ERROR,
                error=_left_out(url, error),
                relevance=None,
                similarity=None,
                links=None,
            )
        return row

    def _keep(self, lease: Lease, page: Page) -> None:
        """End a revisit of a page that stays as it is."""
        self.ledger.kept(lease)
        self.queue.answered(lease.url_id, page.state, page.status)
        self._end(lease)

    def _end(self, lease: Lease) -> None:
        """Settle what waited for an answer that was learned from and written down."""
        if self.ledger.state_of(lease.url_id) is State.QUEUED:  # another request waited for this
            self.queue.schedule([lease.url_id])
        self.suspects.over(lease)

    def failed(self, lease: Lease, page: Page) -> Verdict:
        """Take in that a lease brought no page, and why."""
        if lease.revisit and self.refresher is not None:
            # Of a page that is gone, the links leave the graph: it is taken in without any.
            return self._take_in(lease, page, [])
        verdict = Verdict([])
        self.ledger.failed(lease, page)
        if self.refresher is not None:
            self.refresher.answered(lease, page, verdict)
        self.traps.failed(lease, page)
        self.driver.failed(lease)
        self.queue.answered(lease.url_id, page.state, page.status)
        self._end(lease)
        return verdict

    def next(
        self,
        most: int,
        room: Callable[[str], int],
        share: float = 1.0,
        slow: Collection[str] = (),
    ) -> list[Lease]:
        """Lease the best URLs that may leave now, after `commit_leases`; see `Frontier.next`."""
        self.queue.end_due_turn()
        if self.driver.install_rerank():
            with nullcontext() if self.snapshots is None else self.snapshots.reranking():
                self.queue.renew(self.driver.repricing_reranked(self.queue.count()))
            self._scores.save_due()
        if self.refresher is not None:
            self.refresher.plan()
        leaving = self._next(most, room, share, slow)
        if self.refresher is not None:
            self.refresher.leaving(leaving)
        self.traps.save_due()
        return leaving

    def _next(
        self, most: int, room: Callable[[str], int], share: float, slow: Collection[str]
    ) -> list[Lease]:
        if self.suspects.is_out():
            return []
        leaving = self.queue.next(most, room, share, slow, self.reasons)
        for brings_more in (
            self.queue.end_open_turn,
            self.traps.nothing_left,
            self.suspects.nothing_left,
        ):
            if not leaving and brings_more():
                leaving = self.queue.next(most, room, share, slow, self.reasons)
        return leaving

    def finished(self) -> bool:
        """Whether nothing waits and nothing is in flight."""
        return not self.pending() and self.ledger.counts[State.LEASED] == 0

    def pending(self) -> bool:
        """Whether any URL waits for its turn."""
        queued = self.queue.count() > 0 or self.queue.turn_is_open
        revisits = self.refresher is not None and self.refresher.keeps_open
        return queued or revisits or self.suspects.waiting or self.traps.keeps_open

    def seconds_to_revisit(self) -> float | None:
        """Seconds until a known page may be revisited, None if there is no such page."""
        return None if self.refresher is None else self.refresher.seconds()

    def finish(self, lease: Lease) -> None:
        """All that was made of an answer that was held is done."""
        self.ledger.finish(lease)
        self.suspects.over(lease)

    def knows(self, fingerprint: int) -> bool:
        """Whether a URL was ever met."""
        return self.ledger.find([fingerprint])[0] >= 0

    def retry(self, lease: Lease, request: UrlRecord, hold: int) -> None:
        """Queue a lease again that had no answer; it yields to `hold` others first."""
        url_id = lease.url_id
        self.ledger.retry(lease, request)
        self.queue.hold_back(url_id, hold)

    def owns(self, slot: str) -> bool:
        """Whether a host may be asked, as far as other processes are concerned: there are none."""
        return True

    def asked_by_others(self, slot: str) -> float:
        """Time until which another process may have asked a host: there are none."""
        return -math.inf

    def lost(self, lease: Lease) -> None:
        """Queue a lease again whose fetcher has died."""
        self.suspects.lost(lease)
        if self.ledger.state_of(lease.url_id) is State.LEASED:
            self.retry(lease, lease, hold=0)

    def rerank_overdue(self) -> bool:
        """Whether a re-rank should be installed now and is still being computed."""
        return self.driver.rerank_overdue()

    def redirected(self, lease: Lease, page: Page, target: UrlRecord) -> None:
        """Take in that a lease ended as a redirect: a page with one link, its target."""
        self._take_in(lease, self.inheritance.redirect(lease, page, target), [target])

    def requeue_failed(self, reason: str) -> None:
        """Queue, as plain links, URLs that ended with an error that begins with `reason`.

        Others than plain links stay as they are: how they were asked for is not known any more.
        """
        if self.resumed:
            self._repeats.requeue_failed(reason)

    def setting(self, name: str) -> Any:
        """What the crawl remembers under a name, None if nothing."""
        return self.store.settings().get(name)

    def remember(self, name: str, value: object) -> None:
        """Store something JSON can express with the crawl, at once."""
        self.store.set_setting(name, value)
        self.store.commit()

    @property
    def directory(self) -> Path:
        """Where the crawl is stored; a temporary place that is gone after `close`, if the
        configuration names none.
        """
        return self.store.path.parent

    def commit(self) -> None:
        """Write down all that is known, for whoever looks into the crawl now."""
        if self.snapshots is not None:
            self.snapshots.take_due()
        self.store.commit()

    def commit_leases(self) -> None:
        """Write down what must be known of requests before they leave."""
        if self.snapshots is not None:
            self.snapshots.take_due()
        self.store.commit_leases()

    def url(self, url_id: int) -> str:
        """URL of an id."""
        return self.store.fetch_urls([url_id])[url_id].url


Backend.register(LinkRankBackend)  # for Frontera's manager: `from_manager` returns one


def _left_out(url: str, error: Exception) -> str:
    """Log that a step failed on a page, and return the reason that is stored with it."""
    logger.error("Processing %s failed; its links are still followed", url, exc_info=error)
    return f"not taken in: {described(error)}"
