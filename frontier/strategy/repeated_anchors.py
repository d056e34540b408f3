"""What was said of each URL, and by whom: so that the same words of one host count once.

A host may say the same of a page on a thousand of its own pages, by a menu or to mislead. Of each
URL the first few voices are remembered; a link that says what one of them said is marked, and
counts no more for its words. What it counts for as a link is not touched.

Beside the voices stand the best that any link said of the URL, for when it turns out to be a
redirect and its evidence belongs to another; and how many texts about it are kept.

Nothing is held before something is said: a crawl without a topic has no voices. Most URLs of a
frontier have one voice, which stands in a column; the others get a row of seven more. All of it can
be rebuilt from the links on record (`load`), and then equals what was remembered link by link.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from frontier.queue.columns import rank_within
from frontier.states import NAMED, NOFOLLOW
from frontier.store.link_text import KEPT, REPEATED, SAID, TOPICAL
from ranking.arrays import Column
from ranking.lesson import ANCHOR, CONTEXT, CUE_STEPS, CUES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from frontier.store import LinkTexts

MOST_VOICES = 8
"""Remembered of a URL; whoever speaks later is heard each time."""
MOST_TEXTS = 16
"""Kept of a URL."""
_HALF = np.uint32(16)
_TOPICAL_FROM = CUE_STEPS // 2 + 1
"""Least cue that is at least 1/2."""


class _Heard:
    """Up to MOST_VOICES distinct voices of each URL, by id, in the order in which they spoke.

    Invariant: `_row` is 0 where there is no second voice, and row 0 of `_more` is empty.
    """

    def __init__(self) -> None:
        self._first = Column(np.uint32)
        self._row = Column(np.int32)
        self._more = Column(np.uint32)

    def __len__(self) -> int:
        return len(self._first.array)

    def grow(self, n: int) -> None:
        self._first.resize(n)
        self._row.resize(n)
        self._more.resize(MOST_VOICES - 1)

    def of(self, targets: NDArray[np.int32]) -> NDArray[np.uint32]:
        """(k, MOST_VOICES) voices of k URLs, 0 behind the last."""
        heard = np.empty((len(targets), MOST_VOICES), np.uint32)
        heard[:, 0] = self._first.array[targets]
        heard[:, 1:] = self._rows()[self._row.array[targets]]
        return heard

    def add(
        self,
        targets: NDArray[np.int32],
        voices: NDArray[np.uint32],
        places: NDArray[np.int64],
    ) -> None:
        """Put k voices at their places, which are the next ones of their URLs."""
        first = places == 0
        self._first.array[targets[first]] = voices[first]
        later = ~first & (places < MOST_VOICES)
        ids = targets[later]
        self._give_rows(np.unique(ids[self._row.array[ids] == 0]))
        self._rows()[self._row.array[ids], places[later] - 1] = voices[later]

    def _rows(self) -> NDArray[np.uint32]:
        return self._more.array.reshape(-1, MOST_VOICES - 1)

    def _give_rows(self, ids: NDArray[np.int32]) -> None:
        used = len(self._rows())
        self._more.resize((used + len(ids)) * (MOST_VOICES - 1))
        self._row.array[ids] = np.arange(used, used + len(ids))


class RepeatedAnchors:
    """What is known of each URL by its id; ids are met in any order."""

    def __init__(self) -> None:
        self._heard = _Heard()
        self._cues = Column(np.uint8)
        self._similarity = Column(np.float32)
        self._texts = Column(np.uint8)

    def load(self, history: Iterable[LinkTexts]) -> None:
        """Take up what was said in the crawl so far; to be called before anything else."""
        for targets, flags, similarity, said in history:
            vouched = np.where(flags & (NOFOLLOW | NAMED), np.float32(0), similarity)
            self.remember(targets, said.voices, said.cues, vouched)
            kept = targets[(flags & KEPT) > 0]
            np.add.at(self._texts.array, kept, 1)

    def marks(self, targets: NDArray[np.int32], voices: NDArray[np.uint32]) -> NDArray[np.uint8]:
        """REPEATED and SAID for each of the k links of a page; a voice 0 repeats nothing."""
        self._grow(targets)
        heard = self._heard.of(targets)
        repeated = (heard == voices[:, None]).any(axis=1) | ~_first(targets, voices)
        spoken = voices >> _HALF
        said = ((heard >> _HALF) == spoken[:, None]).any(axis=1) | ~_first(targets, spoken)
        flags = repeated * np.uint8(REPEATED) | said * np.uint8(SAID)
        return np.where(voices > 0, flags, 0).astype(np.uint8)

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
        self._grow(targets)
        np.maximum.at(self._cues.array.reshape(-1, CUES), targets, cues)
        np.maximum.at(self._similarity.array, targets, similarity)
        heard = self._heard.of(targets)
        new = ~(heard == voices[:, None]).any(axis=1)
        new &= _first(targets, voices) & (voices > 0)
        ids = targets[new]
        places = (heard[new] > 0).sum(axis=1) + rank_within(ids)
        self._heard.add(ids, voices[new], places)

    def keep(
        self,
        targets: NDArray[np.int32],
        contexts: Sequence[str],
        marks: NDArray[np.uint8],
    ) -> NDArray[np.uint8]:
        """KEPT for each of the links of a page whose context is to be kept, and count them."""
        self._grow(targets)
        wanted = np.fromiter(map(bool, contexts), np.bool_, len(contexts))
        wanted &= (marks & REPEATED) == 0
        at = np.flatnonzero(wanted)
        ids = targets[at]
        at = at[self._texts.array[ids] + rank_within(ids) < MOST_TEXTS]
        np.add.at(self._texts.array, targets[at], 1)
        flags = np.zeros(len(targets), np.uint8)
        flags[at] = KEPT
        return flags

    def best(self, url_id: int) -> tuple[tuple[int, ...], float]:
        """The best cues that any link to a URL had, and the similarity of the best page."""
        if url_id >= len(self._similarity.array):
            return (0,) * CUES, 0.0
        cues = self._cues.array.reshape(-1, CUES)[url_id]
        return tuple(cues.tolist()), float(self._similarity.array[url_id])

    def _grow(self, targets: NDArray[np.int32]) -> None:
        n = int(targets.max(initial=-1)) + 1
        if n > len(self._heard):
            self._heard.grow(n)
            self._cues.resize(CUES * n)
            self._similarity.resize(n)
            self._texts.resize(n)


def topical(cues: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """TOPICAL for each of k links whose text or surroundings are the topic's; cues (k, 3)."""
    words = np.maximum(cues[:, ANCHOR], cues[:, CONTEXT])
    marks: NDArray[np.uint8] = (words >= _TOPICAL_FROM) * np.uint8(TOPICAL)
    return marks


def _first(targets: NDArray[np.int32], spoken: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """(k,) whether nothing before says the same of the same target."""
    first = np.zeros(len(targets), np.bool_)
    pairs = targets.astype(np.int64) << 32 | spoken
    first[np.unique(pairs, return_index=True)[1]] = True
    return first
