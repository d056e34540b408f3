"""Whose text is kept, so that a person can be asked about it later.

A bounded number of fetched pages: one half those that the judge was least sure of, because an
answer about them teaches most, the other half a random sample, because the judge may be wrong where
it is sure. Random is by a lot that each fingerprint has: the same crawl keeps the same pages. The
fingerprint itself would not do: the queue puts the smaller one first where priorities are equal, so
that of many URLs that nothing tells apart those with small fingerprints are fetched.
"""

from __future__ import annotations

from collections import Counter
from heapq import heappush, heappushpop
from typing import TYPE_CHECKING, NamedTuple, Protocol

from frontier.records import Sample
from frontier.states import Mark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from frontier.records import PageRecord

FIRST_REFIT = 15
"""Pages after which the topic model is shown samples; of fewer, too few are unlike the topic."""
HALF = 100
"""Pages of either kind: more than anybody answers, and a megabyte at most."""
LETTERS = 8_000
"""Of each text: what it is about is said by then."""
UNDECIDED = 0.5
"""Relevance of which the judge cannot say on which side it is."""

_SPREAD = 0x9E3779B97F4A7C15
"""2**64 by the golden ratio: neighbours fall far apart (Knuth, TAOCP 3, 6.4)."""
_LOTS = 2**64

_Heap = list[tuple[float, int]]


def lot_of(fingerprint: int) -> int:
    """The lot that a page draws, from 0 to 2**64 - 1; the smallest ones win."""
    return int(fingerprint) * _SPREAD % _LOTS  # int(): of NumPy, it would overflow


def drawn(fingerprints: Mapping[int, int]) -> list[int]:
    """Ids of the random half among pages that are kept, by id, in the order of their lots."""
    return sorted(fingerprints, key=lambda page: lot_of(fingerprints[page]))[:HALF]


class SampleStore(Protocol):
    """Where texts are kept, see `frontier.store`."""

    def samples(self) -> Iterable[Sample]: ...

    def keep_sample(self, sample: Sample) -> None: ...

    def drop_sample(self, url_id: int) -> None: ...


class SampleBounds(NamedTuple):
    """Which pages may still become samples, as plain numbers that JSON keeps.

    They only tighten while `Samples` takes pages in: whoever sends the texts of the pages that
    older ones admit sends every text that is kept, and some that are not.
    """

    distance: float | None
    """Largest distance of a relevance from UNDECIDED; None: any."""
    lot: int | None
    """Largest lot; None: any."""

    def admit(self, fingerprint: int, relevance: float) -> bool:
        """Whether the text of such a page may be kept."""
        return (
            self.distance is None
            or self.lot is None
            or abs(relevance - UNDECIDED) <= self.distance
            or lot_of(fingerprint) <= self.lot
        )


def is_sample(page: PageRecord) -> bool:
    """Whether the text of a page may be kept, to be asked about; once, where others repeat it."""
    return page.judged and Mark.NOINDEX not in page.marks and page.twin is None


class Samples:
    """Chooses the pages, and keeps their texts in the store.

    Invariant: a page has a sample in the store exactly if it is in one of the heaps; each holds the
    HALF pages with the smallest keys so far as (-key, -id), so that the largest comes first and of
    equal ones the latest.
    """

    def __init__(self, store: SampleStore, fingerprint_of: Callable[[int], int]) -> None:
        """Go on with what the store keeps."""
        self._store = store
        self._unsure: _Heap = []
        self._random: _Heap = []
        self._held: Counter[int] = Counter()
        for sample in store.samples():
            self._enter(self._unsure, abs(sample.relevance - UNDECIDED), sample.url_id)
            self._enter(self._random, lot_of(fingerprint_of(sample.url_id)), sample.url_id)

    def __len__(self) -> int:
        return len(self._held)

    def offer(self, url_id: int, fingerprint: int, relevance: float, text: str | None) -> None:
        """Keep the text of a page that was fetched, if it is one of those to keep; about 1 us.

        `text` may be its first LETTERS; "" or None where there is none, or `bounds` left it out.
        """
        if url_id in self._held or not text:
            return
        self._enter(self._unsure, abs(relevance - UNDECIDED), url_id)
        self._enter(self._random, lot_of(fingerprint), url_id)
        if url_id in self._held:
            self._store.keep_sample(Sample(url_id, relevance, text[:LETTERS]))

    def bounds(self) -> SampleBounds:
        """What a page must keep within for `offer` to keep its text."""
        distance, lot = _largest(self._unsure), _largest(self._random)
        return SampleBounds(distance, None if lot is None else int(lot))

    def at_random(self) -> list[str]:
        """Texts of the random half, in the order of their lots."""
        texts = {sample.url_id: sample.text for sample in self._store.samples()}
        chosen = (-page for _, page in sorted(self._random, reverse=True))
        return [texts[page] for page in chosen if page in texts]

    def _enter(self, heap: _Heap, key: float, url_id: int) -> None:
        entry = (-key, -url_id)
        if len(heap) < HALF:
            heappush(heap, entry)
        elif entry > heap[0]:
            _, gone = heappushpop(heap, entry)
            self._leave(-gone)
        else:
            return
        self._held[url_id] += 1

    def _leave(self, url_id: int) -> None:
        self._held[url_id] -= 1
        if not self._held[url_id]:
            del self._held[url_id]
            self._store.drop_sample(url_id)


def _largest(heap: _Heap) -> float | None:
    """The key that one more page must not exceed; None where there is room."""
    return -heap[0][0] if len(heap) == HALF else None
