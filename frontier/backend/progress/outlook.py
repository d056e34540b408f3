"""The relevant pages that a running crawl has not fetched: how many, and whether that is known.

Their number is estimated by how the harvest rate falls (`frontier.estimates.remaining`), which
holds only where most queued URLs were discovered long ago. It is not known

* while relevant pages keep leading to others: of a list in parts, or a chain of next links, the
  queue never holds more than the next part, however much comes after it;
* while a host is not searched: its URLs are as good as those of the pages that were wanted, and
  wait because it is slow or wants a pause;
* while few pages were relevant: is the topic rare, or does the topic model not recognize it?

URLs look alike where both or neither are linked from a relevant page, and both or neither are
predicted to be relevant. How likely one is relevant follows from the fetched ones that look like
it, the recent ones first. So each page has brought a number of relevant pages: those among the URLs
that it was the first to link to, fetched or not. The recent pages bring on `growth` others for each
relevant one of them: at most, as that is counted from few pages and most of them bring none while
some bring hundreds. A growth of a half doubles what is left, and of one has no end.

All is counted in judged pages of this run, so that crawls of the same web know the same.
"""

from __future__ import annotations

import math
from array import array
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from frontier.estimates import FEWEST_JUDGED, FOUR_OF_FIVE, LAST, RECENT, Outlook, remaining
from frontier.formatting import counted
from frontier.queue.tiers import ABSENT
from frontier.states import State

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from frontier.backend.backend import LinkRankBackend
    from frontier.config import CrawlConfig
    from frontier.estimates import Harvest
    from ranking.arrays import FloatArray, LongArray

MOST_GROWTH = 0.5
"""Growth from which the number left is not known: it would be twice the known number, or more."""
_FEWEST = 20
"""Relevant pages of the crawl before the number left is estimated."""
_LIKELY = 0.5
"""Relevant pages, or the chance that a URL is one: more likely than not."""
_SHARE = 0.01
"""Of the judged pages that must be new before all is counted anew."""
_MEMORY = 10
"""Last pages of a host that count: once a host was searched, they are not relevant any more."""
_BEFORE = 3
"""Pages of a host as which it counts what its URLs look like: the first may be but a list."""
_AS_GOOD = 0.5
"""Of the harvest rate: URLs that are less likely relevant do not keep a crawl open."""
_PAUSE = 1.0
"""Seconds; hosts that want a longer pause than any crawl makes wait."""


class Forecast:
    """Counts what the judged pages of this run have brought."""

    def __init__(self, backend: LinkRankBackend, config: CrawlConfig) -> None:
        self._pause_of: Callable[[str], float] = lambda _: 0.0
        self._backend = backend
        self._relevant_from = config.relevant
        self._pages = array("q")
        self._known = array("q", [len(backend.ledger)])
        """URLs that were known before the first page, and after each."""
        self._recent_of_hosts = dict[int, tuple[int, float]]()
        """Judged pages of a host, and the share of relevant ones among its last."""
        self._outlook, self._due = Outlook(), 0

    @property
    def pages(self) -> int:
        """Judged pages of this run."""
        return len(self._pages)

    def heed_pauses(self, pause_of: Callable[[str], float]) -> None:
        """Ask a function from now on for how many seconds a host is to be left alone."""
        self._pause_of = pause_of

    def page(self, url_id: int, *, relevant: bool) -> None:
        """Count a judged page whose links are known."""
        self._pages.append(url_id)
        self._known.append(len(self._backend.ledger))
        if url_id >= self._backend.driver.evidence.n:
            return  # a strategy failed at it
        host = self._backend.ledger.host_of(url_id)
        n, share = self._recent_of_hosts.get(host, (0, 0.0))
        n += 1
        self._recent_of_hosts[host] = n, share + (relevant - share) / min(n, _MEMORY)

    def outlook(self, harvest: Harvest, queued: int, known: int, *, falling: bool) -> Outlook:
        """Estimate the pages left, at most some pages old; arguments as of `remaining`."""
        if self.pages >= self._due:
            self._due = self.pages + max(1, int(_SHARE * self.pages))
            self._outlook = self._recomputed(harvest, queued, known, falling=falling)
        return self._outlook

    def _recomputed(self, harvest: Harvest, queued: int, known: int, *, falling: bool) -> Outlook:
        if self.pages < FEWEST_JUDGED:
            return Outlook()
        worth = self._worth(harvest.relevant / harvest.pages)
        unsearched = self._unsearched(worth, harvest)
        growth = self._growth(worth.values)
        if unsearched:
            hosts = counted(len(unsearched), "host")
            waits = "waits" if len(unsearched) == 1 else "wait"
            unknown = f"{hosts} with URLs that look relevant {waits}, such as {unsearched[0]}"
            return Outlook(None, unknown, growth, unsearched)
        if growth >= MOST_GROWTH and float(worth.values[worth.queued].sum()) >= _LIKELY:
            unknown = f"relevant pages still lead to new ones (at most {growth:.2g} each)"
            return Outlook(None, unknown, growth)
        if harvest.relevant < _FEWEST:
            pages = counted(harvest.relevant, "page")
            return Outlook(None, f"only {pages} judged relevant, {_FEWEST} are needed", growth)
        grown = 1.0 / (1.0 - min(growth, MOST_GROWTH))
        left = remaining(harvest, queued, known, falling=falling, most=math.ceil(queued * grown))
        return Outlook(left, "", growth)

    # -- what URLs are worth ----------------------------------------------------------------------

    def _worth(self, overall: float) -> _Worth:
        """Relevance of all URLs, known or by those that look alike."""
        ledger, evidence = self._backend.ledger, self._backend.driver.evidence
        n = evidence.n
        states = ledger.state.array[:n]
        alike = 2 * (evidence.parent_max >= np.float32(self._relevant_from)).astype(np.intp)
        alike += evidence.predicted >= np.float32(_LIKELY)
        relevant = evidence.fetched & (states == State.CRAWLED)
        relevant &= evidence.relevance >= np.float32(self._relevant_from)
        pages = self._ids(n)
        ever = _shares(alike[pages], relevant[pages], np.full(4, overall))
        recent = pages[-self._recent :]
        lately = _shares(alike[recent], relevant[recent], ever)
        waits = (states == State.QUEUED) | (states == State.LEASED)
        queued = np.flatnonzero(waits & ~evidence.fetched)  # no revisits
        values = relevant.astype(np.float64)
        values[queued] = lately[alike[queued]]
        likely = np.where(evidence.seed[queued], 1.0, ever[alike[queued]])
        return _Worth(values, queued, likely)

    def _ids(self, n: int) -> LongArray:
        """Ids below `n` of judged pages: a page at which a strategy failed may have no row."""
        pages = np.array(self._pages)
        return pages[pages < n]

    @property
    def _recent(self) -> int:
        """How many of the pages are recent."""
        return max(LAST, int(RECENT * self.pages))

    def _growth(self, values: FloatArray) -> float:
        linked = values.copy()
        linked[self._backend.driver.evidence.seed] = 0.0  # which no page has brought
        sums = np.concatenate([[0.0], np.cumsum(linked)])
        brought = np.diff(sums[np.minimum(np.array(self._known), len(linked))])
        # Of the later half: a page that leads to many may be followed by as many that do not.
        some = max(LAST, self.pages // 2)
        relevant = float(values[self._ids(len(values))[-some:]].sum())
        if not relevant:
            return 0.0
        recent = brought[-some:]
        most = recent.sum() + FOUR_OF_FIVE * brought.std() * math.sqrt(len(recent))
        return float(most / relevant)

    # -- hosts ------------------------------------------------------------------------------------

    def _unsearched(self, worth: _Worth, harvest: Harvest) -> tuple[str, ...]:
        """Hosts of URLs that look relevant and wait though others that are worse have left."""
        ledger, queued = self._backend.ledger, worth.queued
        priorities = self._priorities(queued)
        hosts, host_of = np.unique(ledger.host.array[queued], return_inverse=True)
        best = np.full(len(hosts), -np.inf)
        np.maximum.at(best, host_of, priorities)
        waiting = np.bincount(host_of, minlength=len(hosts))
        likely = np.bincount(host_of, worth.ever, len(hosts)) / np.maximum(waiting, 1)
        wanted = _AS_GOOD * min(_LIKELY, (harvest.relevant + 0.5) / (harvest.pages + 1))
        names, unsearched = ledger.host_names, []
        for row in np.argsort(-waiting).tolist():
            host = int(hosts[row])
            n, share = self._recent_of_hosts.get(host, (0, 0.0))
            n = min(n, _MEMORY)
            chance = (n * share + _BEFORE * likely[row]) / (n + _BEFORE)
            if chance < wanted or best[row] == -np.inf:
                continue
            if self._is_passed_over(host, best[row]) or self._pause_of(names[host]) > _PAUSE:
                unsearched.append(names[host])
        return tuple(unsearched)

    def _is_passed_over(self, host: int, best: float) -> bool:
        """Whether most recent pages are of other hosts, and left for less than a host's best."""
        columns = self._backend.queue.columns
        recent = self._ids(len(columns.priorities))[-self._recent :]
        others = recent[columns.hosts[recent] != host]
        if 2 * len(others) < len(recent):
            return False
        return best > float(np.median(columns.priorities[others]))

    def _priorities(self, queued: npt.NDArray[np.intp]) -> FloatArray:
        """Priorities of queued URLs; likely traps, put last on purpose, get the lowest."""
        columns, states = self._backend.queue.columns, self._backend.ledger.state.array
        is_priced = queued < len(columns.places)
        rows = queued[is_priced]
        is_priced[is_priced] = (columns.places[rows] != ABSENT) | (states[rows] == State.LEASED)
        priorities = np.full(len(queued), -np.inf)
        rows = queued[is_priced]
        is_last = columns.classes[rows] % 2 == 1
        priorities[is_priced] = np.where(is_last, -np.inf, columns.priorities[rows])
        met = queued[~is_priced]  # by the last pages
        if len(met):
            priorities[~is_priced] = self._backend.driver.priorities(met)
        return priorities


class _Worth(NamedTuple):
    """How likely URLs are relevant."""

    values: FloatArray
    """(n,) by id; of those that wait by the recent pages that look alike."""
    queued: npt.NDArray[np.intp]
    """(k,) ids of those that wait, or are in flight."""
    ever: FloatArray
    """(k,) of these by all pages of this run that look alike; 1 for seeds, which are wanted."""


def _shares(
    alike: npt.NDArray[np.intp], relevant: npt.NDArray[np.bool_], before: FloatArray
) -> FloatArray:
    """Share of relevant ones of each kind; `before` counts for a page."""
    counts = np.bincount(alike, minlength=len(before))
    return (np.bincount(alike, relevant, len(before)) + before) / (counts + 1)
