"""From labels to tasks. The variants of a task:

names            the seeds of `outside`, and the topic's plain name, as a person types it
inside           seeds are labelled pages about the topic, which are also the examples
outside          seeds are pages two or three links away from the nearest page about the topic, and
                 the examples are texts of labelled pages
keywords         the seeds of `outside`, and about ten words instead of examples; if the words are
                 derived from labelled pages, these are the examples of `outside`
inside-names     the seeds of `inside`, which are no examples, and the name
inside-keywords  the same with about ten words

If a web comes with seeds, the variants outside start from these. Targets are the labelled pages
that can be reached from the seeds, without the examples. With derived words `outside` and
`keywords` have the same targets, so that words can be compared with examples.

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
"""Variant -> place of the seeds, and form of the topic; in the order of the tables."""
USUAL: Final = tuple(VARIANTS)[:4]
_NEAR, _FAR = 2, 3
"""Links from a start outside the topic to the nearest page about it."""
_NAMED = 3
"""Topics named in a message."""


@dataclass(frozen=True)
class Protocol:
    """The parameters of a lab run.

    Attributes:
        strategies: names of rows, each once.
        variants: of VARIANTS.
        budget: requests a run, 1 or more.
        draws: of seeds and examples, for each topic.
        part: development topics, test topics or all.
        topics: number of topics, at most; None: all.
        fewest, most: bounds of the labelled pages of a topic.
        drawn: number of seeds, and of examples, drawn for a task.
        fewest_targets: targets of a task, at least; with fewer than 5 recall means little.
        seeds: seeds that come with the web; without them seeds are drawn.
        keywords, names: topic -> words of a person; others are derived.

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
    """A topic, variant and draw without a task, and the reason."""

    variant: str
    topic: str
    draw: int
    reason: str


@dataclass(frozen=True)
class Plan:
    """The tasks of a web, and those that could not be made.

    Attributes:
        tasks: by variant, topic, draw and strategy.
        sides: how the topics of the web are split.
        topics: topics of the tasks, in hash order.
        dropped: cases without a task.
        lost_seeds: given seeds that are no pages of the recording.

    """

    tasks: list[Task]
    sides: Sides
    topics: tuple[str, ...]
    dropped: list[NoCase] = field(default_factory=list)
    lost_seeds: tuple[str, ...] = ()


def plan(web: WebFile, labels: Labels, protocol: Protocol) -> Plan:
    """Make the tasks of a web.

    Raises LabError if topics, seeds or budget leave nothing to measure.
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
    """Why topics were left out: a line for each variant and reason, with the first topics."""
    topics: dict[tuple[str, str], dict[str, None]] = {}
    for case in dropped:
        topics.setdefault((case.variant, case.reason), {})[case.topic] = None
    return [
        f"{variant}: {counted(len(names), 'topic')}: {reason} ({', '.join(islice(names, _NAMED))}"
        f"{', ...' if len(names) > _NAMED else ''})"
        for (variant, reason), names in topics.items()
    ]


class CaseMaker:
    """Makes the cases of a web: tasks without a strategy.

    `seeds` are numbers of the given seeds; without them seeds are drawn.
    """

    def __init__(self, web: WebFile, protocol: Protocol, seeds: Sequence[int] = ()) -> None:
        self._web = web
        self._protocol = protocol
        self._seeds = seeds

    def case(self, variant: str, topic: str, pages: Sequence[int], draw: int) -> Task:
        """Make a case. Raises LabError if there are too few targets, seeds or examples."""
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
        """The name, or the keywords of a person; "" without any."""
        if by != NAMES:
            return self._protocol.keywords.get(topic, "") if by == KEYWORDS else ""
        name = self._protocol.names.get(topic) or plain_name(topic)
        if not meaningful_words(name):
            raise LabError("its name holds no word that could be searched for")
        return name

    def _examples(self, topic: str, pages: Sequence[int], draw: int) -> list[int]:
        """Labelled pages with text and links, which can also be seeds."""
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
        """The pages in the order in which they are drawn."""
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
    """Numbers of the given seeds that are pages, and the URLs of the others."""
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
