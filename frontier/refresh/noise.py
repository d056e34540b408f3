"""Noise: places of a host that vary from revisit to revisit, whatever becomes of the page.

Advertisements, related pages, visitors online: they stand at the same place of every page, and most
revisits meet another value there. News stand at the same places, too, but few revisits meet any. So
the revisits at which a place varied are counted from the first on; a place is noise if it varies
more often than MOST, on more than one page (figures: on any).

Some values of such a place come back: they are no news even where the place is not known to be
noise, as on a host of one page.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from frontier.refresh.alignment import FIGURES, BlockDifference, Comparison, is_rank
from frontier.utils import lately_seen

HOSTS: Final = 500
PLACES: Final = 256
"""Places of a host and hosts that are known, those that varied last: some 60 KB a host at most."""
VALUES: Final = 32
"""Blocks that are remembered of a place."""
MOST: Final = 0.6
"""Greatest share of the revisits at which a place with news varies: on busy pages one in two."""
_SOME: Final = 0.12
"""Least share at a place where a value that comes back is no news."""
_TIMES: Final = 5
"""Least revisits at which a place of noise varied."""
_MOST_OF_RANK: Final = 0.5
_TIMES_OF_RANK: Final = 8
"""The same two for a rank, where it is not known which block varies: some blocks do at each
revisit, but paragraphs of busy pages as well."""
_FEW_TIMES: Final = 3
"""The same for values that come back."""
_BY_CHANCE: Final = 2.0
"""Revisits at which a place must have varied beyond that share: true changes come in bursts."""
_REVISITS: Final = 100.0
"""Revisits that are remembered, on average."""
SAVED: Final = np.dtype(
    [
        *(("host", "<i4"), ("place", "<i8"), ("revisits", "<f4"), ("varied", "<f4")),
        *(("times", "<u4"), ("page", "<i8"), ("pages", "?"), ("values", "<u4", (VALUES, 2))),
    ]
)


class VaryingPlace:
    """How often a place of a host varied, and its values."""

    __slots__ = ("page", "pages", "place", "revisits", "times", "values", "varied")

    def __init__(self, place: int, page: int) -> None:
        self.place = place
        self.revisits = 0.0
        self.varied = 0.0
        self.times = 0
        self.page = page
        """A page where it varied."""
        self.pages = False
        """Whether it varied on another page, too."""
        self.values: OrderedDict[int, int] = OrderedDict()
        """Blocks that came or went, and how often they did."""

    @property
    def is_noise(self) -> bool:
        """Whether it varies whatever becomes of its pages."""
        most, times = (_MOST_OF_RANK, _TIMES_OF_RANK) if is_rank(self.place) else (MOST, _TIMES)
        varies = self.times >= times and self.varied >= most * self.revisits + _BY_CHANCE
        return varies and (self.pages or bool(self.place & FIGURES))

    def has(self, difference: BlockDifference, times: int) -> bool:
        """Whether a block comes back to it, seen so many times."""
        is_some = self.varied >= _SOME * self.revisits and self.times >= _FEW_TIMES
        return (
            is_some
            and not is_rank(self.place)
            and self.values.get(difference.block.hash, 0) >= times
        )

    def add(self, share: float) -> None:
        """Add a revisit at which this share of it varied."""
        self.revisits += 1
        self.varied += share
        self.times += share > 0
        if self.revisits > _REVISITS:
            self.revisits /= 2
            self.varied /= 2

    def remember(self, value: int) -> None:
        """Remember a block that was seen there."""
        self.values[value] = self.values.get(value, 0) + 1
        self.values.move_to_end(value)
        if len(self.values) > VALUES:
            self.values.popitem(last=False)


_Host = OrderedDict[int, VaryingPlace]


class Noise:
    """The places of all hosts that vary."""

    def __init__(self) -> None:
        self._hosts: OrderedDict[int, _Host] = OrderedDict()

    def learn(self, host: int, page: int, comparison: Comparison) -> None:
        """Learn from a revisit of a page of a host."""
        places = lately_seen(self._hosts, host, _Host, HOSTS)
        noise = {place for place, known in places.items() if known.is_noise}
        sure = {place for place in noise if not is_rank(place)}

        def places_of(each: BlockDifference) -> Iterable[int]:
            # A difference at a place of noise tells nothing of its other places.
            return sure.intersection(each.places) or noise.intersection(each.places) or each.places

        varied = comparison.varied(places_of)
        differing = {
            place for each in comparison.differences for place in each.places if not is_rank(place)
        }
        for place in varied.keys() - places.keys():
            places[place] = VaryingPlace(place, page)
        for place, known in places.items():
            if place in varied or (place not in differing and comparison.has(place)):
                known.add(varied.get(place, 0.0))
        for place in varied:
            places.move_to_end(place)
            places[place].pages |= places[place].page != page
        while len(places) > PLACES:
            places.popitem(last=False)

    def remember(self, host: int, differences: Iterable[BlockDifference]) -> None:
        """Remember the values of places that vary, after the calls of `is_noise`."""
        places = self._hosts.get(host, _Host())
        for each in differences:
            for place in each.places:
                if place in places and not each.is_figure:
                    places[place].remember(each.block.hash)

    def is_noise(self, host: int, difference: BlockDifference, times: int = 2) -> bool:
        """Whether a difference is at a place of noise, or a value that came back.

        A value counts as known once it came and went; `times` is more for a remembered difference.
        """
        at = self._at(host, difference)
        return any(known.is_noise or known.has(difference, times) for known in at)

    def is_at_noise(self, host: int, difference: BlockDifference) -> bool:
        """Whether a difference is at a place of noise."""
        return any(known.is_noise for known in self._at(host, difference))

    def _at(self, host: int, difference: BlockDifference) -> Iterator[VaryingPlace]:
        places = self._hosts.get(host, _Host())
        return (places[place] for place in difference.places if place in places)

    def saved(self) -> NDArray[np.void]:
        """All that is known, for a crawl that goes on."""
        rows = []
        for host, places in self._hosts.items():
            for place, known in places.items():
                values = [*known.values.items(), *[(0, 0)] * VALUES][:VALUES]
                counts = known.revisits, known.varied, known.times, known.page, known.pages
                rows.append((host, place, *counts, values))
        return np.array(rows, SAVED)

    def restore(self, saved: NDArray[np.void]) -> None:
        """Go on with what `saved` gave."""
        for host, place, revisits, varied, times, page, pages, values in saved.tolist():
            known = self._hosts.setdefault(host, _Host())[place] = VaryingPlace(place, page)
            known.revisits, known.varied, known.times, known.pages = revisits, varied, times, pages
            known.values.update((value, n) for value, n in values if n)
