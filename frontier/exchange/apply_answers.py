"""From the messages of fetchers to calls of the backend: one message after the other.

Each lease is answered once. An answer to a lease that is over, or that was applied before the
coordinator died, changes nothing. Frontera's own workers and its message buses are not used: they
drop messages on exceptions, and split the links of a page by host.
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
    from frontier.exchange.feed_policy import FeedPolicy
    from frontier.exchange.owner_side import InboxMessage
    from frontier.exchange.wire import AnsweredPage
    from frontier.records import Lease, UrlRecord, VisibleText

logger = logging.getLogger(__name__)

_OF_ANSWER = tuple(field.name for field in fields(PageRecord) if not field.metadata.get("leased"))
"""Fields of a page's record that come with its answer; the others are known since its lease."""


class MessageApplier:
    """Applies the messages of fetchers to one backend."""

    def __init__(
        self,
        backend: LinkRankBackend,
        feed: FeedPolicy,
        on_page: Callable[[Lease, VisibleText | None], None],
        on_examples: Callable[[dict[str, Any]], None],
    ) -> None:
        """`on_page` gets each fetched page with its text, `on_examples` the texts of examples."""
        self._backend = backend
        self._feed = feed
        self._on_page = on_page
        self._on_examples = on_examples
        self._first = FirstRequests()
        self._seeder = "" if backend.resumed else None
        """The first fetcher with seeds: its seeds alone are the crawl's, and once."""
        self._answers = {
            wire.PAGE: self._page,
            wire.FAILED: self._failed,
            wire.REDIRECT: self._redirect,
            wire.RETRY: self._retry,
        }
        self._others = {wire.URLS: self._urls, wire.REFUSED: self._refused}

    def apply(self, message: InboxMessage) -> None:
        """Apply a message; a message that makes no sense is logged and left out."""
        if message.kind in self._answers:
            lease = self._feed.pop(message.seq)
            if lease is not None:
                self._answer(lease, message)
        elif message.kind == wire.EXAMPLES:
            self._on_examples(message.head)
        else:
            self._apply_other(message)

    def _apply_other(self, message: InboxMessage) -> None:
        try:
            self._others[message.kind](message)
        except StoreError:
            raise
        except Exception as error:  # it would be the first message again after a restart
            logger.error(
                "A message (%s) of fetcher %s is left out: %s",
                message.kind,
                message.fetcher,
                described(error),
            )

    def requeue(self, lost: Sequence[int]) -> int:
        """Queue again the URLs of lost leases; returns how many were not over."""
        leases = [lease for seq in lost if (lease := self._feed.pop(seq)) is not None]
        for lease in leases:
            self._backend.lost(lease)
        return len(leases)

    def _answer(self, lease: Lease, message: InboxMessage) -> None:
        try:
            self._answers[message.kind](lease, message)
        except StoreError:
            raise
        except Exception as error:  # of a strategy of the project, or the answer is malformed
            logger.exception("An answer for %s could not be applied", lease.url)
            if self._backend.ledger.state_of(lease.url_id) is State.LEASED:
                reason = f"not taken in: {described(error)}"
                lease.page.ended(State.ERROR, time.time(), error=reason)
                self._backend.failed(lease)

    # -- answers -------------------------------------------------------------------------------

    def _page(self, lease: Lease, message: InboxMessage) -> None:
        answer = self._take_in(lease, message.body)
        self._decide(answer.links)
        if lease.page.state is State.ERROR and not answer.links:
            self._backend.failed(lease)
            return
        text = lease.page.text
        self._backend.take(lease, answer.links, answer.canonical)
        self._on_page(lease, text)

    def _failed(self, lease: Lease, message: InboxMessage) -> None:
        self._take_in(lease, message.body)
        self._backend.failed(lease)

    def _redirect(self, lease: Lease, message: InboxMessage) -> None:
        links = self._take_in(lease, message.body).links
        self._decide(links)
        self._backend.redirected(lease, links[0])

    def _retry(self, lease: Lease, message: InboxMessage) -> None:
        request = wire.unpack_urls(message.body)[0]
        self._feed.rest(lease.slot, float(message.head.get("wait", 0.0)))
        self._backend.retry(lease, request, int(message.head.get("hold", 0)))

    def _take_in(self, lease: Lease, body: bytes) -> AnsweredPage:
        answer = wire.unpack_page(body)
        complete(lease.page, answer.page)
        return answer

    # -- other messages ------------------------------------------------------------------------

    def _urls(self, message: InboxMessage) -> None:
        records = wire.unpack_urls(message.body)
        if self._seeder is None and any(record.seed for record in records):
            self._seeder = message.fetcher
        self._decide(records)
        for record in records:
            if record.seed and message.fetcher != self._seeder:
                # The crawl has its seeds: Scrapy sets `dont_filter` on every start request.
                record.again = False
        known = self._backend.ledger.find([record.fingerprint for record in records])
        wanted = [
            record for record, url_id in zip(records, known, strict=True)
            if url_id < 0 or record.again or record.seed
        ]  # fmt: skip
        if wanted:
            self._backend.add_seeds(wanted)

    def _refused(self, message: InboxMessage) -> None:
        for reason, domain, links, example in message.head["counts"]:
            self._backend.refusals.count(reason, domain, links, example)

    def _decide(self, records: Iterable[UrlRecord]) -> None:
        """Decide of requests of spiders whether a known URL is fetched again."""
        for record in records:
            if record.asked:
                known = self._backend.knows(record.fingerprint)
                record.again = self._first.again(
                    record.fingerprint, dont_filter=record.again, known=known
                )


def complete(record: PageRecord, answer: PageRecord) -> None:
    """Copy the fields of an answer into the record of its lease."""
    for name in _OF_ANSWER:
        setattr(record, name, getattr(answer, name))
