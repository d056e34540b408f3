"""Duplicates in a crawl: what becomes of a page that repeats another one.

It is fetched, stored, and marked with its twin. It is worth nothing of its own: its relevance is 0,
so that it counts as a fetch that brought nothing, and an order that learns is told so. Its links
discover URLs, but have no weight and say nothing, for its twin has said it: who copies pages adds
nothing to what their links are worth, and altered links of a copy get nothing from it.

A page that names another address as its own is left to the page rules, and is nobody's twin.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from frontier.duplicates.finder import REMEMBERED, DuplicateFinder, FinderEntry, Page, Twin
from frontier.duplicates.minhash import Digest, digest_of
from frontier.states import ELSEWHERE, NAMED, Mark, State
from frontier.store.link_text import COPIED
from ranking.letters import folded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from frontier.backend.ledger import UrlLedger
    from frontier.duplicates.finder import DuplicatePolicy
    from frontier.records import HandedOut, PageRecord, UrlRecord
    from frontier.store import Loaded, Store

COPIES = Mark.DUPLICATE | Mark.NEAR_DUPLICATE


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

    def rule(self, handed: HandedOut, links: Sequence[UrlRecord]) -> None:
        """Hold an answered page against those remembered, before it is recorded.

        Sets marks, twin and relevance of its record, and flags of its links, where it is a copy.
        """
        record = handed.page
        if record.text is None or not self._policy.enabled or record.state is not State.CRAWLED:
            return
        if any(link.flags & NAMED for link in links):
            return
        page = self._page(record, record.text.derived(digest_of))
        twin = self._finder.find(page)
        if twin is None or not twin.is_sure:
            entry = FinderEntry(page, is_original=twin is None)
            self._finder.add(entry)
            self._store.add_signature(page.url_id, entry.packed())
        if twin is not None:
            self._mark(record, twin)
            for link in links:
                link.flags |= ELSEWHERE | COPIED

    def _page(self, record: PageRecord, digest: Digest) -> Page:
        title = crc32(folded(record.title or "").encode("utf-8", "replace"))
        body = int.from_bytes((record.hash or b"")[:8], "little")
        host = int(self._ledger.host.array[record.url_id])
        return Page(record.url_id, host, title, body, digest)

    def _mark(self, page: PageRecord, twin: Twin) -> None:
        if twin.is_exact:
            self.exact += 1
        else:
            self.near += 1
        page.marks |= Mark.DUPLICATE if twin.is_exact else Mark.NEAR_DUPLICATE
        page.twin = twin.url_id
        page.relevance = page.similarity = None if page.relevance is None else 0.0
