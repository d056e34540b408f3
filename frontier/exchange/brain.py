"""The owner of the order among several fetchers: the backend of a crawl, worked by turns.

A turn takes in what fetchers have said, offers them what is best now, writes the crawl's own file,
and then the exchange: SQLite first. So a process that dies between the two has answers in the inbox
that it has applied, whose leases are over, and leases that nobody was offered; the next one
finds both by comparing. What fetchers hold stays theirs over its death.

Invariant: what is leased in the store is in the feed or answered in the inbox, after each turn.
"""

from __future__ import annotations

import logging
import time
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from frontier.exchange import wire
from frontier.exchange.applying import Applying
from frontier.exchange.fetchers import Admission
from frontier.exchange.notes import Notebook, Teaching
from frontier.exchange.offering import Offering, partition_of
from frontier.exchange.owner_side import Offer
from frontier.queue.eligibility import Patience
from frontier.states import State
from frontier.store import schema

if TYPE_CHECKING:
    from frontier.backend.backend import LinkRankBackend
    from frontier.backend.figures import CrawlFigures
    from frontier.config import CrawlConfig
    from frontier.exchange.owner_side import FetcherRow, Message, OwnerExchange, Wish
    from frontier.records import Lease, VisibleText

logger = logging.getLogger(__name__)

MESSAGES = 256
"""That one turn works off at most."""
EVERY = 1.0
"""Seconds between two checks of who is there and what was lost."""
RERANK_PATIENCE = 5.0
"""Seconds that an offer waits for a re-rank that is overdue, so that the order repeats."""
_REFERRERS = 4096
"""URLs of referrers that are kept: the links of a page are offered one after the other."""
_LOOK_AGAIN = 0.005
"""Seconds after which to see whether it has finished."""
WAITING, OPEN, FINISHED, STOPPED, AWAY = "waiting", "open", "finished", "stopped", "away"
"""What fetchers are told of a crawl: nobody has come yet, it goes on, nothing is left, it has what
it was to fetch, its owner has gone."""


class Brain:
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
        self._notebook = Notebook(backend.store)
        self._teaching = Teaching(config, backend)
        self.offering = Offering(config.max_in_flight)
        self.applying = Applying(backend, self.offering, self._read)
        self.applying.examples = self._teaching.learn
        self.admission = Admission(config)
        self._patience = Patience(config.wait_for_best)
        self.state = OPEN
        self.live: list[FetcherRow] = []
        self._told: dict[str, Any] = {}
        self._overdue_since: float | None = None
        self._looked = float("-inf")
        # They stay written down until their messages are known to be out of the inbox.
        self._applied: list[str] = list(backend.setting(schema.APPLIED) or ())
        self._before: set[str] = set(self._applied)
        for lease in backend.ledger.leased():
            self.offering.add(lease)

    # -- start and end -------------------------------------------------------------------------

    def begin(self) -> None:
        """Take up what was leased when the crawl was last served."""
        again = self.compare()
        if self.offering.outstanding:
            logger.info(
                "%d URLs were leased when this crawl was last served; %d of them are offered again",
                *(len(self.offering.outstanding), again),
            )

    def come_back(self, *, is_known: bool) -> None:
        """Go on after the exchange was lost; `is_known`: what was noted there still is."""
        if not is_known:
            self._notebook.begin_anew()
        self.compare()

    def compare(self) -> int:
        """Offer again what is leased and the exchange does not know of; returns how many.

        After any turn that may not have come to its end.
        """
        exchange, outstanding = self._exchange, self.offering.outstanding
        self._before.update(self._applied)
        with exchange.turn():
            fed, answered = exchange.fed(), exchange.answered()
            lacking = sorted(outstanding.keys() - fed.keys() - answered)
            offers = [self._offer(outstanding[seq]) for seq in lacking]
            self.backend.commit()
            exchange.settle((), offers, sorted(fed.keys() - outstanding.keys()))
            self._notebook.copy(exchange)
            self._notebook.fill(exchange)
            exchange.keep(self._teaching.all())
            self._told = {}
            self._tell()
        return len(lacking)

    def leave(self) -> None:
        """Say that nobody owns the order from now on."""
        with self._exchange.turn():
            self.state = AWAY
            self._tell()

    @property
    def is_over(self) -> bool:
        """Whether the crawl has come to its end and nobody fetches any more."""
        return self.state in (FINISHED, STOPPED) and not self.live

    # -- turns ---------------------------------------------------------------------------------

    def turn(self) -> float:
        """Work off what there is; returns the seconds after which to come again at the latest."""
        exchange = self._exchange
        revisits = time.monotonic() - self._looked >= EVERY
        with exchange.turn(MESSAGES) as (messages, wishes):
            for message in messages:
                self._apply(message)
            if revisits:
                self._look()
            offers = self._offers(wishes)
            self._settle_state(busy=bool(messages or offers))
            self.backend.commit()
            exchange.settle([one.number for one in messages], offers, ())
            if messages or revisits:
                exchange.keep(self._teaching.news())
            self._tell(counts=revisits)
        self._applied = []
        if revisits:
            exchange.tidy()
        if len(messages) == MESSAGES:
            return 0.0
        return _LOOK_AGAIN if self._overdue_since is not None else self._pause()

    def _pause(self) -> float:
        waits = [EVERY, self.offering.next_rest_ends, self._patience.seconds() or None]
        return max(_LOOK_AGAIN, min(wait for wait in waits if wait is not None))

    def _apply(self, message: Message) -> None:
        if message.seq is None and message.token in self._before:
            return  # by the process that died before it could say so
        self.applying.apply(message)
        if message.seq is None:
            # Afterwards: what is in the middle of being applied may be committed on the way.
            self._applied.append(message.token)
            self.backend.store.set_setting(schema.APPLIED, self._applied)

    def _read(self, lease: Lease, text: VisibleText | None) -> None:
        self.figures.page(lease.page)
        self._teaching.read(lease, text)

    # -- who is there --------------------------------------------------------------------------

    def _look(self) -> None:
        self._looked = time.monotonic()
        exchange = self._exchange
        rows = exchange.fetchers()
        for row in rows:
            if row.verdict is None and row.is_live:
                verdict = self.admission.verdict(row.about)
                exchange.judge(row.id, verdict)
                logger.info("Fetcher %s: %s", row.name, verdict or "admitted")
        self.live = [row for row in rows if row.is_live and not row.verdict]
        self._heed(self.live)
        lost = exchange.lost()
        if self.applying.lose(lost):
            logger.warning("%d URLs were with fetchers that are gone: queued again", len(lost))
        self._teaching.choose(self.live)
        self._notebook.copy(exchange)
        exchange.forget_the_dead()

    def _heed(self, live: list[FetcherRow]) -> None:
        """Let a host have what all fetchers allow it."""
        if live:
            concurrency = min(int(row.about["per_host"]) for row in live)
            pauses = any(row.about["pauses"] for row in live)
            self.offering.a_host_takes(concurrency, pauses=pauses)

    # -- offers --------------------------------------------------------------------------------

    def _offers(self, wishes: list[Wish]) -> list[Offer]:
        if self.state in (STOPPED, AWAY) or self._waits_for_rerank():
            return []
        fetched = self.backend.driver.graph.n_pages
        budget = self.offering.budget(fetched, wishes)
        if self._most_pages:
            lacking = self._most_pages - self.figures.pages_of_run
            budget = min(budget, lacking - len(self.offering.outstanding))
        if budget <= 0:
            return []
        leased: list[Lease] = []
        while len(leased) < budget and (more := self._lease(budget - len(leased))):
            leased += more
            for one in more:
                self.offering.add(one)
        if leased:
            self.backend.store.set_setting(schema.NEXT_LEASE, self.backend.queue.next_lease_number)
        return [self._offer(one) for one in leased]

    def _lease(self, most: int) -> list[Lease]:
        """Lease the best URLs; one at a time where they are none of those worth waiting for."""
        patience = self._patience
        lease = self._lease_among
        return (
            patience.take(lambda share: lease(most if share == patience.share else 1, share)) or []
        )

    def _lease_among(self, most: int, share: float) -> list[Lease] | None:
        """Lease the best URLs that are among that share of the queue, as an embedded crawl does."""
        offering = self.offering
        slow = offering.slow(self.config.wait_for_best) if share < 1 else ()
        return self.backend.next(most, offering.room, share, slow) or None

    def _waits_for_rerank(self) -> bool:
        if not self.backend.rerank_overdue():
            self._overdue_since = None
            return False
        now = time.monotonic()
        if self._overdue_since is None:
            self._overdue_since = now
        if now - self._overdue_since < RERANK_PATIENCE:
            return True
        self._overdue_since = None
        return False

    def _offer(self, lease: Lease) -> Offer:
        page = lease.page
        referrer = None if lease.referrer is None else self._url(lease.referrer)
        seq, slot = page.lease_number or 0, lease.slot
        return Offer(
            *(seq, partition_of(slot), slot, lease.priority_class, page.priority or 0.0),
            self._teaching.version,
            wire.pack_lease(lease, referrer),
        )

    # -- what is told --------------------------------------------------------------------------

    def _settle_state(self, *, busy: bool) -> None:
        full = self._most_pages and self.figures.pages_of_run >= self._most_pages
        if full or self.figures.enough is not None:
            self.state = STOPPED
        elif self.state in (OPEN, FINISHED):
            idle = bool(self.live) and all(row.idle for row in self.live)
            over = not busy and idle and self.backend.finished()
            gone = not busy and not self.live and self.state == FINISHED
            self.state = FINISHED if over or gone else OPEN

    def _tell(self, *, counts: bool = True) -> None:
        """Tell what has changed; `counts` change all the time, and nobody waits for them."""
        backend = self.backend
        told = {
            "state": self.state,
            "resumed": backend.resumed,
            "url_rules": backend.url_rules.as_json,
            "teacher": self._teaching.teacher,
            "topic": self._teaching.version if self._teaching.is_ready else None,
            "quiet": backend.finished(),
        }
        if counts or any(self._told.get(name) != value for name, value in told.items()):
            told["samples"] = list(backend.samples.bounds())
            told["known"] = len(backend.ledger)
            told["queued"] = backend.ledger.counts[State.QUEUED]
            told["epoch"] = backend.driver.epoch
            if told != self._told:
                self._told = told
                self._exchange.tell(told)
