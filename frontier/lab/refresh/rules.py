"""Rules that choose the next page to revisit: the frontier's, and others for comparison.

sweep    the page not seen for longest
nutch    Nutch's AdaptiveFetchSchedule: the time between two revisits grows by 40 % after a revisit
         that finds no change and shrinks by 20 % after one that does; the most overdue page first
cho      rates by Cho & Garcia-Molina's estimator for each page alone, revisits by their worth
auto     FRONTIER_REFRESH = auto
true     revisits by their worth, with the true number of changes of each page
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import numpy as np

from frontier.refresh.chances import ChangeChances
from frontier.refresh.worth import UNSEEN_EVERY, due, worth

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from frontier.web.changelog import ChangeLog
    from ranking.arrays import BoolArray, FloatArray, LongArray

_NUTCH_FIRST: Final = 10 * 86400.0
_NUTCH_BOUNDS: Final = (86400.0, 365 * 86400.0)


class RevisitRule:
    """A sweep; subclasses give a revisit of a page another value."""

    def __init__(self, log: ChangeLog, importance: FloatArray) -> None:
        self._log = log
        self._importance = importance
        self._last = np.zeros(len(log))

    def add(self, pages: LongArray, at: float) -> None:
        """Add pages that were found and fetched."""
        self._last[pages] = at

    def signal(self, pages: LongArray) -> None:
        """Note that sitemaps announce changes of pages."""

    def revisited(self, pages: LongArray, at: float, changed: BoolArray) -> None:
        """Learn from revisits."""
        self._last[pages] = at

    def next(self, known: BoolArray, now: float, most: int) -> LongArray:
        """The known pages to revisit, `most` at most."""
        values = np.where(known, self.values(now), -np.inf)
        order = np.argsort(-values, kind="stable")[:most]
        return order[known[order]]

    def values(self, now: float) -> FloatArray:
        """The value of a revisit of each page."""
        return now - self._last


class Nutch(RevisitRule):
    """An adaptive interval for each page."""

    def __init__(self, log: ChangeLog, importance: FloatArray) -> None:
        super().__init__(log, importance)
        self._interval = np.full(len(log), _NUTCH_FIRST)

    def revisited(self, pages: LongArray, at: float, changed: BoolArray) -> None:
        super().revisited(pages, at, changed)
        longer = self._interval[pages] * np.where(changed, 0.8, 1.4)
        self._interval[pages] = np.clip(longer, *_NUTCH_BOUNDS)

    def values(self, now: float) -> FloatArray:
        overdue: FloatArray = (now - self._last) / self._interval
        return overdue


class ChoGarciaMolina(RevisitRule):
    """A rate for each page from its own changes."""

    def __init__(self, log: ChangeLog, importance: FloatArray) -> None:
        super().__init__(log, importance)
        self._revisits, self._changed, self._watched = np.zeros((3, len(log)))

    def revisited(self, pages: LongArray, at: float, changed: BoolArray) -> None:
        self._revisits[pages] += 1
        self._changed[pages] += changed
        self._watched[pages] += at - self._last[pages]
        super().revisited(pages, at, changed)

    def values(self, now: float) -> FloatArray:
        unchanged = (self._revisits - self._changed + 0.5) / (self._revisits + 0.5)
        every: FloatArray = self._watched / np.maximum(self._revisits, 1)
        # Without a change seen the estimate is 0, and the page would never be revisited.
        rates = np.maximum(-np.log(unchanged) / np.maximum(every, 1.0), 1e-9)
        return _worth_of(self._importance, rates, now - self._last)


class Auto(RevisitRule):
    """The rule of a crawl with FRONTIER_REFRESH = auto."""

    def __init__(self, log: ChangeLog, importance: FloatArray) -> None:
        super().__init__(log, importance)
        folders: dict[str, int] = {}
        hosts: dict[str, int] = {}
        self._folder = [folders.setdefault(_folder(url), len(folders)) for url in log.urls]
        self._host = [hosts.setdefault(urlsplit(url).netloc, len(hosts)) for url in log.urls]
        self._chances = ChangeChances()
        self._row = np.zeros(len(log), np.int64)
        self._page: list[int] = []

    def add(self, pages: LongArray, at: float) -> None:
        for page in pages.tolist():
            self._row[page] = self._chances.add(at, self._folder[page], self._host[page])
            self._page.append(page)

    def signal(self, pages: LongArray) -> None:
        self._chances.signal(self._row[pages])

    def revisited(self, pages: LongArray, at: float, changed: BoolArray) -> None:
        self._chances.revisited(self._row[pages], at, changed)

    def next(self, known: BoolArray, now: float, most: int) -> LongArray:
        pages = np.array(self._page, np.int64)
        important = np.where(known, self._importance, -1.0)[pages]
        rows = due(important, self._chances, now, most, 1 / UNSEEN_EVERY)
        return pages[rows]


class TrueRates(RevisitRule):
    """The true rates, which no crawl knows."""

    def __init__(self, log: ChangeLog, importance: FloatArray) -> None:
        super().__init__(log, importance)
        self._rates = (np.bincount(log.pages, minlength=len(log)) + 0.2) / log.seconds

    def values(self, now: float) -> FloatArray:
        return _worth_of(self._importance, self._rates, now - self._last)


RULES: Final[dict[str, Callable[[ChangeLog, FloatArray], RevisitRule]]] = {
    "sweep": RevisitRule,
    "nutch": Nutch,
    "cho": ChoGarciaMolina,
    "auto": Auto,
    "true": TrueRates,
}


def _worth_of(importance: FloatArray, rates: npt.ArrayLike, since: FloatArray) -> FloatArray:
    """The worth of revisits of pages that change at random, unseen for so many seconds."""
    own = np.asarray(rates, np.float64)
    return worth(importance, own, np.minimum(-np.expm1(-own * since), np.nextafter(1.0, 0.0)))


def _folder(url: str) -> str:
    return url.rstrip("/").rpartition("/")[0]
