"""The changes of a page: its text and links compared with the last version.

Differences are no changes

* if other pages of the host have, or had, them too: a new menu entry, another footer;
* at places where all other pages of the host have, or had, what the page had;
* at places that vary at every revisit, see `frontier.refresh.noise`.

The first revisits that meet noise take it for changes. So the last changes of a host are
remembered, and taken back where all their differences turn out to be noise.

A notice is no change either: pages of a host that lose nearly all text of their own, and show the
same text instead, or nothing.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from frontier.refresh.alignment import Block, BlockDifference, Comparison, compare
from frontier.refresh.blocks import read_blocks, whole_records
from frontier.refresh.noise import HOSTS, SAVED, Noise
from frontier.utils import lately_seen

PAGES: Final = 8
"""Last pages of a host that tell what all its pages have in common."""
_AT_LEAST: Final = 2
"""Other pages that must have a block of the host, once so many are known, and half of them at
least."""
_NEARLY_ALL: Final = 0.8
_AGAIN: Final = 4
"""Times that a block must have come or gone for its change to be taken back."""
_UNSETTLED: Final = 64
"""Revisits of a host after which a change is final."""
_MOST_UNSETTLED: Final = 64
"""Differences of a change that may turn out to be noise; with more it is final."""
_NOTICED: Final = 3
"""Pages that show the same text at once for it to be a notice, or all pages of a smaller host."""
_AT_ONCE: Final = 4 * PAGES
"""Last revisits of a host that count as simultaneous."""


PageRevisit = tuple[int, float]
"""A page, and when it was revisited."""


class ComparisonResult(NamedTuple):
    """The result of a comparison."""

    share: float
    """Changed share of the text of both versions, [0, 1]; 0: the page did not change."""
    is_notice: bool
    settled: list[PageRevisit]
    """Earlier revisits whose change turned out to be noise."""
    notices: list[PageRevisit]
    """Earlier revisits that met this notice, when it is first recognised."""


class _Lost(NamedTuple):
    """A revisit of a page that lost all text of its own."""

    revisit: PageRevisit
    had: int
    shows: int
    number: int


@dataclass
class _Host:
    """The last pages and revisits of a host."""

    pages: OrderedDict[int, NDArray[np.uint32]] = field(default_factory=OrderedDict)
    unsettled: OrderedDict[PageRevisit, tuple[int, list[BlockDifference]]] = field(
        default_factory=OrderedDict
    )
    lost: deque[_Lost] = field(default_factory=lambda: deque(maxlen=_AT_ONCE))
    notices: deque[int] = field(default_factory=lambda: deque(maxlen=PAGES))
    revisits: int = 0


class ChangeFinder:
    """Compares pages with their last versions; remembers what pages of a host have in common."""

    def __init__(self) -> None:
        self._hosts: OrderedDict[int, _Host] = OrderedDict()
        self.noise = Noise()

    def saved(self) -> NDArray[np.uint8]:
        """The noise that is known, as bytes."""
        return np.frombuffer(self.noise.saved().tobytes(), np.uint8)

    def restore(self, saved: tuple[int, NDArray[np.uint8]] | None) -> None:
        """Go on with what `saved` gave, as the store has it."""
        if saved is not None:
            self.noise.restore(whole_records(saved[1].tobytes(), SAVED))

    def note(self, host: int, page: int, *blocks: bytes) -> None:
        """Remember the blocks of a page of a host, as they are now and were before."""
        hashes = np.unique(np.concatenate([read_blocks(kept)["hash"] for kept in blocks]))
        pages = self._host(host).pages
        pages[page] = hashes
        pages.move_to_end(page)
        if len(pages) > PAGES:
            pages.popitem(last=False)

    def find(
        self, host: int, revisit: PageRevisit, before: bytes, after: bytes
    ) -> ComparisonResult:
        """Compare a page at a revisit with its last version, and learn from both."""
        compared, known, page = compare(before, after), self._host(host), revisit[0]
        own = self._own(host, page, compared)
        known.revisits += 1
        met = self._notice(host, revisit, compared, own)
        if met is not None:
            for earlier in met:
                known.unsettled.pop(earlier, None)
                known.pages.pop(earlier[0], None)
            return ComparisonResult(0.0, is_notice=True, settled=[], notices=met)
        if not _is_rewritten(compared):
            self.noise.learn(host, page, compared)
        news = [each for each in own if not self.noise.is_noise(host, each)]
        self.noise.remember(host, compared.differences)
        self.note(host, page, before, after)
        settled = list(self._settled(host))
        if 0 < len(news) <= _MOST_UNSETTLED:
            known.unsettled[revisit] = known.revisits, news
        letters = _letters((*compared.old, *compared.new))
        changed = _letters(each.block for each in news)
        share = min(changed / max(letters, 1), 1.0)
        return ComparisonResult(share, is_notice=False, settled=settled, notices=[])

    def _host(self, host: int) -> _Host:
        return lately_seen(self._hosts, host, _Host, HOSTS)

    def _others(self, host: int, page: int) -> list[NDArray[np.uint32]]:
        """Blocks of each of the other pages of a host."""
        return [blocks for other, blocks in self._host(host).pages.items() if other != page]

    def _settled(self, host: int) -> Iterator[PageRevisit]:
        unsettled = self._host(host).unsettled
        for revisit, (number, news) in list(unsettled.items()):
            if number + _UNSETTLED < self._host(host).revisits:
                del unsettled[revisit]
            elif all(self.noise.is_noise(host, each, _AGAIN) for each in news):
                del unsettled[revisit]
                yield revisit

    def _own(self, host: int, page: int, compared: Comparison) -> list[BlockDifference]:
        """The differences of a page without those of its host."""
        others = self._others(host, page)
        differences = compared.differences
        if not others or not differences:
            return differences
        some = {each.block.hash for each in differences} | {block.hash for block in compared.old}
        hashes = np.array(sorted(some), np.uint32)
        counts = np.sum([np.isin(hashes, known) for known in others], axis=0)
        least = max(min(_AT_LEAST, len(others)), len(others) / 2)
        common = set(hashes[counts >= least].tolist())
        everywhere = set(hashes[counts >= _NEARLY_ALL * len(others)].tolist())
        places = set()
        left = {block.hash for block in compared.new} - common
        # A page without any of its own text left has changed, wherever its new text stands.
        if len(others) >= _AT_LEAST and any(block.hash in left for block in compared.old):
            own = {block.place for block in compared.old if block.hash not in everywhere}
            places = {block.place for block in compared.old} - own
        return [
            each
            for each in differences
            if each.is_figure or not (each.block.hash in common or each.places[0] in places)
        ]

    # -- notices ----------------------------------------------------------------------------------

    def _notice(
        self, host: int, revisit: PageRevisit, compared: Comparison, own: list[BlockDifference]
    ) -> list[PageRevisit] | None:
        """Return the earlier revisits that met the same notice; None where this one met none."""
        if not _letters(compared.old):
            return None
        if not _letters(compared.new):
            return []
        known = self._host(host)
        gone = {each.block.hash for each in own if not each.is_new}
        fresh = {each.block.hash: each for each in compared.differences if each.is_new}
        # Without tokens: notices have a time or the name of a visitor.
        news = (each for each in fresh.values() if not self.noise.is_at_noise(host, each))
        shows = hash(frozenset(each.block.plain >> 1 for each in news))
        if not fresh or not self._has_lost_all(host, revisit[0], compared, gone):
            return None
        if shows in known.notices:
            return []
        known.lost.append(_Lost(revisit, hash(frozenset(gone)), shows, known.revisits))
        while known.lost[0].number <= known.revisits - _AT_ONCE:
            known.lost.popleft()
        same = {lost.revisit[0]: lost for lost in known.lost if lost.shows == shows}
        least = min(_NOTICED, max(2, len({revisit[0], *known.pages})))
        if len({lost.had for lost in same.values()}) < least:
            return None
        known.notices.append(shows)
        return [lost.revisit for lost in same.values() if lost.revisit != revisit]

    def _has_lost_all(self, host: int, page: int, compared: Comparison, gone: set[int]) -> bool:
        """Whether nearly all of the page's own text is gone."""
        others = self._others(host, page)
        everywhere = Counter(number for blocks in others for number in blocks.tolist())
        least = max(min(_AT_LEAST, len(others)), 1)
        own = [block for block in compared.old if everywhere[block.hash] < least]
        letters, lost = _letters(own), _letters(block for block in own if block.hash in gone)
        return letters > 0 and lost >= _NEARLY_ALL * letters


def _is_rewritten(compared: Comparison) -> bool:
    """Whether hardly anything is left of a page: such a change tells nothing of its places."""
    differences = compared.differences
    gone = (each.block for each in differences if not each.is_new and not each.is_figure)
    return _letters(gone) >= _NEARLY_ALL * _letters(compared.old)


def _letters(blocks: Iterable[Block]) -> int:
    return sum(block.letters for block in blocks)
