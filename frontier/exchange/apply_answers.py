"""From the messages of fetchers to calls of the backend: one message after the other.

Each lease is answered once. An answer to a lease that is over, or that was applied before the
coordinator died, changes nothing. Frontera's own workers and its message buses are not used: they
drop messages on exceptions, and split the links of a page by host.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any

from frontier.backend.first_requests import FirstRequests
from frontier.errors import StoreError, described
from frontier.exchange import wire
from frontier.records import Page
from frontier.states import State

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from frontier.backend.backend import LinkRankBackend
    from frontier.exchange.feed_policy import FeedPolicy
    from frontier.exchange.owner_side import InboxMessage
    from frontier.records import Lease, UrlRecord
    from frontier.verdict import Verdict

logger = logging.getLogger(__name__)


class MessageApplier:
    """Applies the messages of fetchers to one backend."""

    def __init__(
        self,
        backend: LinkRankBackend,
        feed: FeedPolicy,
        on_page: Callable[[Lease, Page, Verdict], None],
        on_examples: Callable[[dict[str, Any]], None],
    ) -> None:
        """`on_page` gets each page with its verdict, `on_examples` the texts of examples."""
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
                failure = Page(state=State.ERROR, fetched=time.time(), error=reason)
                self._backend.failed(lease, failure)

    # -- answers -------------------------------------------------------------------------------

    def _page(self, lease: Lease, message: InboxMessage) -> None:
        page, links, canonical = wire.unpack_page(message.body)
        self._decide(links)
        if page.state is State.ERROR and not links:
            self._backend.failed(lease, page)
            return
        verdict = self._backend.take(lease, page, links, canonical)
        self._on_page(lease, page, verdict)

    def _failed(self, lease: Lease, message: InboxMessage) -> None:
        self._backend.failed(lease, wire.unpack_page(message.body).page)

    def _redirect(self, lease: Lease, message: InboxMessage) -> None:
        page, links, _ = wire.unpack_page(message.body)
        self._decide(links)
        self._backend.redirected(lease, page, links[0])

    def _retry(self, lease: Lease, message: InboxMessage) -> None:
        request = wire.unpack_urls(message.body)[0]
        self._feed.rest(lease.slot, float(message.head.get("wait", 0.0)))
        self._backend.retry(lease, request, int(message.head.get("hold", 0)))

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
