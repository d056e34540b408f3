"""What a change of a page is: its text held against what it was, block by block.

A block is what an element of the page shows: a paragraph, a heading, an entry of a list or menu.
Figures and dates are masked, so that a counter, a clock or "3 days ago" is no change. Of each block
32 bits and its number of letters are kept, so the share of the text that changed is exact.

What changes on all pages of a host is no change of any of them:

* blocks that other pages of the host have, or had, too: a new menu entry, another footer;
* blocks that are new among such blocks, or in the place of some;
* as few letters as change on every page that is looked at: advertisements, teasers.
"""

from __future__ import annotations

import re
from collections import OrderedDict, deque
from typing import TYPE_CHECKING, Final, NamedTuple
from zlib import crc32

import numpy as np

from frontier.utils import lately_seen

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

MOST_BLOCKS: Final = 400
"""Blocks of a page that are kept, 6 bytes each; what follows them is one block more."""
PAGES: Final = 8
"""Pages of a host by which it is known what all of them have in common: the last ones."""
HOSTS: Final = 500
"""Hosts of which that is known, those lately seen: some 25 KB each at most."""
_AT_LEAST: Final = 2
"""Other pages that must have a block for it to be the host's, once so many are known."""
_NOISE_PAGES: Final = 3
"""Looks at other pages that tell how much changes everywhere."""
_NOISE: Final = 150
"""Letters that that can be: a page has more to say than an advertisement."""
_MARGIN: Final = 1.5
_BLOCK: Final = np.dtype([("hash", "<u4"), ("letters", "<u2")])
_MONTHS = "january february march april may june july august september october november december"
_DAYS = "monday tuesday wednesday thursday friday saturday sunday"
_NAMES = "|".join(f"{name}|{name[:3]}" for name in f"{_MONTHS} {_DAYS}".split())
_UNITS = "(?:second|minute|hour|day|week|month|year)s?"
_MASKED = re.compile(rf"\d+(?:st|nd|rd|th)?|\b(?:{_NAMES}|{_UNITS}|today|yesterday)\b")


def blocks_of(texts: Iterable[str], links: Iterable[str] = ()) -> bytes:
    """Return the blocks of a page as they are kept: 6 bytes each, those without letters left out.

    Args:
        texts: of its blocks, in the order of the page.
        links: addresses that it links to; each is a block of one letter.

    """
    kept: list[tuple[int, int]] = []
    rest: list[str] = []
    for text in texts:
        masked = _MASKED.sub("0", text.casefold())
        if len(kept) >= MOST_BLOCKS:
            rest.append(masked)
        elif any(map(str.isalpha, masked)):
            kept.append((crc32(masked.encode("utf-8", "replace")), min(len(masked), 65535)))
    if rest:
        joined = "\n".join(rest)
        kept.append((crc32(joined.encode("utf-8", "replace")), min(len(joined), 65535)))
    addresses = sorted({_MASKED.sub("0", link) for link in links})
    kept += [(crc32(one.encode("utf-8", "replace")), 1) for one in addresses[:MOST_BLOCKS]]
    return np.array(kept, _BLOCK).tobytes()


def block_of_bytes(body: bytes) -> bytes:
    """Return as the one block of what is no text its whole body."""
    return np.array([(crc32(body), min(len(body), 65535))], _BLOCK).tobytes()


class _HostTexts(NamedTuple):
    """What pages of a host have shown lately, and how much of each changed."""

    pages: OrderedDict[int, NDArray[np.uint32]]
    changed: deque[tuple[int, int]]


def _new_host() -> _HostTexts:
    return _HostTexts(OrderedDict(), deque(maxlen=PAGES))


class ChangeFinder:
    """Holds pages against what they were; remembers what their hosts have in common."""

    def __init__(self) -> None:
        self._hosts: OrderedDict[int, _HostTexts] = OrderedDict()

    def note(self, host: int, page: int, *blocks: bytes) -> None:
        """Remember the blocks of a page of a host, as they are now and were before."""
        hashes = np.unique(np.concatenate([_read(one)["hash"] for one in blocks]))
        pages = self._host(host).pages
        pages[page] = hashes
        pages.move_to_end(page)
        if len(pages) > PAGES:
            pages.popitem(last=False)

    def share(self, host: int, page: int, before: bytes, after: bytes) -> float:
        """Return the share of the text of a page that changed, [0, 1]; 0: it did not change.

        Both texts count, with what one has and the other has not. Notes the page.
        """
        old, new = _read(before), _read(after)
        own_old, own_new = self._own(host, page, old["hash"]), self._own(host, page, new["hash"])
        gone = own_old & ~np.isin(old["hash"], new["hash"])
        fresh = own_new & ~np.isin(new["hash"], old["hash"])
        fresh &= ~_among_common(old["hash"], new["hash"], gone, fresh, own_new)
        changed = int(old["letters"][gone].sum()) + int(new["letters"][fresh].sum())
        self.note(host, page, before, after)
        noise = self._noise(host, page, changed)
        letters = int(old["letters"].sum()) + int(new["letters"].sum())
        if changed <= _MARGIN * noise or not letters:
            return 0.0
        return changed / letters

    def _host(self, host: int) -> _HostTexts:
        return lately_seen(self._hosts, host, _new_host, HOSTS)

    def _own(self, host: int, page: int, hashes: NDArray[np.uint32]) -> NDArray[np.bool_]:
        """Which blocks of a page are its own, and not those of its host."""
        others = [known for one, known in self._host(host).pages.items() if one != page]
        if not others:
            return np.ones(len(hashes), np.bool_)
        found, counts = np.unique(np.concatenate(others), return_counts=True)
        own: NDArray[np.bool_] = ~np.isin(hashes, found[counts >= min(_AT_LEAST, len(others))])
        return own

    def _noise(self, host: int, page: int, changed: int) -> int:
        """Letters that change on every page of a host; takes in that of a page so many did."""
        looks = self._host(host).changed
        others = dict(one for one in looks if one[0] != page)
        looks.append((page, changed))
        return min(min(others.values()), _NOISE) if len(others) >= _NOISE_PAGES else 0


def _read(blocks: bytes) -> NDArray[np.void]:
    return np.frombuffer(blocks[: len(blocks) // _BLOCK.itemsize * _BLOCK.itemsize], _BLOCK)


def _among_common(
    old: NDArray[np.uint32],
    new: NDArray[np.uint32],
    gone: NDArray[np.bool_],
    fresh: NDArray[np.bool_],
    own: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """Which new blocks stand among, or in the place of, blocks of the host.

    A page of which nothing of its own is left has changed, wherever its new text stands.
    """
    among = np.zeros(len(new), np.bool_)
    if not (own & ~fresh).any():
        return among
    places = {int(value): at for at, value in reversed(list(enumerate(old)))}
    edges = np.flatnonzero(np.diff(np.concatenate([[False], fresh, [False]]).astype(np.int8)))
    for first, end in edges.reshape(-1, 2).tolist():
        beside = [at for at in (first - 1, end) if 0 <= at < len(new)]
        start = places.get(int(new[first - 1]), len(old)) + 1 if first else 0
        stop = places.get(int(new[end]), len(old)) if end < len(new) else len(old)
        replaced = ~np.isin(old[start:stop], new)
        of_host = replaced.any() or (beside and not any(own[at] for at in beside))
        among[first:end] = of_host and not gone[start:stop].any()
    return among
