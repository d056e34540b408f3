"""One page under several addresses: by its canonical link, by a redirect, or by its text.

**Canonical.** A page that redirects is, in the link graph, a page with one link, its target. A page
that names a *canonical* address of its own host, one that was fetched, is made the like of it: its
state is REDIRECTED, its mark CANONICAL_ELSEWHERE, its twin the address it names; that link is the
only one with a weight, and its other links still discover. Its relevance is not counted. A page
that names what was not fetched yet stands, and the address is met with all that speaks for the
page: it may be no page, or redirect to this one. A canonical address on another host is not
trusted: its link discovers, and has no weight.

The target of a redirect, and the address that a page names, inherit the evidence for the URL that
led there (`Inheritance`): the worth of its parents, the texts of their links, being a seed. A page
that names another address adds its own relevance, since it was read.

**Duplicates.** A page that repeats another page is fetched, stored, and marked with its twin. Its
relevance is 0, so it counts as a fetch that brought nothing, and orders learn that. Its links
discover URLs, but have no weight and predict nothing, as the links of its twin count already: a
copy adds nothing to them, and altered links in a copy gain nothing. A page that is merged with its
canonical address, or names an address of another host, is not a twin.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from frontier.duplicates.finder import REMEMBERED, DuplicateFinder, FinderEntry, Twin
from frontier.duplicates.minhash import Digest, digest_of
from frontier.pagerules.declared import claim_among, same_origin
from frontier.states import COPIED, ELSEWHERE, NAMED, NOFOLLOW, REDIRECT, Mark, State
from ranking.letters import folded
from ranking.page_update import MATCH_STEPS, MATCHES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frontier.backend.ledger import UrlLedger
    from frontier.duplicates.finder import DuplicatePolicy
    from frontier.records import Lease, Page, UrlRecord
    from frontier.store import Loaded, Store
    from frontier.strategy.order_driver import OrderDriver
    from frontier.verdict import Verdict

MOST_DOUBLES = 100
"""Pages that may name one address of their host. A site whose every page names its home page means
something else: further pages are not merged with it; copies are also recognized by their text."""
_LONGEST = 64
"""Addresses that are followed from one to the next; no honest chain is as long."""
COPIES = Mark.DUPLICATE | Mark.NEAR_DUPLICATE


class CanonicalPages:
    """Decides what becomes of pages that name a canonical address; see the head of this file."""

    def __init__(self, ledger: UrlLedger, driver: OrderDriver, loaded: Loaded) -> None:
        """Go on with what a crawl that is resumed has merged."""
        self._ledger = ledger
        self._driver = driver
        merged = (loaded.marks & Mark.CANONICAL_ELSEWHERE > 0) & (loaded.states == State.REDIRECTED)
        self._doubles = Counter(loaded.twins[merged].tolist())
        self.merged = self._doubles.total()
        """Pages that are merged with another one."""

    def judge(self, lease: Lease, page: Page, so_far: Verdict) -> Verdict:
        """Decide about the claim among a page's links, if there is one.

        One that leads back to its page, or is that of no page, is not followed.
        """
        claim = claim_among(so_far.links)
        if claim is None:
            return so_far
        end = self._end(claim.url_id) if claim.url_id >= 0 else -1
        if so_far.state_of(page) is not State.CRAWLED or end == lease.url_id:
            return replace(so_far, links=[link for link in so_far.links if link is not claim])
        if not same_origin(lease.url, claim.url):
            return replace(so_far, claim_flags=NOFOLLOW)
        if (
            end >= 0
            and self._ledger.state_of(end) is State.CRAWLED
            and self._doubles[claim.url_id] < MOST_DOUBLES
        ):
            return self._merged(claim.url_id, so_far)
        return so_far

    def _merged(self, target: int, so_far: Verdict) -> Verdict:
        if not so_far.refetched:
            self._doubles[target] += 1
            self.merged += 1
        return replace(
            so_far,
            state=State.REDIRECTED,
            marks=so_far.marks | Mark.CANONICAL_ELSEWHERE,
            twin=target,
            flags=ELSEWHERE,
        )

    def _end(self, url_id: int) -> int:
        """Follow redirects, of either kind, to what has been or will be a page."""
        graph = self._driver.graph
        for _ in range(_LONGEST):
            if self._ledger.state_of(url_id) is not State.REDIRECTED:
                break
            targets, weights = graph.links(url_id)
            followed = targets if weights is None else targets[weights > 0]
            if len(followed) != 1:
                break
            url_id = int(followed[0])
        return url_id


class Inheritance:
    """Describes the requests for what redirects and canonical addresses lead to.

    Their links are worth what the best link to the URL promised; what its words were is not kept.
    """

    def __init__(self, driver: OrderDriver, *, focused: bool) -> None:
        self._driver = driver
        self._focused = focused

    def redirect(self, lease: Lease, page: Page, target: UrlRecord) -> Page:
        """Describe the target of a redirect; return the page with the relevance it stands for."""
        relevance, predicted = self._driver.expectations(lease.url_id)
        self._describe(lease, target, predicted, REDIRECT)
        similarity = relevance if self._focused else None
        return replace(page, relevance=relevance, similarity=similarity)

    def with_canonical(
        self, lease: Lease, page: Page, named: UrlRecord, links: list[UrlRecord]
    ) -> list[UrlRecord]:
        """Return the links of a page behind the address that it names as canonical."""
        if named.fingerprint == lease.fingerprint:
            return links
        _, predicted = self._driver.expectations(lease.url_id)
        self._describe(lease, named, predicted, NAMED)
        named.predicted = max(predicted, page.relevance or 0.0)
        return [named, *links]

    def _describe(self, lease: Lease, target: UrlRecord, predicted: float, flag: int) -> None:
        """Say of the target the best that was said of the URL."""
        target.anchor, target.referrer = lease.anchor, lease.referrer
        target.seed, target.zone = lease.seed, lease.zone
        target.predicted = predicted
        target.flags = flag
        if self._focused:
            target.matches = (round(MATCH_STEPS * predicted), *(0,) * (MATCHES - 1))


class DuplicatePages:
    """Marks the duplicates of one crawl; `exact` and `near` count those of the whole crawl."""

    def __init__(
        self, policy: DuplicatePolicy, store: Store, ledger: UrlLedger, loaded: Loaded
    ) -> None:
        """Go on with what a crawl that is resumed remembers."""
        self._policy = policy
        self._store = store
        self._ledger = ledger
        self._finder = DuplicateFinder(policy, REMEMBERED)
        marks = loaded.marks
        self.exact = int(((marks & Mark.DUPLICATE) > 0).sum())
        self.near = int(((marks & Mark.NEAR_DUPLICATE) > 0).sum())
        if policy.enabled and len(loaded.pages.ids):
            self._finder.load(self._remembered(loaded))

    def _remembered(self, loaded: Loaded) -> Iterator[FinderEntry]:
        """Yield pages in the order in which they were fetched, as many as are to be remembered."""
        hosts, recent = self._ledger.host.array, self._recent(loaded)
        wanted = np.zeros(len(hosts), dtype=np.bool_)
        wanted[recent] = True
        blobs = {url_id: blob for url_id, blob in self._store.signatures() if wanted[url_id]}
        for url_id in recent.tolist():
            blob = blobs.pop(url_id, None)
            entry = None if blob is None else FinderEntry.unpacked(url_id, int(hosts[url_id]), blob)
            if entry is not None:
                yield entry

    def _recent(self, loaded: Loaded) -> NDArray[np.int64]:
        """The last pages, so many that enough of them are no duplicates."""
        ids = loaded.pages.ids.astype(np.int64)
        originals = np.flatnonzero((loaded.marks[ids] & COPIES) == 0)
        first = originals[-REMEMBERED:][:1]
        return ids[int(first[0]) if len(first) else 0 :]

    def judge(self, lease: Lease, page: Page, so_far: Verdict) -> Verdict:
        """Compare a page with those remembered; a copy is worth nothing, and so are its links."""
        is_page = so_far.state_of(page) is State.CRAWLED
        if page.text is None or not self._policy.enabled or not is_page:
            return so_far
        if so_far.claim_flags & NOFOLLOW and claim_among(so_far.links) is not None:
            return so_far
        entry = self._entry(lease.url_id, page, page.text.derived(digest_of))
        twin = self._finder.find(entry)
        if twin is None or not twin.is_sure:
            entry = entry._replace(is_original=twin is None)
            self._finder.add(entry)
            self._store.add_signature(lease.url_id, entry.packed())
        return so_far if twin is None else self._marked(twin, so_far)

    def _entry(self, url_id: int, page: Page, digest: Digest) -> FinderEntry:
        title = crc32(folded(page.title or "").encode("utf-8", "replace"))
        body = int.from_bytes((page.hash or b"")[:8], "little")
        return FinderEntry(url_id, self._ledger.host_of(url_id), title, body, digest)

    def _marked(self, twin: Twin, so_far: Verdict) -> Verdict:
        if not so_far.refetched:
            self.exact += twin.is_exact
            self.near += not twin.is_exact
        mark = Mark.DUPLICATE if twin.is_exact else Mark.NEAR_DUPLICATE
        return replace(
            so_far,
            marks=so_far.marks | mark,
            twin=twin.url_id,
            is_worthless=True,
            flags=so_far.flags | ELSEWHERE | COPIED,
            claim_flags=so_far.claim_flags | ELSEWHERE | COPIED,
        )


class RedirectToKnown:
    """Marks redirects that lead only to known URLs."""

    def judge(self, lease: Lease, page: Page, so_far: Verdict) -> Verdict:
        """Decide about an answer that is a redirect by now."""
        if so_far.state_of(page) is not State.REDIRECTED:
            return so_far
        if any(link.url_id < 0 for link in so_far.links):
            return so_far
        return replace(so_far, marks=so_far.marks | Mark.REDIRECT_TO_KNOWN)
