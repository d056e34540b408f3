"""Pages that name another address as theirs: one page under two addresses is one node.

A page that redirects is, in the link graph, a page with one link, its target. A page that names a
*canonical* address of its own host is made the like of it: its state is REDIRECTED, its mark
CANONICAL_ELSEWHERE, its twin the address it names; that link is the only one with a weight, and its
other links still discover. Its relevance is not counted, but tells what to expect there.

Nobody is believed about another host: such a link discovers, and has no weight. A page can give
away what it has by this, and never take anything. It is *restored*, with links and relevance, when
what it named turns out to be no page.

What speaks for a URL is handed on (`Inheritance`) to the one that it leads to, or that its page
names: what its parents are worth, what their links say, and that it is a seed. Of a page that names
another address more is known: the page itself was read.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from frontier.pagerules.declared import claim_among, same_origin
from frontier.states import ELSEWHERE, NAMED, NOFOLLOW, REDIRECT, Mark, State
from ranking.arrays import Column
from ranking.page_update import MATCH_STEPS, MATCHES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from frontier.backend.ledger import UrlLedger
    from frontier.backend.pricing import Pricing
    from frontier.records import HandedOut, PageRecord, UrlRecord
    from frontier.store import Loaded, Store
    from frontier.strategy.order_driver import OrderDriver

MOST_DOUBLES = 100
"""Pages that may name one address of their host. A site whose every page names its home page means
something else: beyond these its pages stand for themselves; doubles are told by content too."""
_MOST_HOPS = 5
"""Canonical addresses of canonical addresses: a site may mint them without end."""
_LONGEST = 64
"""Addresses that are followed from one to the next; no honest chain is as long."""
_PENDING = (State.QUEUED, State.LEASED)


class CanonicalPages:
    """Decides what becomes of pages that name a canonical address; see the head of this file.

    Invariant: `_waiting[x]` holds (page, what it names) for the merged pages whose claim hangs on
    the answer of x, which is pending.
    """

    def __init__(
        self, store: Store, ledger: UrlLedger, driver: OrderDriver, pricing: Pricing
    ) -> None:
        self._store = store
        self._ledger = ledger
        self._driver = driver
        self._pricing = pricing
        self._waiting: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        self._doubles = Column(np.uint8)
        self.merged = 0
        """Pages that are merged with another one now."""
        self.restored: Callable[[PageRecord], None] = lambda _: None
        """Told of each page that stands for itself after all."""

    def load(self, loaded: Loaded) -> None:
        """Take up the claims of a stored crawl; its graph must be there."""
        links = loaded.pages.links
        claims = np.flatnonzero(links.flags & NAMED)
        rows = np.searchsorted(loaded.pages.indptr, claims, side="right") - 1
        named = [*zip(loaded.pages.ids[rows].tolist(), links.targets[claims].tolist(), strict=True)]
        merged = [pair for pair in named if self._state(pair[0]) is State.REDIRECTED]
        for _, target in merged:
            self._count(target, 1)
        for page, target in merged:
            self._hang(page, target)

    # -- a page names an address ------------------------------------------------------------------

    def rule(self, handed: HandedOut, links: list[UrlRecord]) -> None:
        """Decide about the claim among a page's links, if there is one, before it is recorded.

        Sets the flags of its links, and what is told of the page in its meta; a claim that cannot
        hold is taken out.
        """
        claim = claim_among(links)
        if claim is None:
            return
        target = self._ledger.find([claim.fingerprint])[0]
        if not self._possible(handed, target):
            links.remove(claim)
        elif same_origin(handed.url, claim.url):
            self._merge(handed, claim, links)
        else:
            claim.flags = NAMED | NOFOLLOW

    def _possible(self, handed: HandedOut, target: int) -> bool:
        """Whether what a page names does not lead back to it, nor to what is no page."""
        page = handed.url_id
        through = sum(named != page for _, named in self._waiting.get(page, ()))
        if handed.page.state is not State.CRAWLED or through >= _MOST_HOPS:
            return False
        if target < 0:
            return True
        end = self._end(target)
        return (
            end != page
            and self._state(end) in (*_PENDING, State.CRAWLED)
            and self._named_by(target) < MOST_DOUBLES
        )

    def _merge(self, handed: HandedOut, claim: UrlRecord, links: Sequence[UrlRecord]) -> None:
        for link in links:
            if link is not claim:
                link.flags |= ELSEWHERE
        page = handed.page
        page.state = State.REDIRECTED
        page.marks |= Mark.CANONICAL_ELSEWHERE

    def admitted(self, handed: HandedOut, links: Sequence[UrlRecord]) -> None:
        """Let a page stand whose claim was refused as a link, when all links have been judged."""
        page = handed.page
        if Mark.CANONICAL_ELSEWHERE in page.marks and claim_among(links) is None:
            page.state = State.CRAWLED
            page.marks &= ~Mark.CANONICAL_ELSEWHERE
            for link in links:
                link.flags &= ~ELSEWHERE

    # -- an answer has been recorded --------------------------------------------------------------

    def answered(self, handed: HandedOut, links: Sequence[UrlRecord] = ()) -> None:
        """Settle what hung on an answer, and note what the answer hangs on."""
        answer = handed.page
        url_id = answer.url_id
        waiters = self._waiting.pop(url_id, ())
        # Those that name this very URL first: others may have named them.
        for page, target in sorted(waiters, key=lambda one: (one[1] != url_id, one)):
            if self._state(page) is State.REDIRECTED:
                self._hang(page, target)
        claim = claim_among(links)
        if claim is not None and answer.state is State.REDIRECTED:
            self._count(claim.url_id, 1)
            self._hang(url_id, claim.url_id)

    def _hang(self, page: int, target: int) -> None:
        """Wait for the answer that the claim of a merged page hangs on, or act on what it was."""
        end = self._end(target)
        if self._state(end) in _PENDING:
            self._waiting[end].append((page, target))
        elif end == page or self._state(end) is not State.CRAWLED:
            self._restore(page, target)

    def _restore(self, page: int, target: int) -> None:
        """Let a merged page stand for itself again."""
        row = self._row_of(page)
        if row is None or row.links is None or Mark.CANONICAL_ELSEWHERE not in row.marks:
            return
        flags = row.links.flags & ~np.uint8(ELSEWHERE)
        flags = np.where(flags & NAMED, np.uint8(NOFOLLOW), flags)
        self._count(target, -1)
        links = replace(row.links, flags=flags)
        row = replace(
            row,
            state=State.CRAWLED,
            marks=row.marks & ~Mark.CANONICAL_ELSEWHERE,
            twin=None,
            links=links,
        )
        self._ledger.rewrite(row)
        self._driver.learn(row)
        self._pricing.reprice(links.targets.astype(np.int64))
        self.restored(row)

    # -- what is known ----------------------------------------------------------------------------

    def _state(self, url_id: int) -> State:
        return self._ledger.state_of(url_id)

    def _end(self, url_id: int) -> int:
        """Follow redirects, of either kind, to what has been or will be a page."""
        graph = self._driver.graph
        for _ in range(_LONGEST):
            if self._state(url_id) is not State.REDIRECTED:
                break
            targets, weights = graph.links(url_id)
            followed = targets if weights is None else targets[weights > 0]
            if len(followed) != 1:
                break
            url_id = int(followed[0])
        return url_id

    def _row_of(self, url_id: int) -> PageRecord | None:
        self._store.commit()  # the last answer may be in the write buffer
        return self._store.page_row(url_id)

    def _named_by(self, target: int) -> int:
        return int(self._doubles.array[target]) if target < len(self._doubles.array) else 0

    def _count(self, target: int, change: int) -> None:
        self.merged += change
        self._doubles.resize(max(target + 1, len(self._doubles.array)))
        self._doubles.array[target] = min(max(self._named_by(target) + change, 0), 255)


class Inheritance:
    """Describes the requests for what redirects and canonical addresses lead to.

    Their links are worth what the best link to the URL promised; what its words were is not kept.
    """

    def __init__(self, driver: OrderDriver, *, focused: bool) -> None:
        self._driver = driver
        self._focused = focused

    def redirect(self, handed: HandedOut, target: UrlRecord) -> None:
        """Describe a redirect: a page that is nothing but a link to its target."""
        page = handed.page
        page.relevance, promise = self._driver.expectations(page.url_id)
        page.similarity = page.relevance if self._focused else None
        self._describe(handed, target, promise, REDIRECT)

    def canonical(self, handed: HandedOut, named: UrlRecord, links: list[UrlRecord]) -> None:
        """Put what a page that was read names as its canonical address in front of its links."""
        if named.fingerprint == handed.fingerprint:
            return
        _, promise = self._driver.expectations(handed.url_id)
        self._describe(handed, named, promise, NAMED)
        named.promise = max(promise, handed.page.relevance or 0.0)
        links.insert(0, named)

    def _describe(self, handed: HandedOut, target: UrlRecord, promise: float, flag: int) -> None:
        """Say of the target the best that was said of the URL."""
        target.anchor, target.referrer = handed.anchor, handed.referrer
        target.seed, target.zone = handed.seed, handed.zone
        target.promise = promise
        target.flags = flag
        if self._focused:
            target.matches = (round(MATCH_STEPS * promise), *(0,) * (MATCHES - 1))
