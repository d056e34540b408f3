"""From labels to tasks: who is asked what, and what was left out.

A plan is the whole protocol of a lab run: every task follows from the web, the labels and the
numbers in `Protocol`. Nothing that cannot be asked is dropped silently: topics and cases that are
left out are listed with the reason, and a plan without a task is an error that counts them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from frontier.errors import LabError
from frontier.lab.protocol.cases import DRAWN, VARIANTS, Case, CaseMaker, Topic
from frontier.lab.protocol.reach import landing
from frontier.lab.protocol.split import Part, Sides, split_topics
from frontier.lab.replay.records import Task

if TYPE_CHECKING:
    from frontier.lab.protocol.labels import Labels
    from frontier.lab.replay.web import LabWeb

FEWEST_TARGETS = 5
"""Below, recall moves in steps of a fifth and more, and says little about an order."""
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
        drawn: seeds, and examples, that are drawn for a case.
        fewest_targets: that a case must have.
        seeds: URLs a web comes with; without them seeds are drawn.
        keywords: topic -> words, of a person; others are derived.

    """

    strategies: tuple[str, ...]
    variants: tuple[str, ...] = VARIANTS
    budget: int = 1500
    draws: int = 3
    part: Part = "all"
    topics: int | None = None
    fewest: int = 1
    most: int | None = None
    drawn: int = DRAWN
    fewest_targets: int = FEWEST_TARGETS
    seeds: tuple[str, ...] = ()
    keywords: Mapping[str, str] = field(default_factory=dict)


class NoCase(NamedTuple):
    """A topic, variant and draw that ask nothing of a crawl, and why."""

    variant: str
    topic: str
    draw: int
    reason: str


@dataclass(frozen=True)
class Plan:
    """The tasks of one web and what is not among them.

    Attributes:
        web: its name.
        tasks: by variant, topic, draw and strategy.
        sides: how the topics of the web are split.
        topics: those that tasks ask about, in hash order.
        dropped: what could have been a case and is none.
        lost_seeds: given seeds that the recording does not hold as pages.

    """

    web: str
    tasks: list[Task]
    sides: Sides
    topics: tuple[str, ...]
    dropped: list[NoCase] = field(default_factory=list)
    lost_seeds: tuple[str, ...] = ()


def plan(web: LabWeb, labels: Labels, protocol: Protocol) -> Plan:
    """Make the tasks of one web.

    Raises LabError where topics, seeds, budget or strategies leave nothing to measure.
    """
    _check(protocol)
    sides = split_topics(labels, protocol.fewest, protocol.most)
    seeds, lost = _seeds(web, protocol)
    maker = CaseMaker(web, seeds, protocol.drawn, protocol.fewest_targets)
    chosen = sides.part(protocol.part, protocol.topics)
    topics = [maker.topic(name, labels.topics[name], protocol.keywords) for name in chosen]
    made = [
        _case(maker, variant, topic, draw)
        for variant in protocol.variants
        for topic in topics
        for draw in range(protocol.draws)
    ]
    cases = [one for one in made if isinstance(one, Case)]
    dropped = [one for one in made if isinstance(one, NoCase)]
    if not cases:
        raise LabError(_nothing_to_ask(web, protocol, sides, dropped))
    _check_budget(cases, protocol)
    tasks = [_task(web, case, protocol, row) for case in cases for row in protocol.strategies]
    asked = {case.topic for case in cases}
    return Plan(web.name, tasks, sides, tuple(t for t in chosen if t in asked), dropped, lost)


def counted(count: int, what: str) -> str:
    """A number of things in words."""
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def reasons(dropped: Iterable[NoCase]) -> list[str]:
    """Why topics were left out, a line a variant and reason, with their number and first names."""
    topics: dict[tuple[str, str], list[str]] = {}
    for one in dropped:
        named = topics.setdefault((one.variant, one.reason), [])
        if one.topic not in named:
            named.append(one.topic)
    return [
        f"{variant}: {counted(len(names), 'topic')}: {reason} ({', '.join(names[:_NAMED])}"
        f"{', ...' if len(names) > _NAMED else ''})"
        for (variant, reason), names in topics.items()
    ]


def _case(maker: CaseMaker, variant: str, topic: Topic, draw: int) -> Case | NoCase:
    try:
        return maker.case(variant, topic, draw)
    except LabError as error:
        return NoCase(variant, topic.name, draw, str(error))


def _task(web: LabWeb, case: Case, protocol: Protocol, strategy: str) -> Task:
    return Task(
        web.name,
        case.variant,
        case.topic,
        case.draw,
        strategy,
        case.seeds,
        case.examples,
        case.topic_words,
        case.targets,
        protocol.budget,
    )


def _check(protocol: Protocol) -> None:
    if unknown := [one for one in protocol.variants if one not in VARIANTS]:
        raise LabError(f"expected variants of {', '.join(VARIANTS)}; found {', '.join(unknown)}")
    counts = {"a budget": protocol.budget, "draws": protocol.draws, "seeds a topic": protocol.drawn}
    for what, count in counts.items():
        if count < 1:
            raise LabError(f"expected {what} of 1 or more, found {count}: nothing to measure")
    if not protocol.strategies or not protocol.variants:
        raise LabError("expected strategies and variants, one of each at least; found none")
    if len(set(protocol.strategies)) < len(protocol.strategies):
        twice = [name for name, n in Counter(protocol.strategies).items() if n > 1]
        raise LabError(f"expected each strategy once, found again: {', '.join(twice)}")


def _seeds(web: LabWeb, protocol: Protocol) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Numbers of the given seeds that answer with a page, and those that do not."""
    found = {url: web.find(url) for url in protocol.seeds}
    lost = tuple(url for url, number in found.items() if landing(web, number) < 0)
    if protocol.seeds and len(lost) == len(found):
        raise LabError(
            f"expected seeds that {web.name} holds, but of {len(lost):,} it holds none as a page; "
            f"the first is {lost[0]}. Name pages of the recording, or leave them out to have "
            "seeds drawn"
        )
    return tuple(dict.fromkeys(n for url, n in found.items() if url not in lost)), lost


def _check_budget(cases: list[Case], protocol: Protocol) -> None:
    most = max(len(case.seeds) for case in cases)
    if protocol.budget <= most:
        raise LabError(
            f"expected a budget above the {most:,} seeds of a crawl, found {protocol.budget:,}: "
            "no order would have anything to choose. Allow more requests"
        )


def _nothing_to_ask(
    web: LabWeb,
    protocol: Protocol,
    sides: Sides,
    dropped: list[NoCase],
) -> str:
    lines = [f"\n  {line}" for line in reasons(dropped)]
    if sides.dropped:
        lines.append(f"\n  {counted(len(sides.dropped), 'topic')}: not of the size asked for")
    return (
        f"expected topics that {web.name} can be crawled for, but with {protocol.part} topics "
        f"none is left. Name the web that the labels are of, or label more pages{''.join(lines)}"
    )
