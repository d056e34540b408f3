"""From what fetchers say to what the backend is told: one message after the other.

Each lease is answered once. What comes to one that is over, or was applied before the owner of
the order died, changes nothing. Frontera's own workers and its message buses are not run: they drop
messages on exceptions, and split the links of a page by host.
"""

from __future__ import annotations

import logging
import time
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from frontier.backend.components import FirstRequests
from frontier.errors import StoreError, described
from frontier.exchange import wire
from frontier.records import PageRecord
from frontier.states import State

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from frontier.backend.backend import LinkRankBackend
    from frontier.exchange.offering import Offering
    from frontier.exchange.owner_side import Message
    from frontier.exchange.wire import ToldPage
    from frontier.records import Lease, UrlRecord, VisibleText

logger = logging.getLogger(__name__)

_OF_ANSWER = tuple(one.name for one in fields(PageRecord) if not one.metadata.get("leased"))
"""Of a page's record, what an answer says; the rest is known since it was leased."""


class Applying:
    """Tells one backend what the fetchers have said."""

    def __init__(
        self,
        backend: LinkRankBackend,
        offering: Offering,
        read: Callable[[Lease, VisibleText | None], None],
    ) -> None:
        """`read` is told of each page that was fetched, with its text."""
        self._backend = backend
        self._offering = offering
        self._read = read
        self._first = FirstRequests()
        self._starter = "" if backend.resumed else None
        """Whose seeds are a crawl's own, as spiders have it: the first fetcher's, and once."""
        self.examples: Callable[[dict[str, Any]], None] = lambda _: None
        self.late = 0
        """Answers to leases that were over."""
        self._said = {
            wire.PAGE: self._page,
            wire.FAILED: self._failed,
            wire.REDIRECT: self._redirect,
            wire.RETRY: self._retry,
        }
        self._heard = {
            wire.URLS: self._urls,
            wire.REFUSED: self._refuse,
        }

    def apply(self, message: Message) -> None:
        """Do what follows from a message; one that makes no sense is logged and left out."""
        if message.kind in self._said:
            lease = self._offering.pop(message.seq)
            if lease is None:
                self.late += 1
            else:
                self._answer(lease, message)
        elif message.kind == wire.EXAMPLES:
            self.examples(message.head)
        else:
            self._hear(message)

    def _hear(self, message: Message) -> None:
        try:
            self._heard[message.kind](message)
        except StoreError:
            raise
        except Exception as error:  # it would be the first one again after a restart
            said = message.kind, message.fetcher, described(error)
            logger.error("A message (%s) of fetcher %s is left out: %s", *said)

    def lose(self, lost: Sequence[int]) -> int:
        """Queue again what fetchers had taken that are not there any more; returns how many."""
        over = [lease for seq in lost if (lease := self._offering.pop(seq)) is not None]
        for lease in over:
            self._backend.lost(lease)
        return len(over)

    def _answer(self, lease: Lease, message: Message) -> None:
        try:
            self._said[message.kind](lease, message)
        except StoreError:
            raise
        except Exception as error:  # of a strategy of others, or no answer at all
            logger.exception("An answer for %s could not be taken in", lease.url)
            if self._backend.ledger.state_of(lease.url_id) is State.LEASED:
                reason = f"not taken in: {described(error)}"
                lease.page.ended(State.ERROR, time.time(), error=reason)
                self._backend.failed(lease)

    # -- answers -------------------------------------------------------------------------------

    def _page(self, lease: Lease, message: Message) -> None:
        told = self._take_in(lease, message.body)
        self._decide(told.links)
        if lease.page.state is State.ERROR and not told.links:
            self._backend.failed(lease)
            return
        text = lease.page.text
        self._backend.take(lease, told.links, told.canonical)
        self._read(lease, text)

    def _failed(self, lease: Lease, message: Message) -> None:
        self._take_in(lease, message.body)
        self._backend.failed(lease)

    def _redirect(self, lease: Lease, message: Message) -> None:
        links = self._take_in(lease, message.body).links
        self._decide(links)
        self._backend.redirected(lease, links[0])

    def _retry(self, lease: Lease, message: Message) -> None:
        request = wire.unpack_urls(message.body)[0]
        self._offering.rest(lease.slot, float(message.head.get("wait", 0.0)))
        self._backend.retry(lease, request, int(message.head.get("hold", 0)))

    def _take_in(self, lease: Lease, body: bytes) -> ToldPage:
        told = wire.unpack_page(body)
        complete(lease.page, told.page)
        return told

    # -- of their own accord -------------------------------------------------------------------

    def _urls(self, message: Message) -> None:
        records = wire.unpack_urls(message.body)
        if self._starter is None and any(one.seed for one in records):
            self._starter = message.fetcher
        self._decide(records)
        for one in records:
            if one.seed and message.fetcher != self._starter:
                # The crawl has its seeds: Scrapy sets `dont_filter` on every start request.
                one.again = False
        known = self._backend.ledger.find([one.fingerprint for one in records])
        wanted = [
            one for one, url_id in zip(records, known, strict=True)
            if url_id < 0 or one.again or one.seed
        ]  # fmt: skip
        if wanted:
            self._backend.add_seeds(wanted)

    def _refuse(self, message: Message) -> None:
        for reason, domain, links, example in message.head["counts"]:
            self._backend.refusals.count(reason, domain, links, example)

    def _decide(self, records: Iterable[UrlRecord]) -> None:
        """Say of what spiders have asked for whether it is fetched although it is known."""
        for one in records:
            if one.asked:
                known = self._backend.knows(one.fingerprint)
                one.again = self._first.again(one.fingerprint, dont_filter=one.again, known=known)


def complete(record: PageRecord, answer: PageRecord) -> None:
    """Note in the record of a lease what came of it."""
    for name in _OF_ANSWER:
        setattr(record, name, getattr(answer, name))
