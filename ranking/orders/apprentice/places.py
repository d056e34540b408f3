"""Where URLs lie, and how fetching there has paid: by host, template, folder and zone.

A place is a number of the frontier's choosing (a hash of the host's name, of a URL up to its last
slash, of a URL whose names are masked, or of the elements that a link is in); equal numbers are one
place. Its yield is the mean relevance of the pages fetched there, drawn to what is expected of any
page while they are few:

    host:     (Σ rel + 5 m) / (n + 5)
    template: (Σ rel + 5 yield of its host) / (n + 5)
    folder:   (Σ rel + 5 yield of its template) / (n + 5)
    zone:     (Σ rel + 5 m) / (n + 5)

A zone is where on its page the link stands by which a URL was discovered, whatever the page: menus
lead elsewhere than lists do. A URL that could not be fetched counts among n, but not in a zone: a
host that does not answer yields nothing. So does a URL that led to a known page: a template of
permalinks that redirect is as good as dead.

The number of pages tried at a place also tells how uncertain its yield is: a place where nothing
was tried may be better than its estimate.

The chance that the next URL of a place answers is the share of the URLs that did, drawn to 1, or to
that of the host, as two tries would.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ranking.arrays import Column, FloatArray, IntArray
from ranking.orders.apprentice import _memory
from ranking.orders.base import PlaceArray
from ranking.priority import Ids

WIDTHS = ((2**8, np.uint8), (2**16, np.uint16), (2**31, np.int32))
"""How many places a type holds."""
UNKNOWN = np.zeros(1, np.uint32)  # the place of all URLs whose place is not known


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
            self._most, width = next(pair for pair in WIDTHS if count <= pair[0])
            narrow, self._of = self._of.array, Column(width)
            self._of.extend(narrow)

    def grow(self, n: int) -> None:
        """Give ids up to n - 1 without a place the common unknown place."""
        if n > self.known:
            self.add(np.repeat(UNKNOWN, n - self.known))

    def judge(self, page: int, relevance: float) -> None:
        """A page was fetched and judged."""
        place = self._of.array[page]
        self._sum.array[place] += relevance
        self._pages.array[place] += 1

    def fail(self, ids: Ids) -> None:
        """Pages (k,) were tried in vain."""
        np.add.at(self._failed.array, self._of.array[ids], 1)

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

        With `failures` pages tried in vain as well, where `fail` is not called again on resume.
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
        self.__dict__.update(fresh.__dict__)


class Yields(NamedTuple):
    """Those of each kind of place, in the order of `ranking.orders.base.Places`."""

    hosts: PlaceYields
    folders: PlaceYields
    templates: PlaceYields
    zones: PlaceYields
