"""Places of a host that vary from look to look, whatever becomes of the rest of the page.

Advertisements, related pages, visitors online: they stand at the same place of every page, and most
revisits find something else there. News stand at the same places, too, but few revisits find any.
So revisits at which a place varied are counted since it first did; it is noise if it does so more
often than MOST, on more than one page (figures: on any).

Of the values that were seen lately at such a place some come back: they are no news even where that
is not known for sure, as on a host of one page.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Final

import numpy as np

from frontier.refresh.alignment import FIGURES, is_rank
from frontier.utils import lately_seen

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from frontier.refresh.alignment import Comparison, Difference

HOSTS: Final = 500
PLACES: Final = 256
"""Places of a host and hosts that are known, those that varied last: some 60 KB a host at most."""
VALUES: Final = 32
"""Blocks that are remembered of a place."""
MOST: Final = 0.6
"""Share of the looks at which a place varies that has news: busy pages change at every second."""
_SOME: Final = 0.12
"""The same of a place where a value that comes back is none."""
_TIMES: Final = 5
"""Revisits at which a place varied that show that it is noise."""
_MOST_OF_RANK: Final = 0.5
_TIMES_OF_RANK: Final = 8
"""The same two where it is not known which block varies: at each revisit some of them do, but
paragraphs of busy pages as well."""
_FEW_TIMES: Final = 3
"""The same for values that come back."""
_BY_CHANCE: Final = 2.0
"""Looks more at which it must have varied than that share makes: true changes come in heaps."""
_REVISITS: Final = 100.0
"""Revisits that are remembered, in the mean."""
SAVED: Final = np.dtype(
    [
        *(("host", "<i4"), ("place", "<i8"), ("revisits", "<f4"), ("varied", "<f4")),
        *(("times", "<u4"), ("page", "<i8"), ("pages", "?"), ("values", "<u4", (VALUES, 2))),
    ]
)


class Place:
    """What revisits have found at one place of a host."""

    __slots__ = ("page", "pages", "place", "revisits", "times", "values", "varied")

    def __init__(self, place: int, page: int) -> None:
        self.place = place
        self.revisits = 0.0
        self.varied = 0.0
        self.times = 0
        self.page = page
        """A page where it varied."""
        self.pages = False
        """Whether it did so on another one, too."""
        self.values: OrderedDict[int, int] = OrderedDict()
        """Blocks that came or went, and how often they did."""

    @property
    def is_noise(self) -> bool:
        """Whether it varies whatever becomes of the rest of its pages."""
        most, times = (_MOST_OF_RANK, _TIMES_OF_RANK) if is_rank(self.place) else (MOST, _TIMES)
        varies = self.times >= times and self.varied >= most * self.revisits + _BY_CHANCE
        return varies and (self.pages or bool(self.place & FIGURES))

    def has(self, one: Difference, times: int) -> bool:
        """Whether a block is one that comes back to it, after so many times."""
        is_some = self.varied >= _SOME * self.revisits and self.times >= _FEW_TIMES
        return is_some and not is_rank(self.place) and self.values.get(one.block.hash, 0) >= times

    def add(self, share: float) -> None:
        """Take in a look at which so much of it varied."""
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


_Host = OrderedDict[int, Place]


class Noise:
    """The places of all hosts that vary."""

    def __init__(self) -> None:
        self._hosts: OrderedDict[int, _Host] = OrderedDict()

    def learn(self, host: int, page: int, comparison: Comparison) -> None:
        """Take in a revisit of a page of a host."""
        places = lately_seen(self._hosts, host, _Host, HOSTS)
        noise = {place for place, known in places.items() if known.is_noise}
        sure = {place for place in noise if not is_rank(place)}

        def told_by(one: Difference) -> Iterable[int]:
            # What is known for noise at one of its places tells nothing of the others.
            return sure.intersection(one.places) or noise.intersection(one.places) or one.places

        varied = comparison.varied(told_by)
        found = {place for one in comparison.differences for place in one.places}
        told = {place for place in found if not is_rank(place)}
        for place in varied.keys() - places.keys():
            places[place] = Place(place, page)
        for place, known in places.items():
            if place in varied or (place not in told and comparison.has(place)):
                known.add(varied.get(place, 0.0))
        for place in varied:
            places.move_to_end(place)
            places[place].pages |= places[place].page != page
        while len(places) > PLACES:
            places.popitem(last=False)

    def remember(self, host: int, differences: Iterable[Difference]) -> None:
        """Remember what was seen at places that vary, after `is_noise` was asked."""
        places = self._hosts.get(host, _Host())
        for one in differences:
            for place in one.places:
                if place in places and not one.is_figure:
                    places[place].remember(one.block.hash)

    def is_noise(self, host: int, one: Difference, times: int = 2) -> bool:
        """Whether a difference is one of a place that varies anyway, or a value that came back.

        What was seen to come and to go is known; `times` is more for what was remembered itself.
        """
        return any(known.is_noise or known.has(one, times) for known in self._at(host, one))

    def is_at_noise(self, host: int, one: Difference) -> bool:
        """Whether a difference is one of a place that varies anyway."""
        return any(known.is_noise for known in self._at(host, one))

    def _at(self, host: int, one: Difference) -> Iterator[Place]:
        places = self._hosts.get(host, _Host())
        return (places[place] for place in one.places if place in places)

    def saved(self) -> NDArray[np.void]:
        """All that is known, for a crawl that goes on."""
        rows = []
        for host, places in self._hosts.items():
            for place, one in places.items():
                values = [*one.values.items(), *[(0, 0)] * VALUES][:VALUES]
                known = one.revisits, one.varied, one.times, one.page, one.pages
                rows.append((host, place, *known, values))
        return np.array(rows, SAVED)

    def restore(self, saved: NDArray[np.void]) -> None:
        """Go on with what `saved` gave."""
        for host, place, revisits, varied, times, page, pages, values in saved.tolist():
            one = self._hosts.setdefault(host, _Host())[place] = Place(place, page)
            one.revisits, one.varied, one.times, one.pages = revisits, varied, times, pages
            one.values.update((value, n) for value, n in values if n)
