"""From labels to tasks: who is asked what, and what was left out. Variants of a task:

names            the seeds of `outside`, and the topic's plain name: what a person types
inside           seeds are pages about the topic, drawn among the labelled ones; they are the
                 examples too
outside          seeds are pages from which a page about the topic is two or three links away, and
                 the texts of labelled pages are the examples
keywords         those seeds, and about ten words instead of examples; where the words are derived
                 from labelled pages, these are the examples of `outside`
inside-names     the seeds of `inside`, and the name; nobody says that seeds are examples
inside-keywords  the same with about ten words

Where a web comes with seeds of its own, the variants outside start from these. Targets are the
labelled pages that links lead to from the seeds, without those given away as examples. With derived
words `outside` and `keywords` have the same targets, so that words can be compared with examples.

Every task follows from the web, the labels and the numbers in `Protocol`. Draws follow from keyed
hashes of what is drawn: the same on every machine, and a page more or less changes at most one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from frontier.errors import LabError
from frontier.formatting import counted
from frontier.lab.protocol.keywords import derived_keywords, meaningful_words, plain_name
from frontier.lab.protocol.labels import Part, Sides, split_topics
from frontier.lab.replay.records import Task
from frontier.lab.replay.webfile import UNREACHED, AnswerKind

if TYPE_CHECKING:
    from frontier.lab.protocol.labels import Labels
    from frontier.lab.replay.webfile import WebFile

INSIDE, OUTSIDE = "inside", "outside"
NAMES, KEYWORDS, EXAMPLES = "names", "keywords", "examples"
VARIANTS: Final = {
    "names": (OUTSIDE, NAMES),
    "inside": (INSIDE, EXAMPLES),
    "outside": (OUTSIDE, EXAMPLES),
    "keywords": (OUTSIDE, KEYWORDS),
    "inside-names": (INSIDE, NAMES),
    "inside-keywords": (INSIDE, KEYWORDS),
}
"""Where the seeds lie and what the topic is given by, in the order of the tables."""
USUAL: Final = tuple(VARIANTS)[:4]
_NEAR, _FAR = 2, 3
"""Links from a start outside the topic to the nearest page about it."""
_NAMED = 3
"""Topics that a message names of those it counts."""


@dataclass(frozen=True)
class Protocol:
    """What is asked of every strategy.

    Attributes:
        strategies: names of rows, each once.
        variants: of VARIANTS.
        budget: requests a run, 1 or more.
        draws: of seeds and examples, for each topic.
        part: development topics, test topics or all.
        topics: at most so many of them; None: all there are.
        fewest, most: labelled pages of a topic that is used.
        drawn: seeds, and examples, that are drawn for a task.
        fewest_targets: that a task must have; with fewer than 5 recall says little about an order.
        seeds: URLs a web comes with; without them seeds are drawn.
        keywords, names: topic -> words, of a person; others are derived.

    """

    strategies: tuple[str, ...]
    variants: tuple[str, ...] = USUAL
    budget: int = 1500
    draws: int = 3
    part: Part = "all"
    topics: int | None = None
    fewest: int = 1
    most: int | None = None
    drawn: int = 4
    fewest_targets: int = 5
    seeds: tuple[str, ...] = ()
    keywords: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)


class NoCase(NamedTuple):
    """A topic, variant and draw for which there is no task, and why."""

    variant: str
    topic: str
    draw: int
    reason: str


@dataclass(frozen=True)
class Plan:
    """The tasks of one web and what is not among them.

    Attributes:
        tasks: by variant, topic, draw and strategy.
        sides: how the topics of the web are split.
        topics: those that tasks ask about, in hash order.
        dropped: what could have been tasks and is none.
        lost_seeds: given seeds that the recording does not hold as pages.

    """

    tasks: list[Task]
    sides: Sides
    topics: tuple[str, ...]
    dropped: list[NoCase] = field(default_factory=list)
    lost_seeds: tuple[str, ...] = ()


def plan(web: WebFile, labels: Labels, protocol: Protocol) -> Plan:
    """Make the tasks of one web.

    Raises LabError where topics, seeds, budget or strategies leave nothing to measure.
    """
    sides = split_topics(labels, protocol.fewest, protocol.most)
    seeds, lost = _seeds(web, protocol)
    maker = CaseMaker(web, protocol, seeds)
    chosen = sides.part(protocol.part, protocol.topics)
    topics = {name: pages_of(web, labels.topics[name]) for name in chosen}
    made = [
        _case(maker, variant, topic, pages, draw)
        for variant in VARIANTS
        if variant in protocol.variants
        for topic, pages in topics.items()
        for draw in range(protocol.draws)
    ]
    cases = [case for case in made if isinstance(case, Task)]
    dropped = [case for case in made if isinstance(case, NoCase)]
    if not cases:
        raise LabError(_nothing_to_ask(web, protocol, sides, dropped))
    _check_budget(cases, protocol)
    tasks = [replace(case, strategy=row) for case in cases for row in protocol.strategies]
    asked = {case.topic for case in cases}
    return Plan(tasks, sides, tuple(t for t in chosen if t in asked), dropped, lost)


def _case(
    maker: CaseMaker, variant: str, topic: str, pages: Sequence[int], draw: int
) -> Task | NoCase:
    try:
        return maker.case(variant, topic, pages, draw)
    except LabError as error:
        return NoCase(variant, topic, draw, str(error))


def pages_of(web: WebFile, labelled: Iterable[str]) -> list[int]:
    """Numbers of the pages behind the labels of a topic, each once, ascending."""
    return sorted({web.landing(web.find(url)) for url in labelled} - {-1})


def reasons(dropped: Iterable[NoCase]) -> list[str]:
    """Why topics were left out, a line a variant and reason, with their number and first names."""
    topics: dict[tuple[str, str], dict[str, None]] = {}
    for case in dropped:
        topics.setdefault((case.variant, case.reason), {})[case.topic] = None
    return [
        f"{variant}: {counted(len(names), 'topic')}: {reason} ({', '.join(islice(names, _NAMED))}"
        f"{', ...' if len(names) > _NAMED else ''})"
        for (variant, reason), names in topics.items()
    ]


class CaseMaker:
    """Makes the cases of one web: tasks that name no strategy yet.

    `seeds` are numbers of the seeds that came with the web; without them seeds are drawn.
    """

    def __init__(self, web: WebFile, protocol: Protocol, seeds: Sequence[int] = ()) -> None:
        self._web = web
        self._protocol = protocol
        self._seeds = seeds

    def case(self, variant: str, topic: str, pages: Sequence[int], draw: int) -> Task:
        """Make a case. Raises LabError where there is nothing to find, or nowhere to start."""
        where, by = VARIANTS[variant]
        words = self._words(topic, by)
        examples = [] if words and where == OUTSIDE else self._examples(topic, pages, draw)
        seeds = examples if where == INSIDE else self._starts(topic, pages, draw)
        if by == KEYWORDS and not words:
            words = derived_keywords(topic, [*map(self._web.text, examples)])
            if not words:
                raise LabError("neither its name nor its pages hold a word that could be a keyword")
        return Task(
            self._web.name,
            variant,
            topic,
            draw,
            strategy="",
            seeds=self._urls(seeds),
            examples=self._urls(examples) if by == EXAMPLES else (),
            topic_words=words,
            targets=frozenset(self._urls(self._targets(pages, seeds, examples))),
            budget=self._protocol.budget,
        )

    def _words(self, topic: str, by: str) -> str:
        """The name, or the keywords of a person; "" where there are none."""
        if by != NAMES:
            return self._protocol.keywords.get(topic, "") if by == KEYWORDS else ""
        name = self._protocol.names.get(topic) or plain_name(topic)
        if not meaningful_words(name):
            raise LabError("its name holds no word that could be searched for")
        return name

    def _examples(self, topic: str, pages: Sequence[int], draw: int) -> list[int]:
        """Labelled pages that can be seeds as well: they hold text and lead somewhere."""
        count, indptr = self._protocol.drawn, self._web.indptr
        leading = (page for page in pages if indptr[page] < indptr[page + 1])
        ranked = self._drawn(leading, topic, draw, "examples")
        chosen = list(islice((page for page in ranked if self._web.text(page)), count))
        if len(chosen) < count:
            raise LabError(f"fewer than {count} labelled pages hold text and links")
        return chosen

    def _starts(self, topic: str, pages: Sequence[int], draw: int) -> Sequence[int]:
        if self._seeds:
            return self._seeds
        count, hops = self._protocol.drawn, self._web.hops_to(pages)
        outside = (hops >= _NEAR) & (hops <= _FAR) & (self._web.kinds == AnswerKind.PAGE)
        chosen = self._drawn(np.flatnonzero(outside).tolist(), topic, draw, "starts")[:count]
        if len(chosen) < count:
            raise LabError(f"fewer than {count} pages lie {_NEAR} or {_FAR} links outside")
        return chosen

    def _targets(
        self, pages: Sequence[int], seeds: Iterable[int], examples: Iterable[int]
    ) -> set[int]:
        hops, fewest = self._web.hops_from(seeds), self._protocol.fewest_targets
        targets = {page for page in pages if hops[page] != UNREACHED} - set(examples)
        if len(targets) < fewest:
            raise LabError(f"fewer than {fewest} labelled pages can be reached")
        return targets

    def _drawn(self, pages: Iterable[int], topic: str, draw: int, what: str) -> list[int]:
        """All the pages in the order in which they are drawn."""
        numbers = {self._web.urls[page]: page for page in pages}
        return [numbers[url] for url in drawn(numbers, topic, draw, what)]

    def _urls(self, pages: Iterable[int]) -> tuple[str, ...]:
        return tuple(self._web.urls[page] for page in pages)


def drawn(candidates: Iterable[str], topic: str, draw: int, what: str) -> list[str]:
    """All candidates in the order of draw number `draw`, by a keyed hash of each."""
    key = blake2b(f"{what}\0{draw}\0{topic}".encode("utf-8", "surrogatepass")).digest()

    def rank(candidate: str) -> tuple[bytes, str]:
        text = candidate.encode("utf-8", "surrogatepass")
        return blake2b(text, key=key, digest_size=8).digest(), candidate

    return sorted(set(candidates), key=rank)


def _seeds(web: WebFile, protocol: Protocol) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Numbers of the given seeds that answer with a page, and those that do not."""
    numbers = {url: web.find(url) for url in protocol.seeds}
    lost = tuple(url for url, number in numbers.items() if web.landing(number) < 0)
    if protocol.seeds and len(lost) == len(numbers):
        raise LabError(
            f"expected seeds that {web.name} holds, but of {len(lost):,} it holds none as a page; "
            f"the first is {lost[0]}. Name pages of the recording, or leave them out to have "
            "seeds drawn"
        )
    return tuple(dict.fromkeys(n for url, n in numbers.items() if url not in lost)), lost


def _check_budget(cases: list[Task], protocol: Protocol) -> None:
    most = max(len(case.seeds) for case in cases)
    if protocol.budget <= most:
        raise LabError(
            f"expected a budget above the {most:,} seeds of a crawl, found {protocol.budget:,}: "
            "no order would have anything to choose. Allow more requests"
        )


def _nothing_to_ask(web: WebFile, protocol: Protocol, sides: Sides, dropped: list[NoCase]) -> str:
    lines = [f"\n  {line}" for line in reasons(dropped)]
    if sides.dropped:
        lines.append(f"\n  {counted(sides.dropped, 'topic')}: not of the size asked for")
    return (
        f"expected topics that {web.name} can be crawled for, but with {protocol.part} topics "
        f"none is left. Name the web that the labels are of, or label more pages{''.join(lines)}"
    )
