"""How likely known pages have changed since they were last looked at.

Between two looks one sees whether a page changed, and not how often (Cho & Garcia-Molina 2003,
"Estimating frequency of change"). A look that finds a change after a time t, of a page that is
thought to change at a rate r, therefore counts as r t / (1 - exp(-r t)) changes: what a Poisson
process is expected to have had where it had any.

Most pages are looked at too seldom to be known by themselves. So the rate of a page is drawn to
that of its folder, that of a folder to that of its host, and that of a host to that of the crawl:

    rate = (changes + STRENGTH) / (time watched + STRENGTH / rate of the group above),

the mean of the rate, gamma distributed around that of the group above, given what was seen.

A *signal* says that a page has changed: a sitemap or feed with a newer date, a page that links to
it with one. What signals of a host are worth is learned from looks: in how many of the pages that
would not have been expected to have changed it was right (its precision), and how many of the
expected changes came without one. A host whose sitemap always says today says nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ranking.arrays import Column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ranking.arrays import BoolArray, FloatArray, IntArray, LongArray

DAY: Final = 86400.0
FIRST_RATE: Final = 1 / (30 * DAY)
"""Changes a second that a crawl begins with: one a month."""
STRENGTH: Final = 1.0
"""Changes that the rate of the group above counts for."""
LOOKS: Final = 3.0
"""Looks that what is thought of the signals of a host at first counts for."""
FIRST_PRECISION: Final = 0.5


class ChangeChances:
    """What looks have shown so far. Pages are rows, numbered as they are added.

    A row takes 21 bytes: two times, changes, folder, host, signal.
    """

    def __init__(self) -> None:
        self._first = Column(np.uint32)
        self._last = Column(np.uint32)
        self._changes = Column(np.float32)
        self._folder = Column(np.int32)
        self._host = Column(np.int32)
        self._signalled = Column(np.bool_)
        self._hosts_of_folders = Column(np.int32)
        self._folders, self._hosts = _Totals(), _Totals()
        self._told, self._untold = _Totals(), _Totals()

    def __len__(self) -> int:
        return len(self._last.array)

    @property
    def last(self) -> NDArray[np.uint32]:
        """Unix seconds of the last look at each page."""
        return self._last.array

    def add(self, at: float, folder: int, host: int) -> int:
        """Add a page that was fetched for the first time; returns its row.

        `at` is in Unix seconds; folders and hosts are numbered densely from 0.
        """
        for column, value in (
            (self._first, at),
            (self._last, at),
            (self._changes, 0),
            (self._folder, folder),
            (self._host, host),
            (self._signalled, False),
        ):
            column.push(value)
        self._hosts_of_folders.resize(folder + 1)
        self._hosts_of_folders.array[folder] = host
        self._folders.grow(folder + 1)
        for totals in (self._hosts, self._told, self._untold):
            totals.grow(host + 1)
        return len(self) - 1

    def signal(self, rows: Sequence[int] | LongArray) -> None:
        """Note that pages are said to have changed since their last look."""
        self._signalled.array[rows] = True

    def looked(self, rows: LongArray, at: float, changed: BoolArray) -> None:
        """Learn from looks at pages (k,), each once, `at` Unix seconds; whether they had changed.

        A clock that was set back makes the time since the last look 0.
        """
        rates, hosts = self.rates(rows), self._host.array[rows]
        since = np.maximum(at - self._last.array[rows], 0.0)
        expected = -np.expm1(-rates * since)
        signalled = self._signalled.array[rows]
        surprise = (changed - expected)[signalled]
        self._told.add(hosts[signalled], surprise, (1 - expected)[signalled])
        self._untold.add(hosts[~signalled], changed[~signalled], expected[~signalled])
        censored = np.divide(rates * since, expected, out=np.ones(len(rows)), where=expected > 0)
        changes = np.where(changed, censored, 0.0)
        self._changes.array[rows] += changes
        self._folders.add(self._folder.array[rows], changes, since)
        self._hosts.add(hosts, changes, since)
        self._last.array[rows] = np.maximum(at, self._last.array[rows])
        self._signalled.array[rows] = False

    def rates(self, rows: LongArray) -> FloatArray:
        """float64[k]: changes a second of each page."""
        last, first = self._last.array[rows], self._first.array[rows]
        folders = self._folder_rates()[self._folder.array[rows]]
        watched = (last - first).astype(np.float64)
        return _drawn(self._changes.array[rows], watched, folders)

    def _folder_rates(self) -> FloatArray:
        crawl = _drawn(self._hosts.events.array.sum(), self._hosts.of.array.sum(), FIRST_RATE)
        hosts = _drawn(self._hosts.events.array, self._hosts.of.array, crawl)
        above = hosts[self._hosts_of_folders.array]
        return _drawn(self._folders.events.array, self._folders.of.array, above)

    def chances(self, rows: LongArray, now: float) -> FloatArray:
        """float64[k] in [0, 1): that each page has changed since its last look."""
        hosts, signalled = self._host.array[rows], self._signalled.array[rows]
        since = np.maximum(now - self._last.array[rows], 0.0)
        left = np.minimum(self._untold.share(1.0)[hosts], 1.0)
        unchanged = np.exp(-self.rates(rows) * left * since)
        precision = np.clip(self._told.share(FIRST_PRECISION)[hosts], 0, 1)
        chances: FloatArray = 1 - unchanged * np.where(signalled, 1 - precision, 1.0)
        return np.minimum(chances, np.nextafter(1.0, 0.0))


class _Totals:
    """Events, and how much of something they came of, by group."""

    def __init__(self) -> None:
        self.events = Column(np.float64)
        self.of = Column(np.float64)

    def grow(self, n: int) -> None:
        self.events.resize(n)
        self.of.resize(n)

    def add(self, groups: IntArray, events: FloatArray | BoolArray, of: FloatArray) -> None:
        np.add.at(self.events.array, groups, events)
        np.add.at(self.of.array, groups, of)

    def share(self, at_first: float) -> FloatArray:
        """Events by what they came of, as of LOOKS more with the share that is thought at first."""
        share: FloatArray = (self.events.array + at_first * LOOKS) / (self.of.array + LOOKS)
        return share


def _drawn(changes: object, watched: object, above: object) -> FloatArray:
    """Rates of what changed so often in so many seconds, drawn to those above."""
    seen, time, rate = (np.asarray(values, np.float64) for values in (changes, watched, above))
    rates: FloatArray = (seen + STRENGTH) / (time + STRENGTH / rate)
    return rates
