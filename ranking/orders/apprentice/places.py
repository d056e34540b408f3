"""Where URLs lie, and how fetching there has paid: by host, template, folder and zone.

A place is a number of the frontier's choosing (a hash of the host's name, of a URL up to its last
slash, of one whose names are masked, or of the elements that a link is in); equal numbers are one
place. Its yield is the mean relevance of the pages fetched there, drawn to what is expected of any
page while they are few:

    host:     (Σ rel + 5 m) / (n + 5)
    template: (Σ rel + 5 yield of its host) / (n + 5)
    folder:   (Σ rel + 5 yield of its template) / (n + 5)
    zone:     (Σ rel + 5 m) / (n + 5)

A zone is where on its page the link stands by which a URL was found, whatever the page: menus lead
elsewhere than lists do. A URL that could not be fetched counts among n, but not in a zone: a host
that does not answer yields nothing. So does one that led to what was known: a template of
permalinks that redirect is as good as dead.

Pages tried at a place also say how much there is still to be found out about it: a place that
nobody looked at may be better than it looks.

What they say of whether the next URL answers depends on the web. Where links die one by one, a
failure says nothing of other URLs; where hosts and folders die, it says all. Both is told by how
alike tries at one place have been (`PlaceAnswers`), as in the analysis of variance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ranking.arrays import Column, FloatArray, IntArray
from ranking.orders.apprentice import _memory
from ranking.orders.apprentice._memory import UNIT, Tries
from ranking.orders.base import PlaceArray
from ranking.priority import Ids

WIDTHS = ((2**8, np.uint8), (2**16, np.uint16), (2**31, np.int32))
"""How many places a type holds."""
LEAST_ALIKE, MOST_ALIKE = 0.005, 0.95
FIRST_ALIKE = 1 / 3  # before anything was tried: a place is believed after about two tries
FIRST_VARIANCE = 2.5  # what that counts: as five tries would of which every other fails
UNKNOWN = np.zeros(1, np.uint32)  # the place of all URLs whose place nobody tells


class PlaceYields:
    """Sums by place for one kind of place; `of` (n,) leads from an id to its place.

    Invariant: `of` has the narrowest type of `WIDTHS` that holds all places, and less than two
    thirds of `_slots` are in use.
    """

    def __init__(self) -> None:
        self._keys = Column(np.uint32)
        self._slots = np.zeros(8, np.int32)
        self._most, width = WIDTHS[0]
        self._of: Column[Any] = Column(width)
        self._sum = Column(np.float64)
        self._pages = Column(np.int32)
        self._failed = Column(np.int32)
        self._tries = Tries()

    @property
    def known(self) -> int:
        """How many ids have a place."""
        return len(self._of.array)

    def add(self, places: PlaceArray) -> None:
        """The places (k,) of the next k ids."""
        numbers = np.empty(len(places), np.int32)
        if _memory.find(places, self._keys.array, self._slots, numbers):
            self._meet(list(dict.fromkeys(places[numbers < 0].tolist())))
            _memory.find(places, self._keys.array, self._slots, numbers)
        self._take(numbers)

    def _take(self, numbers: npt.NDArray[np.integer[Any]]) -> None:
        """These are the places of the next ids."""
        self._of.extend(numbers)

    def _meet(self, keys: Sequence[int] | PlaceArray) -> None:
        """Give new places the next numbers."""
        known = len(self._keys.array)
        self._keys.extend(keys)
        count = len(self._keys.array)
        for column in (self._sum, self._pages, self._failed):
            column.resize(count)
        if 3 * count >= 2 * len(self._slots):
            self._slots, known = np.zeros(1 << (2 * count).bit_length(), np.int32), 0
        _memory.insert(self._keys.array, self._slots, known)
        if count > self._most:
            self._most, width = next(one for one in WIDTHS if count <= one[0])
            narrow, self._of = self._of.array, Column(width)
            self._of.extend(narrow)

    def grow(self, n: int) -> None:
        """Ids up to n - 1 that were not told a place share one."""
        if n > self.known:
            self.add(np.repeat(UNKNOWN, n - self.known))

    def judge(self, page: int, relevance: float) -> None:
        """A page was fetched and judged."""
        place = self._of.array[page]
        pages = self._pages.array
        self._tries.count(pages[place], self._failed.array[place], 1, 0)
        self._sum.array[place] += relevance
        pages[place] += 1

    def fail(self, ids: Ids) -> None:
        """Pages (k,) were tried in vain."""
        pages, failed = self._pages.array, self._failed.array
        for place in self._of.array[ids].tolist():
            self._tries.count(pages[place], failed[place], 0, 1)
            failed[place] += 1

    @property
    def answering(self) -> float:
        """Mean share of pages fetched of what was tried at a place; 1 before the first."""
        return (self._tries.rates / UNIT + 1) / (self._tries.places + 1)

    @property
    def variance(self) -> tuple[float, float]:
        """Of a try, 1 for a page and 0 for a failure, twice: anywhere, and at the same place."""
        tries = self._tries
        share = tries.fetched / max(tries.tries, 1)
        return 2 * share * (1 - share), tries.differing / UNIT / max(tries.tries, 1)

    def alike(self, anywhere: float) -> float:
        """Intraclass correlation of tries at a place, drawn to `FIRST_ALIKE` while they are few.

        `anywhere` is twice the variance of tries at all places that it is told from.
        """
        tries = self._tries
        whole = anywhere * tries.tries
        told = whole - tries.differing / UNIT + FIRST_VARIANCE * FIRST_ALIKE
        return float(min(max(told / (whole + FIRST_VARIANCE), LEAST_ALIKE), MOST_ALIKE))

    @property
    def of(self) -> npt.NDArray[np.integer[Any]]:
        """(n,) place of each id, of a type of `WIDTHS`; valid until the next `add`."""
        return self._of.array

    @property
    def columns(self) -> tuple[FloatArray | IntArray, ...]:
        """Of each place: relevance in all, pages fetched, pages tried in vain."""
        return self._sum.array, self._pages.array, self._failed.array

    def state(self, name: str, *, failures: bool = False) -> dict[str, npt.NDArray[Any]]:
        """What `restore` needs, under names that begin with `name`.

        With `failures` pages tried in vain as well: where nobody tells them once more.
        """
        failed = {f"{name}.failed": self._failed.array.copy()} if failures else {}
        return {
            **failed,
            f"{name}.of": self._of.array.copy(),
            f"{name}.keys": self._keys.array.copy(),
            f"{name}.sum": self._sum.array.copy(),
            f"{name}.pages": self._pages.array.copy(),
        }

    def restore(
        self, name: str, arrays: Mapping[str, npt.NDArray[Any]], *, failures: bool = False
    ) -> None:
        """Take over what `state` gave; KeyError if it is not there."""
        fresh = type(self)()
        fresh._meet(arrays[f"{name}.keys"])
        fresh._take(arrays[f"{name}.of"])
        fresh._sum.array[:] = arrays[f"{name}.sum"]
        fresh._pages.array[:] = arrays[f"{name}.pages"]
        if failures:
            fresh._failed.array[:] = arrays[f"{name}.failed"]
        fresh._tries.take(fresh._pages.array, fresh._failed.array)
        self.__dict__.update(fresh.__dict__)


class HostYields(PlaceYields):
    """Which also counts the URLs known of each host."""

    def __init__(self) -> None:
        super().__init__()
        self._urls = Column(np.int32)

    @property
    def columns(self) -> tuple[FloatArray | IntArray, ...]:
        """As of other places, and how many URLs are known there."""
        return *super().columns, self._urls.array

    def _take(self, numbers: npt.NDArray[np.integer[Any]]) -> None:
        super()._take(numbers)
        self._urls.resize(len(self._keys.array))
        np.add.at(self._urls.array, numbers, 1)


class PlaceAnswers(NamedTuple):
    """Whether URLs answer.

    Attributes:
        host: mean share of its URLs that a host answers, in (0, 1].
        hosts: intraclass correlation of answers on one host, in (0, 1).
        folders: that in one folder, beyond its host's.
    """

    host: float
    hosts: float
    folders: float


class Yields(NamedTuple):
    """Those of each kind of place, in the order of `ranking.orders.base.Places`."""

    hosts: HostYields
    folders: PlaceYields
    templates: PlaceYields
    zones: PlaceYields

    @classmethod
    def none(cls) -> Yields:
        """Of a crawl that fetched nothing yet."""
        return cls(HostYields(), PlaceYields(), PlaceYields(), PlaceYields())

    @property
    def answers(self) -> PlaceAnswers:
        """As learned from what was tried so far."""
        anywhere, on_a_host = self.hosts.variance
        return PlaceAnswers(
            self.hosts.answering, self.hosts.alike(anywhere), self.folders.alike(on_a_host)
        )
