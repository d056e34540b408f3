"""The pages whose texts are kept, to be labelled later.

A bounded number of fetched pages of three kinds, many pages of several kinds: pages that the judge
was least sure of, because their labels teach most; a random sample of the fetched pages, for the
contrast of the topic model; and a sample drawn with chances that grow with relevance, because where
few pages are relevant an even sample has hardly any of them, and its labels tell little of how many
there are (`frontier/estimates.py`).

Random is by a lot of each fingerprint: the same crawl keeps the same pages. The fingerprint itself
would not do: the queue puts the smaller one first where priorities are equal, so that of many equal
URLs those with small fingerprints are fetched. Pages with the smallest lots are an even sample.
Pages with the smallest lots divided by weights are a sample with chances by weight, priority
sampling (Duffield, Lund, Thorup, Priority sampling for estimation of arbitrary subset sums, JACM
54, 2007).
"""

from __future__ import annotations

from collections import Counter
from heapq import heappush, heappushpop
from typing import TYPE_CHECKING, NamedTuple, Protocol

from frontier.records import Sample

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


FIRST_REFIT = 15
"""Pages after which the topic model is contrasted with samples; of fewer, too few are unlike the
topic."""
EACH = 100
"""Pages of each kind: more than anybody answers, and three megabytes at most."""
LEAST_WEIGHT = 0.2
"""Weight of pages of lower relevance: the judge may be wrong there too. With half of it one page in
twenty is counted a bit better, and four in five much worse: the few labels of other pages then
stand for too many."""
LETTERS = 8_000
"""Letters of each text that are kept: enough to tell its subject."""
UNDECIDED = 0.5
"""Relevance of which the judge is least sure."""

_SPREAD = 0x9E3779B97F4A7C15
"""2**64 by the golden ratio: neighbours fall far apart (Knuth, TAOCP 3, 6.4)."""
_LOTS = 2**64

_Heap = list[tuple[float, int]]


def lot_of(fingerprint: int) -> int:
    """The lot of a page, from 0 to 2**64 - 1; the smallest lots are kept."""
    return int(fingerprint) * _SPREAD % _LOTS  # int(): of NumPy, it would overflow


def weight_of(relevance: float) -> float:
    """The weight of a page in the draw: its relevance, at least LEAST_WEIGHT."""
    return max(relevance, LEAST_WEIGHT)


def draw_of(fingerprint: int, relevance: float) -> float:
    """The lot in [0, 1) divided by the page's weight; pages with the smallest are drawn."""
    return lot_of(fingerprint) / _LOTS / weight_of(relevance)


class SampleStore(Protocol):
    """A store of texts, see `frontier.store`."""

    def samples(self) -> Iterable[Sample]: ...

    def keep_sample(self, sample: Sample) -> None: ...

    def drop_sample(self, url_id: int) -> None: ...


class SampleBounds(NamedTuple):
    """Which pages may still become samples, as plain numbers that JSON keeps.

    Bounds only tighten while `Samples` takes pages in: a process that sends the texts that older
    bounds admit sends every text that is kept, and some that are not.
    """

    distance: float | None = None
    """Largest distance of a relevance from UNDECIDED; None: any."""
    lot: int | None = None
    """Largest lot; None: any."""
    draw: float | None = None
    """Largest draw; None: any."""

    def admit(self, fingerprint: int, relevance: float) -> bool:
        """Whether the text of such a page may be kept."""
        return (
            self.distance is None
            or self.lot is None
            or self.draw is None
            or abs(relevance - UNDECIDED) <= self.distance
            or lot_of(fingerprint) <= self.lot
            or draw_of(fingerprint, relevance) <= self.draw
        )


class Samples:
    """Chooses the pages, and keeps their texts in the store.

    Invariant: a page has a sample in the store exactly if it is in one of the heaps; each holds the
    EACH pages with the smallest keys so far as (-key, -id), so that the largest comes first and of
    equal ones the latest.
    """

    def __init__(self, store: SampleStore, fingerprint_of: Callable[[int], int]) -> None:
        """Go on with what the store keeps."""
        self._store = store
        self._unsure: _Heap = []
        self._random: _Heap = []
        self._drawn: _Heap = []
        self._held: Counter[int] = Counter()
        for sample in store.samples():
            self._enter_all(sample.url_id, fingerprint_of(sample.url_id), sample.relevance)

    def __len__(self) -> int:
        return len(self._held)

    def offer(self, url_id: int, fingerprint: int, relevance: float, text: str | None) -> None:
        """Keep the text of a fetched page, if it is a sample; about 2 us.

        `text` may be its first LETTERS; "" or None where there is none, or `bounds` left it out.
        """
        if url_id in self._held or not text:
            return
        self._enter_all(url_id, fingerprint, relevance)
        if url_id in self._held:
            self._store.keep_sample(Sample(url_id, relevance, text[:LETTERS]))

    def bounds(self) -> SampleBounds:
        """The bounds within which `offer` keeps the text of a page."""
        lot = _largest(self._random)
        return SampleBounds(
            _largest(self._unsure),
            None if lot is None else int(lot),
            _largest(self._drawn),
        )

    def texts(self) -> dict[int, str]:
        """Text of each sample that is committed, by id."""
        return {sample.url_id: sample.text for sample in self._store.samples()}

    def at_random(self) -> list[str]:
        """Texts of the even sample, in the order of their lots."""
        texts = self.texts()
        chosen = (-page for _, page in sorted(self._random, reverse=True))
        return [texts[page] for page in chosen if page in texts]

    def _enter_all(self, url_id: int, fingerprint: int, relevance: float) -> None:
        self._enter(self._unsure, abs(relevance - UNDECIDED), url_id)
        self._enter(self._random, lot_of(fingerprint), url_id)
        self._enter(self._drawn, draw_of(fingerprint, relevance), url_id)

    def _enter(self, heap: _Heap, key: float, url_id: int) -> None:
        entry = (-key, -url_id)
        if len(heap) < EACH:
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
    return -heap[0][0] if len(heap) == EACH else None
