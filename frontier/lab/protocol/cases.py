"""One question to a crawl order: from where, told what, to find which pages. Three variants of it.

inside    seeds are pages about the topic, drawn among the labelled ones; they are the examples too
outside   seeds are pages from which a page about the topic is two or three links away, and the
          texts of labelled pages are the examples
keywords  those seeds, and about ten words instead of examples; where the words are derived from
          labelled pages, these are the examples of `outside`

Where a web comes with seeds of its own, `outside` and `keywords` start from these. Targets are the
labelled pages that links lead to from the seeds, without those given away as examples: what no
crawl could have found, or was told, is no merit of any. With derived words `outside` and `keywords`
have the same targets, so that words can be compared with examples.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from frontier.errors import LabError
from frontier.lab.protocol.draws import EXAMPLES, STARTS, drawn
from frontier.lab.protocol.keywords import derived_keywords
from frontier.lab.protocol.reach import UNREACHED, Reach, landing
from frontier.lab.replay.web import Kind

if TYPE_CHECKING:
    from frontier.lab.replay.web import LabWeb

INSIDE, OUTSIDE, KEYWORDS = "inside", "outside", "keywords"
VARIANTS: Final = (INSIDE, OUTSIDE, KEYWORDS)
DRAWN = 4
"""Seeds, and examples, unless told otherwise: what a person can be expected to name."""
_NEAR, _FAR = 2, 3
"""Links from a start outside the topic to the nearest page about it."""


@dataclass(frozen=True, slots=True)
class Case:
    """What a task says beside strategy and budget; URLs are canonical."""

    variant: str
    topic: str
    draw: int
    seeds: tuple[str, ...]
    examples: tuple[str, ...]
    topic_words: str
    targets: frozenset[str]


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic on a web: its labelled pages, as far as they were recorded.

    Attributes:
        name: as the labels have it.
        pages: numbers of the pages behind its labels, each once, ascending.
        words: keywords a person gave, "" to derive them.

    """

    name: str
    pages: tuple[int, ...]
    words: str = ""


class CaseMaker:
    """Makes the cases of one web.

    `seeds` are numbers of the seeds that came with it; of others, and of examples, `count` are
    drawn. A case with fewer than `fewest` targets is none.
    """

    def __init__(
        self, web: LabWeb, seeds: Sequence[int] = (), count: int = DRAWN, fewest: int = 1
    ) -> None:
        self._web = web
        self._count = count
        self._seeds = tuple(seeds)
        self._fewest = fewest
        self._reach = Reach(web)

    def topic(self, name: str, labelled: Iterable[str], words: Mapping[str, str]) -> Topic:
        """Find the pages of a topic."""
        pages = {landing(self._web, self._web.find(url)) for url in labelled} - {-1}
        return Topic(name, tuple(sorted(pages)), words.get(name, ""))

    def case(self, variant: str, topic: Topic, draw: int) -> Case:
        """Make a case. Raises LabError where there is nothing to find, or nowhere to start."""
        told = variant != KEYWORDS or not topic.words
        examples = self._examples(topic, draw) if told else ()
        seeds = examples if variant == INSIDE else self._starts(topic, draw)
        words = self._words(topic, examples) if variant == KEYWORDS else ""
        return Case(
            variant,
            topic.name,
            draw,
            self._urls(seeds),
            () if variant == KEYWORDS else self._urls(examples),
            words,
            frozenset(self._urls(self._targets(topic, seeds, examples))),
        )

    def _examples(self, topic: Topic, draw: int) -> tuple[int, ...]:
        """Labelled pages that can be seeds as well: they hold text and lead somewhere."""
        leading = (page for page in topic.pages if self._leads_on(page))
        ranked = self._drawn(leading, topic, draw, EXAMPLES)
        chosen = tuple(
            islice((page for page in ranked if self._web.text(page).strip()), self._count)
        )
        if len(chosen) < self._count:
            raise LabError(f"fewer than {self._count} labelled pages hold text and links")
        return chosen

    def _starts(self, topic: Topic, draw: int) -> tuple[int, ...]:
        if self._seeds:
            return self._seeds
        hops = self._reach.hops_to(topic.pages)
        outside = np.flatnonzero((hops >= _NEAR) & (hops <= _FAR)).tolist()
        pages = (number for number in outside if self._web.kinds[number] == Kind.PAGE)
        chosen = self._drawn(pages, topic, draw, STARTS)[: self._count]
        if len(chosen) < self._count:
            raise LabError(f"fewer than {self._count} pages lie {_NEAR} or {_FAR} links outside")
        return tuple(chosen)

    def _targets(self, topic: Topic, seeds: Sequence[int], examples: Iterable[int]) -> set[int]:
        hops = self._reach.hops_from(seeds)
        targets = {page for page in topic.pages if hops[page] != UNREACHED} - set(examples)
        if len(targets) < self._fewest:
            raise LabError(f"fewer than {self._fewest} labelled pages can be reached")
        return targets

    def _words(self, topic: Topic, examples: Iterable[int]) -> str:
        words = topic.words or derived_keywords(topic.name, [*map(self._web.text, examples)])
        if not words:
            raise LabError("neither its name nor its pages hold a word that could be a keyword")
        return words

    def _drawn(self, pages: Iterable[int], topic: Topic, draw: int, what: str) -> list[int]:
        """All the pages in the order in which they are drawn."""
        numbers = {self._web.urls[page]: page for page in pages}
        return [numbers[url] for url in drawn(numbers, topic.name, draw, what)]

    def _leads_on(self, page: int) -> bool:
        return bool(self._web.indptr[page] < self._web.indptr[page + 1])

    def _urls(self, pages: Iterable[int]) -> tuple[str, ...]:
        return tuple(self._web.urls[page] for page in pages)
