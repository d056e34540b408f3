"""The best that any link says of each URL, for when it turns out to be a redirect.

The evidence of a redirect, and of a page that names another one as canonical, belongs to the page
that it leads to. What links say of all URLs is in their pages' records; here is the largest of
each, so that nobody reads these again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from frontier.states import NAMED, NOFOLLOW
from ranking.arrays import Column
from ranking.page_update import MATCHES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from frontier.store.link_text import LinkTexts

_VOUCHED = np.where(np.arange(256) & (NOFOLLOW | NAMED), 0, 1).astype(np.float32)


class BestMatches:
    """Link-text matches of each URL by its id, which are met in any order.

    Nothing is held before a link is noted: a crawl without a topic has none.
    """

    def __init__(self) -> None:
        self._matches = Column(np.uint8)
        self._similarity = Column(np.float32)

    def load(self, history: Iterable[LinkTexts]) -> None:
        """Take up what the links of the crawl so far say; to be called before anything else."""
        for targets, flags, similarity, said in history:
            self.note(targets, said.matches, flags, similarity)

    def note(
        self,
        targets: NDArray[np.int32],
        matches: NDArray[np.uint8],
        flags: NDArray[np.uint8],
        similarity: NDArray[np.float32] | np.float32,
    ) -> None:
        """Take in k links: matches (k, 3), their flags, and the similarity of the page of each.

        Raises IndexError for an id below 0.
        """
        if not len(targets):
            return
        if targets.min() < 0:
            raise IndexError("expected ids of URLs, got one below 0")
        n = max(int(targets.max()) + 1, len(self._similarity.array))
        self._matches.resize(MATCHES * n)
        self._similarity.resize(n)
        np.maximum.at(self._matches.array.reshape(-1, MATCHES), targets, matches)
        np.maximum.at(self._similarity.array, targets, _VOUCHED[flags] * similarity)

    def best(self, url_id: int) -> tuple[tuple[int, ...], float]:
        """Return the best matches of any link to a URL, and the similarity of the best page."""
        if url_id >= len(self._similarity.array):
            return (0,) * MATCHES, 0.0
        matches = self._matches.array.reshape(-1, MATCHES)[url_id]
        return tuple(matches.tolist()), float(self._similarity.array[url_id])
