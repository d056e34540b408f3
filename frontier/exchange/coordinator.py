"""The owner of a shared crawl's order: it works the backend by turns.

A turn applies the messages of fetchers, offers them the URLs that are best now, commits the crawl's
own file, and then the exchange: SQLite first. A process that dies between the two commits leaves
answers in the inbox that are applied already, whose leases are over, and leases that were never
offered. The next process finds both by comparing. URLs that fetchers hold stay theirs meanwhile.

Invariant: after each turn, every lease of the store is in the feed or answered in the inbox.
"""

from __future__ import annotations

import logging
import time
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from frontier.exchange import wire
from frontier.exchange.apply_answers import MessageApplier
from frontier.exchange.feed_policy import FeedPolicy, partition_of
from frontier.exchange.fetcher_config import FetcherCheck
from frontier.exchange.host_notes import HostNotesSync
from frontier.exchange.owner_side import Offer
from frontier.exchange.topic_sync import TopicSync
from frontier.queue.eligibility import WaitForBest
from frontier.states import State
from frontier.store import schema

if TYPE_CHECKING:
    from frontier.backend.backend import LinkRankBackend
    from frontier.backend.progress.figures import CrawlFigures
    from frontier.config import CrawlConfig
    from frontier.exchange.owner_side import FetcherDemand, FetcherRow, InboxMessage, OwnerExchange
    from frontier.records import Lease, Page
    from frontier.verdict import Verdict

logger = logging.getLogger(__name__)

MESSAGES = 256
"""Most messages of one turn."""
EVERY = 1.0
"""Seconds between two checks for new, gone and idle fetchers and for lost URLs."""
MAX_RERANK_WAIT = 5.0
"""Seconds that offers wait for an overdue re-rank, so that the order of a crawl repeats."""
_REFERRERS = 4096
"""Cached URLs of referrers: the links of a page are offered one after the other."""
_POLL = 0.005
"""Seconds between two checks for a re-rank's end."""
WAITING, OPEN, FINISHED, STOPPED, AWAY = "waiting", "open", "finished", "stopped", "away"
"""Phases of a crawl: no fetcher has come yet; URLs are left; no URL is left; its target (pages or
FRONTIER_ENOUGH) is reached; its coordinator has ended."""


class Coordinator:
    """Works one crawl whose backend is open."""

    def __init__(
        self,
        config: CrawlConfig,
        backend: LinkRankBackend,
        figures: CrawlFigures,
        exchange: OwnerExchange,
        most_pages: int = 0,
    ) -> None:
        """`most_pages` fetched in this run end the crawl; 0: any number."""
        self.config = config
        self.backend = backend
        self.figures = figures
        self._exchange = exchange
        self._most_pages = most_pages
        self._url = lru_cache(_REFERRERS)(backend.url)
        self._host_notes = HostNotesSync(backend.store)
        self._topic = TopicSync(config, backend)
        self.feed = FeedPolicy(config.max_in_flight)
        self.applier = MessageApplier(backend, self.feed, self._on_page, self._topic.fit)
        self._check = FetcherCheck(config)
        self._best = WaitForBest(config.wait_for_best)
        self.phase = OPEN
        self.live: list[FetcherRow] = []
        self._published: dict[str, Any] = {}
        self._overdue_since: float | None = None
        self._checked_at = float("-inf")
        # Stored until their messages are known to be out of the inbox.
        self._applied: list[str] = list(backend.setting(schema.APPLIED) or ())
        self._applied_before: set[str] = set(self._applied)
        for lease in backend.ledger.leased():
            self.feed.add(lease)

    # -- start and end -------------------------------------------------------------------------

    def start(self) -> None:
        """Go on with the URLs that were leased when the crawl was last served."""
        again = self.reconcile()
        if self.feed.outstanding:
            logger.info(
                "%d URLs were leased when this crawl was last served; %d of them are offered again",
                len(self.feed.outstanding),
                again,
            )

    def reconnected(self, *, was_emptied: bool) -> None:
        """Go on after the exchange was lost; `was_emptied`: its notes are gone, too."""
        if was_emptied:
            self._host_notes.reset()
        self.reconcile()

    def reconcile(self) -> int:
        """Offer again the leases that the exchange does not know; returns how many.

        To be called after any turn that may not have come to its end.
        """
        exchange, outstanding = self._exchange, self.feed.outstanding
        self._applied_before.update(self._applied)
        with exchange.turn():
            in_feed = exchange.feed()
            lacking = sorted(outstanding.keys() - in_feed - exchange.answered())
            offers = [self._offer(outstanding[seq]) for seq in lacking]
            self.backend.commit()
            exchange.update_feed((), offers, sorted(in_feed - outstanding.keys()))
            self._host_notes.store_new(exchange)
            self._host_notes.publish(exchange)
            exchange.put_notes(self._topic.notes())
            self._published = {}
            self._publish()
        return len(lacking)

    def leave(self) -> None:
        """Publish that the crawl has no coordinator from now on."""
        with self._exchange.turn():
            self.phase = AWAY
            self._publish()

    @property
    def is_over(self) -> bool:
        """Whether the crawl has come to its end and all fetchers have gone."""
        return self.phase in (FINISHED, STOPPED) and not self.live

    # -- turns ---------------------------------------------------------------------------------

    def turn(self) -> float:
        """Apply messages and make offers; returns the seconds until the next turn at the latest."""
        exchange = self._exchange
        checks = time.monotonic() - self._checked_at >= EVERY
        with exchange.turn(MESSAGES) as (messages, demand):
            for message in messages:
                self._apply(message)
            if checks:
                self._check_fetchers()
            offers = self._offers(demand)
            self._update_phase(busy=bool(messages or offers))
            self.backend.commit()
            exchange.update_feed([message.number for message in messages], offers, ())
            if messages or checks:
                exchange.put_notes(self._topic.unpublished())
            self._publish(counts=checks)
        self._applied = []
        if checks:
            exchange.vacuum()
        if len(messages) == MESSAGES:
            return 0.0
        return _POLL if self._overdue_since is not None else self._pause()

    def _pause(self) -> float:
        waits = [EVERY, self.feed.next_rest_ends, self._best.seconds() or None]
        return max(_POLL, min(wait for wait in waits if wait is not None))

    def _apply(self, message: InboxMessage) -> None:
        if message.seq is None and message.token in self._applied_before:
            return  # by a process that died before it emptied the inbox
        self.applier.apply(message)
        if message.seq is None:
            # Afterwards: a message that is half applied may be committed on the way.
            self._applied.append(message.token)
            self.backend.store.set_setting(schema.APPLIED, self._applied)

    def _on_page(self, lease: Lease, page: Page, verdict: Verdict) -> None:
        self.figures.page(lease.url_id, page, verdict)
        self._topic.on_page(lease, page, verdict)

    # -- fetchers ------------------------------------------------------------------------------

    def _check_fetchers(self) -> None:
        self._checked_at = time.monotonic()
        exchange = self._exchange
        rows = exchange.fetchers()
        for row in rows:
            if row.verdict is None and row.is_live:
                verdict = self._check.verdict(row.info)
                exchange.set_verdict(row.id, verdict)
                logger.info("Fetcher %s: %s", row.name, verdict or "admitted")
        self.live = [row for row in rows if row.is_live and not row.verdict]
        if self.live:  # a host gets what all fetchers allow it
            concurrency = min(int(row.info["per_host"]) for row in self.live)
            pauses = any(row.info["pauses"] for row in self.live)
            self.feed.set_host_limit(concurrency, pauses=pauses)
        lost = exchange.take_lost()
        if self.applier.requeue(lost):
            logger.warning("%d URLs were with fetchers that are gone: queued again", len(lost))
        self._topic.choose_reader(self.live)
        self._host_notes.store_new(exchange)
        exchange.delete_gone_fetchers()

    # -- offers --------------------------------------------------------------------------------

    def _offers(self, demand: list[FetcherDemand]) -> list[Offer]:
        if self.phase in (STOPPED, AWAY) or self._waits_for_rerank():
            return []
        budget = self.feed.budget(self.backend.driver.graph.n_pages, demand)
        if self._most_pages:
            lacking = self._most_pages - self.figures.pages_of_run
            budget = min(budget, lacking - len(self.feed.outstanding))
        leased: list[Lease] = []
        while len(leased) < budget and (more := self._lease(budget - len(leased))):
            leased += more
            for lease in more:
                self.feed.add(lease)
        if leased:
            self.backend.store.set_setting(schema.NEXT_LEASE, self.backend.queue.next_lease_number)
        return [self._offer(lease) for lease in leased]

    def _lease(self, most: int) -> list[Lease]:
        """Lease the best URLs; less good ones, where no better host answers, one at a time."""
        best = self._best

        def lease(share: float) -> list[Lease] | None:
            slow = self.feed.slow(self.config.wait_for_best) if share < 1 else ()
            number = most if share == best.share else 1
            return self.backend.next(number, self.feed.room, share, slow) or None

        return best.take(lease) or []

    def _waits_for_rerank(self) -> bool:
        if not self.backend.rerank_overdue():
            self._overdue_since = None
            return False
        now = time.monotonic()
        if self._overdue_since is None:
            self._overdue_since = now
        if now - self._overdue_since < MAX_RERANK_WAIT:
            return True
        self._overdue_since = None
        return False

    def _offer(self, lease: Lease) -> Offer:
        referrer = None if lease.referrer is None else self._url(lease.referrer)
        return Offer(
            seq=lease.number,
            part=partition_of(lease.slot),
            host=lease.slot,
            priority_class=lease.priority_class,
            priority=lease.priority,
            topic=self._topic.version,
            url=wire.pack_lease(lease, referrer),
        )

    # -- what fetchers read of the crawl -------------------------------------------------------

    def _update_phase(self, *, busy: bool) -> None:
        full = self._most_pages and self.figures.pages_of_run >= self._most_pages
        if full or self.figures.enough is not None:
            self.phase = STOPPED
        elif self.phase in (OPEN, FINISHED):
            idle = bool(self.live) and all(row.idle for row in self.live)
            over = not busy and idle and self.backend.finished()
            gone = not busy and not self.live and self.phase == FINISHED
            self.phase = FINISHED if over or gone else OPEN

    def _publish(self, *, counts: bool = True) -> None:
        """Publish what has changed; of `counts`, which always change, once a second is enough."""
        backend = self.backend
        state: dict[str, Any] = {
            "phase": self.phase,
            "url_rules": backend.url_rules.as_json,
            "example_reader": self._topic.example_reader,
            "topic": self._topic.version if self._topic.is_ready else None,
        }
        if counts or any(self._published.get(name) != value for name, value in state.items()):
            state["samples"] = list(backend.samples.bounds())
            state["known"] = len(backend.ledger)
            state["queued"] = backend.ledger.counts[State.QUEUED]
            state["epoch"] = backend.driver.epoch
            if state != self._published:
                self._published = state
                self._exchange.publish(state)
