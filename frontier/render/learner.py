"""The chance that a page gains by a browser, learned from the pages that were shown in one.

Evidence travels between hosts by the signs of a page (`frontier.render.signs`): a logistic
regression over their names, with AdaGrad steps (Duchi et al. 2011) from weights that say what is
known beforehand. It counts less the more is known of the place: of the pages of a host that have as
much text and links, and of those of the URL's template among them, n of which s have gained,

    place:    (s + K chance by signs) / (n + K)
    template: (s + K chance of place) / (n + K)

A page without scripts gains nothing. Everything depends on the order of the pages alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from frontier.render.signs import Content

GAINED = 0.3
"""Share of the rendered page that is new: from there on a page has gained."""
BEGINNING = {
    "": -4.0,
    "few words": 1.5,
    "few links": 1.5,
    "an empty element for the page": 4.0,
    "much script": 1.0,
    "noscript asks for scripts": 1.0,
    "words of its link are missing": 0.5,
    "less than pages of its kind": 1.0,
}
"""Weights before the first page was shown; "" is that of every page."""
_STEP = 1.0
_PAGES = 2.0
"""K above: pages of a place that count as much as the signs."""
MOST_NAMES = 5_000
MOST_PLACES = 100_000
"""Names of signs, and places, that are kept: a crawl of many hosts learns what it met first."""


@dataclass(slots=True)
class _Place:
    shown: int = 0
    gained: int = 0
    pages: int = 0
    words: float = 0.0
    links: float = 0.0


@dataclass(slots=True)
class RenderCase:
    """A page, as the learner needs it: signs, kind, host and template."""

    signs: dict[str, float]
    host: str
    kind: str
    template: int

    @property
    def places(self) -> tuple[str, str]:
        """Keys of the host's and of the template's pages of this kind."""
        return f"{self.host} {self.kind}", f"{self.host} {self.template} {self.kind}"

    @property
    def all_of_template(self) -> str:
        """Key of the template's pages of any kind."""
        return f"{self.host} {self.template}"


@dataclass(slots=True)
class RenderLearner:
    """Learns from pages in the order in which they were shown."""

    weights: dict[str, float] = field(default_factory=lambda: dict(BEGINNING))
    _squares: dict[str, float] = field(default_factory=dict)
    _places: dict[str, _Place] = field(default_factory=dict)

    def usual(self, template: str) -> Content | None:
        """What pages of a template, by its key, have; None: too few were seen."""
        place = self._places.get(template)
        if place is None or place.pages < 2:
            return None
        links = frozenset(map(str, range(round(place.links / place.pages))))
        return Content(round(place.words / place.pages), links)

    def chance(self, case: RenderCase) -> float:
        """Probability that the page gains."""
        chance = 1 / (1 + math.exp(-self._sum(case.signs)))
        for key in case.places:
            place = self._places.get(key)
            if place is not None:
                chance = (place.gained + _PAGES * chance) / (place.shown + _PAGES)
        return chance

    def parts(self, signs: dict[str, float]) -> list[tuple[str, float]]:
        """What each sign adds to the logarithm of the odds, the heaviest first."""
        parts = [(name, value * self.weights.get(name, 0.0)) for name, value in signs.items()]
        return sorted(parts, key=lambda part: (-abs(part[1]), part[0]))

    def seen(self, case: RenderCase, content: Content) -> None:
        """Note what a page had in the end."""
        place = self._place(case.all_of_template)
        place.pages += 1
        place.words += content.words
        place.links += len(content.links)

    def learn(self, case: RenderCase, gain: float) -> None:
        """Learn from a page that was shown."""
        gained = gain >= GAINED
        error = gained - 1 / (1 + math.exp(-self._sum(case.signs)))
        for name, value in (("", 1.0), *case.signs.items()):
            if name in self.weights or len(self.weights) < MOST_NAMES:
                slope = error * value
                self._squares[name] = self._squares.get(name, 1.0) + slope * slope
                step = _STEP * slope / math.sqrt(self._squares[name])
                self.weights[name] = self.weights.get(name, 0.0) + step
        for key in case.places:
            place = self._place(key)
            place.shown += 1
            place.gained += gained

    def _sum(self, signs: dict[str, float]) -> float:
        total = self.weights[""]
        for name, value in signs.items():
            total += value * self.weights.get(name, 0.0)
        return max(-30.0, min(30.0, total))

    def _place(self, key: str) -> _Place:
        if key not in self._places and len(self._places) >= MOST_PLACES:
            return _Place()
        return self._places.setdefault(key, _Place())
