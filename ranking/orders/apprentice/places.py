"""Where URLs lie, and how fetching there has paid: by host and by folder of the host.

A place is a number of the frontier's choosing (a hash of the host's name, or of a URL up to its
last slash); equal numbers are one place. Its yield is the mean relevance of the pages fetched
there, drawn to what is expected of any page while they are few:

    host:   (Σ rel + 5 m) / (n + 5)
    folder: (Σ rel + 5 yield of its host) / (n + 5)

A URL that could not be fetched counts among n: a host that does not answer yields nothing.

Pages tried at a place also say how much there is still to be found out about it: a place that
nobody looked at may be better than it looks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.arrays import Column, FloatArray, IntArray
from ranking.priority import Ids

PlaceArray = npt.NDArray[np.uint32]
UNKNOWN = np.zeros(1, np.uint32)  # the place of all URLs whose place nobody tells


class PlaceYields:
    """Sums by place for one kind of place; `of` (n,) int32 leads from an id to its place."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._keys = Column(np.uint32)
        self._of: Column[np.int32] = Column(np.int32)
        self._sum = Column(np.float64)
        self._pages = Column(np.int32)
        self._failed = Column(np.int32)
        self._answering = self._silent = 0  # places with a page, and those with failures alone

    @property
    def known(self) -> int:
        """How many ids have a place."""
        return len(self._of.array)

    def add(self, places: PlaceArray) -> None:
        """The places (k,) of the next k ids."""
        numbers = self._numbers
        for place in dict.fromkeys(places.tolist()):
            if place not in numbers:
                numbers[place] = len(numbers)
                self._keys.push(place)
        self._sum.resize(len(numbers))
        self._pages.resize(len(numbers))
        self._failed.resize(len(numbers))
        self._of.extend([numbers[place] for place in places.tolist()])

    def grow(self, n: int) -> None:
        """Ids up to n - 1 that were not told a place share one."""
        if n > self.known:
            self.add(np.repeat(UNKNOWN, n - self.known))

    def judge(self, page: int, relevance: float) -> None:
        """A page was fetched and judged."""
        place = self._of.array[page]
        if not self._pages.array[place]:
            self._answering += 1
            self._silent -= int(self._failed.array[place] > 0)
        self._sum.array[place] += relevance
        self._pages.array[place] += 1

    def fail(self, ids: Ids) -> None:
        """Pages (k,) could not be fetched."""
        places = self._of.array[ids]
        self._silent += int(np.unique(places[self._tried(places) == 0]).size)
        np.add.at(self._failed.array, places, 1)

    @property
    def answering(self) -> float:
        """Share of the places that answered among those that were tried; 1 before the first."""
        return (self._answering + 1) / (self._answering + self._silent + 1)

    @property
    def of(self) -> IntArray:
        """(n,) place of each id; valid until the next `add`."""
        return self._of.array

    @property
    def columns(self) -> tuple[FloatArray, IntArray, IntArray]:
        """Of each place: relevance in all, pages fetched, pages tried in vain."""
        return self._sum.array, self._pages.array, self._failed.array

    def _tried(self, places: IntArray) -> IntArray:
        return np.asarray(self._pages.array[places] + self._failed.array[places])

    def state(self, name: str) -> dict[str, npt.NDArray[Any]]:
        """What `restore` needs but failures, under names that begin with `name`."""
        return {
            f"{name}.of": self._of.array.copy(),
            f"{name}.keys": self._keys.array.copy(),
            f"{name}.sum": self._sum.array.copy(),
            f"{name}.pages": self._pages.array.copy(),
        }

    def restore(self, name: str, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take over what `state` gave; KeyError if it is not there."""
        fresh = PlaceYields()
        fresh._of.extend(arrays[f"{name}.of"])
        fresh._keys.extend(arrays[f"{name}.keys"])
        fresh._sum.extend(arrays[f"{name}.sum"])
        fresh._pages.extend(arrays[f"{name}.pages"])
        fresh._failed.resize(len(fresh._keys.array))
        fresh._answering = int((fresh._pages.array > 0).sum())
        self.__dict__.update(fresh.__dict__)
        self._numbers = {key: number for number, key in enumerate(self._keys.array.tolist())}
