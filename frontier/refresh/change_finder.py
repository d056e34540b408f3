"""What a change of a page is: its text and links held against what they were.

No change are differences

* that other pages of the host have, or had, too: a new menu entry, another footer;
* at places where all other pages of the host have, or had, what the page had;
* at places that vary at every revisit, see `frontier.refresh.noise`.

The first revisits that find noise take it for changes. So the last changes of a host are
remembered, and taken back where all that they found turns out to be noise.

A notice is no change either: pages of one host that lose nearly all that is their own, and show the
same instead, or nothing.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from frontier.refresh.alignment import Comparison, Difference, compare
from frontier.refresh.blocks import read_blocks, whole_records
from frontier.refresh.noise import HOSTS, SAVED, Noise
from frontier.utils import lately_seen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

PAGES: Final = 8
"""Pages of a host by which it is known what all of them have in common: the last ones."""
_AT_LEAST: Final = 2
"""Other pages that must have a block for it to be the host's, once so many are known, and half of
them in any case."""
_NEARLY_ALL: Final = 0.8
_AGAIN: Final = 4
"""Times that a block came or went by which a change that it was is taken back."""
_UNSETTLED: Final = 64
"""Revisits at a host, after which a change will not turn out to be noise any more."""
_MOST_UNSETTLED: Final = 64
"""Differences of a change; one of more will not turn out to be noise."""
_NOTICED: Final = 3
"""Pages that show the same at once where that is a notice, or all of a host of fewer."""
_AT_ONCE: Final = 4 * PAGES
"""Last looks at a host that count as looks at the same time."""


PageRevisit = tuple[int, float]
"""A page, and when it was looked at."""


class Finding(NamedTuple):
    """What a revisit of a page found."""

    share: float
    """Of the text of both revisits that changed, [0, 1]; 0: the page did not change."""
    is_notice: bool
    settled: list[PageRevisit]
    """Revisits that found no change, as it turns out: it was noise."""
    notices: list[PageRevisit]
    """Revisits that met this notice, as it turns out; the first time that it is known for one."""


class _Lost(NamedTuple):
    """A revisit of a page that lost all that was its own."""

    revisit: PageRevisit
    had: int
    shows: int
    number: int


@dataclass
class _Host:
    """What pages of a host have shown lately."""

    pages: OrderedDict[int, NDArray[np.uint32]] = field(default_factory=OrderedDict)
    unsettled: OrderedDict[PageRevisit, tuple[int, list[Difference]]] = field(
        default_factory=OrderedDict
    )
    lost: deque[_Lost] = field(default_factory=lambda: deque(maxlen=_AT_ONCE))
    notices: deque[int] = field(default_factory=lambda: deque(maxlen=PAGES))
    revisits: int = 0


class ChangeFinder:
    """Holds pages against what they were; remembers what their hosts have in common."""

    def __init__(self) -> None:
        self._hosts: OrderedDict[int, _Host] = OrderedDict()
        self.noise = Noise()

    def saved(self) -> NDArray[np.uint8]:
        """What is known of noise, as bytes."""
        return np.frombuffer(self.noise.saved().tobytes(), np.uint8)

    def restore(self, saved: tuple[int, NDArray[np.uint8]] | None) -> None:
        """Go on with what `saved` gave, as the store has it."""
        if saved is not None:
            self.noise.restore(whole_records(saved[1].tobytes(), SAVED))

    def note(self, host: int, page: int, *blocks: bytes) -> None:
        """Remember the blocks of a page of a host, as they are now and were before."""
        hashes = np.unique(np.concatenate([read_blocks(one)["hash"] for one in blocks]))
        pages = self._host(host).pages
        pages[page] = hashes
        pages.move_to_end(page)
        if len(pages) > PAGES:
            pages.popitem(last=False)

    def find(self, host: int, revisit: PageRevisit, before: bytes, after: bytes) -> Finding:
        """Compare a revisit of a page with what it was before, and learn from them."""
        compared, known, page = compare(before, after), self._host(host), revisit[0]
        own = self._own(host, page, compared)
        known.revisits += 1
        met = self._notice(host, revisit, compared, own)
        if met is not None:
            for one in met:
                known.unsettled.pop(one, None)
                known.pages.pop(one[0], None)
            return Finding(0.0, is_notice=True, settled=[], notices=met)
        if not _is_rewritten(compared):
            self.noise.learn(host, page, compared)
        news = [one for one in own if not self.noise.is_noise(host, one)]
        self.noise.remember(host, compared.differences)
        self.note(host, page, before, after)
        settled = list(self._settled(host))
        if 0 < len(news) <= _MOST_UNSETTLED:
            known.unsettled[revisit] = known.revisits, news
        letters = sum(one.letters for one in (*compared.old, *compared.new))
        changed = sum(one.block.letters for one in news)
        share = min(changed / max(letters, 1), 1.0)
        return Finding(share, is_notice=False, settled=settled, notices=[])

    def _host(self, host: int) -> _Host:
        return lately_seen(self._hosts, host, _Host, HOSTS)

    def _others(self, host: int, page: int) -> list[NDArray[np.uint32]]:
        """Blocks of the other pages of a host, each page's by themselves."""
        return [known for one, known in self._host(host).pages.items() if one != page]

    def _settled(self, host: int) -> Iterator[PageRevisit]:
        unsettled = self._host(host).unsettled
        for revisit, (number, news) in list(unsettled.items()):
            if number + _UNSETTLED < self._host(host).revisits:
                del unsettled[revisit]
            elif all(self.noise.is_noise(host, one, _AGAIN) for one in news):
                del unsettled[revisit]
                yield revisit

    def _own(self, host: int, page: int, compared: Comparison) -> list[Difference]:
        """The differences of a page that are its own, and not those of its host."""
        others = self._others(host, page)
        found = compared.differences
        if not others or not found:
            return found
        some = {one.block.hash for one in found} | {one.hash for one in compared.old}
        hashes = np.array(sorted(some), np.uint32)
        counts = np.sum([np.isin(hashes, known) for known in others], axis=0)
        least = max(min(_AT_LEAST, len(others)), len(others) / 2)
        common = set(hashes[counts >= least].tolist())
        everywhere = set(hashes[counts >= _NEARLY_ALL * len(others)].tolist())
        places = set()
        left = {one.hash for one in compared.new} - common
        # A page of which nothing of its own is left has changed, wherever its new text stands.
        if len(others) >= _AT_LEAST and any(one.hash in left for one in compared.old):
            own = {one.place for one in compared.old if one.hash not in everywhere}
            places = {one.place for one in compared.old} - own
        return [
            one
            for one in found
            if one.is_figure or not (one.block.hash in common or one.places[0] in places)
        ]

    # -- notices ----------------------------------------------------------------------------------

    def _notice(
        self, host: int, revisit: PageRevisit, compared: Comparison, own: list[Difference]
    ) -> list[PageRevisit] | None:
        """Return the earlier revisits that met the same notice; None where this one met none."""
        had = sum(one.letters for one in compared.old)
        if not had:
            return None
        if not sum(one.letters for one in compared.new):
            return []
        known = self._host(host)
        gone = {one.block.hash for one in own if not one.is_new}
        fresh = {one.block.hash: one for one in compared.differences if one.is_new}
        # By shape: notices say when they were made, and for whom.
        news = (one for one in fresh.values() if not self.noise.is_at_noise(host, one))
        shows = hash(frozenset(one.block.shape >> 1 for one in news))
        if not fresh or not self._has_lost_all(host, revisit[0], compared, gone):
            return None
        if shows in known.notices:
            return []
        known.lost.append(_Lost(revisit, hash(frozenset(gone)), shows, known.revisits))
        while known.lost[0].number <= known.revisits - _AT_ONCE:
            known.lost.popleft()
        same = {one.revisit[0]: one for one in known.lost if one.shows == shows}
        least = min(_NOTICED, max(2, len({revisit[0], *known.pages})))
        if len({one.had for one in same.values()}) < least:
            return None
        known.notices.append(shows)
        return [one.revisit for one in same.values() if one.revisit != revisit]

    def _has_lost_all(self, host: int, page: int, compared: Comparison, gone: set[int]) -> bool:
        """Whether nearly all is gone that was the page's own."""
        others = self._others(host, page)
        everywhere = Counter(one for known in others for one in known.tolist())
        least = max(min(_AT_LEAST, len(others)), 1)
        own = [one for one in compared.old if everywhere[one.hash] < least]
        letters = sum(one.letters for one in own)
        lost = sum(one.letters for one in own if one.hash in gone)
        return letters > 0 and lost >= _NEARLY_ALL * letters


def _is_rewritten(compared: Comparison) -> bool:
    """Whether hardly anything is left of a page: that tells nothing of its places."""
    letters = sum(one.letters for one in compared.old)
    gone = sum(
        one.block.letters for one in compared.differences if not one.is_new and not one.is_figure
    )
    return gone >= _NEARLY_ALL * letters
