"""The chance that a known page has changed since its last revisit.

A revisit tells whether a page changed, not how often (Cho & Garcia-Molina 2003, "Estimating
frequency of change"). A change after a time t, of a page with an estimated rate r of changes,
therefore counts as r t / (1 - exp(-r t)) changes: the expected number of a Poisson process that had
any.

Most pages have too few revisits for a rate of their own. So the rate of a page is drawn to that of
its folder, that of a folder to that of its host, and that of a host to that of the crawl:

    rate = (changes + STRENGTH) / (time watched + STRENGTH / rate of the group above),

the mean of the rate, gamma distributed around that of the group above, given the changes.

Changes come together: somebody works on a folder, or a whole site is edited at once. So the ratio
of changes to expected changes at the last revisits of a folder, drawn to that of the host, counts
for the other pages of the folder: their rates are multiplied by it.

A *signal* that a page has changed is a newer date in a sitemap, a feed or beside a link to it.
Revisits tell the value of the signals of a host: their precision, the share of unexpected changes
among the pages with a signal, and how many of the expected changes came without one. A sitemap that
is always of today has no value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from ranking.arrays import BoolArray, Column, FloatArray, IntArray, LongArray, SingleArray

DAY: Final = 86400.0
FIRST_RATE: Final = 1 / (30 * DAY)
"""Changes a second that are assumed at first: one a month."""
FIRST_STRENGTH: Final = 0.1
"""Changes that FIRST_RATE counts for: few, for a crawl soon has figures of its own."""
STRENGTH: Final = 1.0
"""Changes that the rate of the group above counts for."""
RECENT: Final = 30.0
"""Revisits of a folder or host after which the result of a revisit counts for a third."""
EXPECTED: Final = 3.0
"""Expected changes that the ratio of the group above counts for."""
MOST_AT_ONCE: Final = (0.5, 100.0)
"""Bounds of the ratio of changes to expected changes."""
FIRST_REVISITS: Final = 3.0
"""Revisits that the precision assumed for the signals of a host at first counts for."""
FIRST_PRECISION: Final = 0.5
_SIGN: Final = np.uint16(1 << 15)
_HALF: Final = 1 << 15


class ChangeChances:
    """Estimates from all revisits so far. Pages are rows, numbered as they are added.

    A row takes 12 bytes: the time of its last revisit, how long it was watched, its changes with
    the signal as their sign, and its folder. Folders and hosts take 36 and 64 bytes each.
    """

    def __init__(self, first_rate: float = FIRST_RATE) -> None:
        """Begin without pages; `first_rate` > 0 is the changes a second of a page of which nothing
        else is known.
        """
        self._first_rate = first_rate
        self._last = Column(np.uint32)
        self._watched = Column(np.uint16)
        self._changes = Column(np.uint16)
        self._folder = Column(np.int32)
        self._hosts_of_folders = Column(np.int32)
        self._folders, self._hosts, self._crawl = _Totals(), _Totals(), _Totals()
        self._signalled, self._unsignalled = _Totals(), _Totals()
        self._folders_lately, self._hosts_lately = _Recent(), _Recent()
        self._crawl.grow(1)
        self.revisits = 0
        """Revisits learned from."""

    def __len__(self) -> int:
        return len(self._last.array)

    @property
    def last(self) -> NDArray[np.uint32]:
        """Unix seconds of the last revisit of each page."""
        return self._last.array

    def add(self, at: float, folder: int, host: int) -> int:
        """Add a page that was fetched for the first time; returns its row.

        `at` is in Unix seconds; folders and hosts are numbered densely from 0, and a folder always
        has the same host.
        """
        self._last.push(at)
        for column in (self._watched, self._changes):
            column.push(0)
        self._folder.push(folder)
        self._grow(folder + 1, host + 1)
        self._hosts_of_folders.array[folder] = host
        return len(self) - 1

    def restore(
        self,
        first: npt.ArrayLike,
        last: npt.ArrayLike,
        changes: npt.ArrayLike,
        folders: IntArray | LongArray,
        hosts: IntArray | LongArray,
    ) -> None:
        """Add n pages as stored, in the order of their rows.

        Args:
            first: Unix seconds of the first fetch of each.
            last: Unix seconds of its last revisit.
            changes: as `changes` gave them after that.
            folders: as in `add`.
            hosts: as in `add`.

        """
        seen = np.asarray(changes, np.float64)
        watched = np.maximum(np.asarray(last, np.float64) - np.asarray(first, np.float64), 0.0)
        self._last.extend(np.asarray(last))
        self._watched.extend(_packed(watched, _HALF))
        self._changes.extend(_packed(seen, _HALF))
        self._folder.extend(folders)
        self._grow(int(folders.max(initial=-1)) + 1, int(hosts.max(initial=-1)) + 1)
        self._hosts_of_folders.array[folders] = hosts
        self._learn(folders, seen, watched)

    def _grow(self, folders: int, hosts: int) -> None:
        if folders > len(self._hosts_of_folders.array):
            self._hosts_of_folders.resize(folders)
            self._folders.grow(folders)
            self._folders_lately.grow(folders)
        for totals in (self._hosts, self._hosts_lately, self._signalled, self._unsignalled):
            totals.grow(hosts)

    def _learn(
        self, folders: IntArray | LongArray, changes: FloatArray, watched: FloatArray
    ) -> None:
        self._folders.add(folders, changes, watched)
        self._hosts.add(self._hosts_of_folders.array[folders], changes, watched)
        self._crawl.add(np.zeros_like(folders), changes, watched)

    def signal(self, rows: Sequence[int] | LongArray) -> None:
        """Note a signal that pages have changed since their last revisit."""
        self._changes.array[rows] |= _SIGN

    def changes(self, rows: LongArray) -> FloatArray:
        """float64[k] >= 0: estimated changes of each page since it was added."""
        return _unpacked(self._changes.array[rows] & ~_SIGN).astype(np.float64)

    def revisited(self, rows: LongArray, at: float, changed: BoolArray) -> None:
        """Learn whether pages (k,), each once, had changed at a revisit `at` Unix seconds.

        A clock that was set back makes the time since the last revisit 0.
        """
        self.revisits += len(rows)
        rates, folders = self.rates(rows), self._folder.array[rows]
        hosts = self._hosts_of_folders.array[folders]
        since = np.maximum(at - self._last.array[rows], 0.0)
        expected = -np.expm1(-rates * since)
        signalled = self._changes.array[rows] >= _SIGN
        missed = np.minimum(self._unsignalled.share(1.0)[hosts], 1.0)
        lately = -np.expm1(-rates * missed * since)[~signalled]
        self._folders_lately.add(folders[~signalled], changed[~signalled], lately)
        self._hosts_lately.add(hosts[~signalled], changed[~signalled], lately)
        unexpected = (changed - expected)[signalled]
        self._signalled.add(hosts[signalled], unexpected, (1 - expected)[signalled])
        self._unsignalled.add(hosts[~signalled], changed[~signalled], expected[~signalled])
        censored = np.divide(rates * since, expected, out=np.ones(len(rows)), where=expected > 0)
        changes = np.where(changed, censored, 0.0)
        self._learn(folders, changes, since)
        dither = _dither(rows, at)
        self._changes.array[rows] = _packed(self.changes(rows) + changes, dither)
        self._watched.array[rows] = _packed(_unpacked(self._watched.array[rows]) + since, dither)
        self._last.array[rows] = np.maximum(at, self._last.array[rows])

    def retract(self, row: int, changes: float) -> None:
        """Take back changes of a page that turned out to be noise."""
        rows = np.array([row])
        kept = np.maximum(self.changes(rows) - changes, 0.0)
        self._learn(self._folder.array[rows], kept - self.changes(rows), np.zeros(1))
        signs = self._changes.array[rows] & _SIGN
        self._changes.array[rows] = _packed(kept, _HALF) | signs

    def seen(self, rows: LongArray, at: float) -> None:
        """Note revisits of pages (k,) that do not tell whether the pages had changed."""
        self._last.array[rows] = np.maximum(at, self._last.array[rows])
        self._changes.array[rows] &= ~_SIGN

    def rates(self, rows: LongArray | slice) -> FloatArray:
        """float64[k]: changes a second of each page."""
        folders = self._folder.array[rows]
        if len(folders) < len(self._hosts_of_folders.array):
            above = self._folder_rates(folders)
        else:
            above = self._folder_rates(slice(None))[folders]
        changes, watched = self._changes.array[rows] & ~_SIGN, self._watched.array[rows]
        return _drawn(_unpacked(changes), _unpacked(watched), above)

    def _folder_rates(self, folders: IntArray | slice) -> FloatArray:
        every = self._crawl
        crawl = _drawn(every.events.array, every.of.array, self._first_rate, FIRST_STRENGTH)
        hosts = _drawn(self._hosts.events.array, self._hosts.of.array, crawl)
        above = hosts[self._hosts_of_folders.array[folders]]
        return _drawn(self._folders.events.array[folders], self._folders.of.array[folders], above)

    def chances(self, rows: LongArray | slice, now: float) -> FloatArray:
        """float64[k] in [0, 1): that each page has changed since its last revisit."""
        return self.estimates(rows, now)[1]

    def estimates(self, rows: LongArray | slice, now: float) -> tuple[FloatArray, FloatArray]:
        """Return `rates` and `chances`, both float64[k]."""
        rates, folders = self.rates(rows), self._folder.array[rows]
        times = self._hosts_lately.share(1.0, EXPECTED)[self._hosts_of_folders.array]
        times = np.clip(self._folders_lately.share(times, EXPECTED), *MOST_AT_ONCE)
        times *= np.minimum(self._unsignalled.share(1.0), 1.0)[self._hosts_of_folders.array]
        unchanged = np.maximum(now - self._last.array[rows], 0.0)
        unchanged *= -rates
        unchanged *= times[folders]
        np.exp(unchanged, out=unchanged)
        doubt = 1 - np.clip(self._signalled.share(FIRST_PRECISION), 0, 1)
        signalled = np.flatnonzero(self._changes.array[rows] >= _SIGN)
        unchanged[signalled] *= doubt[self._hosts_of_folders.array[folders[signalled]]]
        return rates, np.minimum(1 - unchanged, np.nextafter(1.0, 0.0))


class _Totals:
    """Events, and what they are counted of, by group."""

    def __init__(self) -> None:
        self.events = Column(np.float64)
        self.of = Column(np.float64)

    def grow(self, n: int) -> None:
        self.events.resize(n)
        self.of.resize(n)

    def add(
        self, groups: IntArray | LongArray, events: FloatArray | BoolArray, of: FloatArray
    ) -> None:
        np.add.at(self.events.array, groups, events)
        np.add.at(self.of.array, groups, of)

    def share(self, at_first: FloatArray | float, of: float = FIRST_REVISITS) -> FloatArray:
        """Events a unit of `self.of`, drawn to `at_first` as by `of` units more."""
        share: FloatArray = (self.events.array + of * at_first) / (self.of.array + of)
        return share


class _Recent(_Totals):
    """The same of the last revisits of a group: earlier ones fade with each revisit."""

    def add(
        self, groups: IntArray | LongArray, events: FloatArray | BoolArray, of: FloatArray
    ) -> None:
        distinct, revisits = np.unique(groups, return_counts=True)
        kept = np.exp(-revisits / RECENT)
        self.events.array[distinct] *= kept
        self.of.array[distinct] *= kept
        super().add(groups, events, of)


def _drawn(
    changes: FloatArray | SingleArray,
    watched: FloatArray | SingleArray,
    above: FloatArray | float,
    strength: float = STRENGTH,
) -> FloatArray:
    """Rates of so many changes in so many seconds, drawn to the rates above."""
    rates: FloatArray = np.add(changes, strength, dtype=np.float64)
    rates /= watched + strength / above
    return rates


def _packed(values: npt.ArrayLike, dither: npt.ArrayLike) -> NDArray[np.uint16]:
    """The upper halves of float32 >= 0, rounded up as often as their lower halves are large.

    So a sum of many small values does not stop growing, though a value has 8 bits only.
    """
    bits = np.asarray(values, np.float32).view(np.uint32)
    return ((bits + np.asarray(dither, np.uint32)) >> 16).astype(np.uint16)


def _unpacked(halves: NDArray[np.uint16]) -> SingleArray:
    bits = halves.astype(np.uint32)
    bits <<= np.uint32(16)
    return bits.view(np.float32)


def _dither(rows: LongArray, at: float) -> NDArray[np.uint32]:
    """uint32[k] below 2**16, evenly spread, the same for the same revisits (Fibonacci hashing)."""
    spread = (rows + int(at)).astype(np.uint32) * np.uint32(0x9E3779B1)
    upper: NDArray[np.uint32] = spread >> np.uint32(16)
    return upper
