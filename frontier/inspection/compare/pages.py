"""What one crawl fetched, and where in it a page of another crawl is.

Two crawls know a URL by the same fingerprint if they have the same random seed; else by that of its
canonical URL under the other's key. A request that is known by more than its URL (a POST, say) has
no counterpart in a crawl with another key.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from frontier.inspection.resumed import stored_config
from frontier.urls.canonical import fingerprint

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frontier.store import StoreReader

NOWHERE = -1


class Fetched:
    """A crawl of n URLs, m of them fetched.

    Attributes:
        config: what the crawl was asked to do.
        directory: where it is.
        n: number of URLs known.
        ids: (m,) of the fetched ones in the order of their first fetch.
        relevance: (m,) of these, NaN where it was not judged.

    """

    def __init__(self, reader: StoreReader) -> None:
        self.config = stored_config(reader)
        self.directory: Path = reader.path.parent
        self._reader = reader
        self._fingerprints = reader.identities()
        self.n = len(self._fingerprints)
        self.ids, self.relevance = reader.fetches(self.n)

    @property
    def pages(self) -> int:
        """Number of fetched pages, m."""
        return len(self.ids)

    @cached_property
    def place(self) -> NDArray[np.int64]:
        """(n,) what number of a page each URL was, from 0; NOWHERE if it was not fetched."""
        places = np.full(self.n, NOWHERE, np.int64)
        places[self.ids] = np.arange(self.pages)
        return places

    def relevant(self, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """(k,) whether fetched ids (k,) were judged relevant by this crawl."""
        judged: NDArray[np.bool_] = self.relevance[self.place[ids]] >= self.config.relevant
        return judged

    def in_other(self, ids: NDArray[np.int64], other: Fetched) -> NDArray[np.int64]:
        """(k,) ids that URLs of this crawl have in the other; NOWHERE if it never met them."""
        return other._find(self._numbers_for(ids, other.config.fingerprint_key))

    def urls(self, ids: NDArray[np.int64]) -> list[str]:
        """Return canonical URLs."""
        return self._reader.canonical_urls_of(ids.tolist())

    def title(self, url_id: int) -> str | None:
        """Return the title of a fetched page, None without one."""
        page = self._reader.page_row(url_id)
        return None if page is None else page.title

    def _numbers_for(
        self, ids: NDArray[np.int64], key: bytes
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Fingerprints under a key, and which of them the URL alone determines."""
        own = self._fingerprints[ids]
        if key == self.config.fingerprint_key:
            return own, np.ones(len(ids), np.bool_)
        urls = self.urls(ids)
        plain = [fingerprint(url, self.config.fingerprint_key) for url in urls]
        there = [fingerprint(url, key) for url in urls]
        return np.array(there, np.int64), np.array(plain, np.int64) == own

    def _find(self, wanted: tuple[NDArray[np.int64], NDArray[np.bool_]]) -> NDArray[np.int64]:
        numbers, usable = wanted
        found = np.full(len(numbers), NOWHERE, np.int64)
        if not self.n:
            return found
        order, ascending = self._by_fingerprint
        places = np.minimum(ascending.searchsorted(numbers), self.n - 1)
        hit = usable & (ascending[places] == numbers)
        found[hit] = order[places[hit]]
        return found

    @cached_property
    def _by_fingerprint(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        order = np.argsort(self._fingerprints)
        return order, self._fingerprints[order]
