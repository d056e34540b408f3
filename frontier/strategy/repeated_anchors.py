"""What was said of each URL, and by whom: so that the same words of one host count once.

A host may say the same of a page on a thousand of its own pages, by a menu or to mislead. Of each
URL the first MOST_VOICES are remembered, and who speaks later is heard each time; a link that says
what one of them said is marked, and counts no more for its words. What it counts for as a link is
not touched.

Beside the voices stand the best that any link said of the URL, for when it turns out to be a
redirect and its evidence belongs to another; and how many texts about it are kept.

Nothing is held before something is said: a crawl without a topic has no voices. Most URLs of a
frontier have one voice, which stands in a column; the others have places for 2, 4 or 8 elsewhere,
as many as they need, and the column says where. All of it can be rebuilt from the links on record
(`load`), and then equals what was remembered link by link.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from frontier.states import NAMED, NOFOLLOW
from frontier.store.link_text import KEPT, REPEATED, SAID, TOPICAL
from frontier.strategy._repeated_anchors import MOST_VOICES, count_kept, remember, weigh
from ranking.arrays import Column
from ranking.lesson import ANCHOR, CONTEXT, CUE_STEPS, CUES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from frontier.store.link_text import LinkTexts

_Words = NDArray[np.uint32]
_Bytes = NDArray[np.uint8]
_Columns = tuple[_Words, _Bytes, _Words, _Words, _Bytes, NDArray[np.float32]]
MOST_TEXTS = 16
"""Kept of a URL; the kernels count to 31."""
_TOPICAL_FROM = CUE_STEPS // 2 + 1
"""Least cue that is at least 1/2."""
_TOPICAL_OF = np.where(np.arange(256) >= _TOPICAL_FROM, TOPICAL, 0).astype(np.uint8)
"""uint8[256]: TOPICAL, by the larger of two cues."""
_MOST_IDS = 1 << 31


class RepeatedAnchors:
    """What is known of each URL by its id; ids are met in any order.

    Up to MOST_VOICES distinct voices of each, in the order in which they spoke. A mark is how many
    texts are kept of a URL, and 32 times d, the logarithm of its places: `_first` is its only
    voice where d is 0, else where in `_more` its 2 ** d places begin.
    """

    def __init__(self) -> None:
        self._first = Column(np.uint32)
        self._marks = Column(np.uint8)
        self._more = Column(np.uint32)
        self._free = np.array([MOST_VOICES, 0, 0, 0], np.uint32)  # place 0 is none
        self._cues = Column(np.uint8)
        self._similarity = Column(np.float32)

    def load(self, history: Iterable[LinkTexts]) -> None:
        """Take up what was said in the crawl so far; to be called before anything else."""
        for targets, flags, similarity, said in history:
            vouched = np.where(flags & (NOFOLLOW | NAMED), np.float32(0), similarity)
            self.remember(targets, said.voices, said.cues, vouched)
            count_kept(self._marks.array, targets[(flags & KEPT) > 0], MOST_TEXTS)

    def remember(
        self,
        targets: NDArray[np.int32],
        voices: NDArray[np.uint32],
        cues: NDArray[np.uint8],
        similarity: NDArray[np.float32],
    ) -> None:
        """Take what links say: k links of one page or of many, in their order.

        `cues` is (k, 3), `similarity` (k,) that of the page of each link, 0 where the page does
        not vouch for the target.
        """
        remember(*self._with_room_for(targets), targets, voices, cues, similarity)

    def weigh(
        self,
        targets: NDArray[np.int32],
        voices: NDArray[np.uint32],
        cues: NDArray[np.uint8],
        similarity: NDArray[np.float32],
        contexts: list[str],
        flags: NDArray[np.uint8],
        *,
        again: bool,
    ) -> list[str]:
        """`remember` the k links of one page, and add REPEATED, SAID and KEPT to their `flags`.

        A voice 0 repeats nothing. A page that is read `again` says the same by right: none of its
        links is marked. Returns the contexts that are kept, "" for those that are not.
        """
        seen = None if again else np.zeros((2, 2 << len(targets).bit_length()), np.uint64)
        columns, said = self._with_room_for(targets), (targets, voices, cues, similarity)
        return weigh(*columns, *said, contexts, seen, flags, REPEATED, SAID, MOST_TEXTS, KEPT)

    def best(self, url_id: int) -> tuple[tuple[int, ...], float]:
        """The best cues that any link to a URL had, and the similarity of the best page."""
        if url_id >= len(self._similarity.array):
            return (0,) * CUES, 0.0
        cues = self._cues.array.reshape(-1, CUES)[url_id]
        return tuple(cues.tolist()), float(self._similarity.array[url_id])

    def _with_room_for(self, targets: NDArray[np.int32]) -> _Columns:
        """The columns as the kernels take them, with room for what k links say of ids."""
        self._grow(targets)
        self._more.resize(int(self._free[0]) + MOST_VOICES * len(targets))
        heard = self._first.array, self._marks.array, self._more.array, self._free
        return *heard, self._cues.array.reshape(-1, CUES), self._similarity.array

    def _grow(self, targets: NDArray[np.int32]) -> None:
        """Have room for ids; IndexError for one below 0."""
        # Read without a sign, ids below 0 are the largest: one reduction tells both.
        n = int(targets.view(np.uint32).max()) + 1 if len(targets) else 0
        if n > _MOST_IDS:
            raise IndexError("expected ids of URLs, got one below 0")
        if n > len(self._marks.array):
            self._first.resize(n)
            self._marks.resize(n)
            self._more.resize(MOST_VOICES)
            self._cues.resize(CUES * n)
            self._similarity.resize(n)


def topical(cues: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """TOPICAL for each of k links whose text or surroundings are the topic's; cues (k, 3)."""
    words = np.maximum(cues[:, ANCHOR], cues[:, CONTEXT])
    marks: NDArray[np.uint8] = _TOPICAL_OF[words]
    return marks
