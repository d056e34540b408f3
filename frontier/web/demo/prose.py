"""Sentences and titles of the demonstration web, drawn from word lists by a seeded chance.

``Chance`` uses ``random.Random.random`` alone: its sequence for a seed is promised to
stay the same over Python versions, that of ``choice`` and ``sample`` is not.
"""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from frontier.web.demo.words import Topic

T = TypeVar("T")

_TITLES = (
    "{Act} for beginners",
    "A field guide to {things}",
    "Choosing {tool}",
    "What {factor} does to {things}",
    "{Things} and {things2}",
    "How {people} think about {things}",
    "Ten notes on {act}",
    "Why {things} are never {quality} enough",
    "{Act} with {tool}",
    "Learning from {people}: {act}",
)
_SENTENCES = (
    "{Things} reward anyone who is willing to spend an evening {act}.",
    "With {tool} and a little patience, {things} turn out more {quality} than the books say.",
    "Most {people} will tell you that {factor} matters more than {tool}.",
    "Before {act}, write down what you know about {factor}.",
    "It took {people} many years to agree on {things}, and some still do not.",
    "If {factor} is against you, leave {things} for another day and try {act} instead.",
    "The {quality} look of {things} has less to do with {tool} than with {factor}.",
    "We compared {things} with {things2}, and {factor} explained nearly all of the difference.",
    "Start with {tool}; {act} comes later, and {act2} later still.",
    "Nobody regrets the time they gave to {act}, least of all {people}.",
    "Watch {factor} first, then {things}, then everything else.",
    "For {act} you need {tool}, steady hands, and no hurry at all.",
    "There is a {quality} way of {act}, and there is the way that {people} really do it.",
    "{Things} are at their best when {factor} has been dealt with.",
)
_MIXED = (
    "This week brought more letters than usual, and we print a few of them.",
    "The editors were away for some days, so this issue is a short one.",
    "Readers asked for a wider view, and here it is.",
    "As always, the list is not complete and the order means nothing.",
)


class Chance:
    """Choices that are the same in every run for the same ``seed``."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)

    def below(self, limit: int) -> int:
        """An integer from 0 to ``limit`` - 1."""
        return int(self._random.random() * limit)

    def happens(self, probability: float) -> bool:
        """True with a probability in [0, 1]."""
        return self._random.random() < probability

    def pick(self, choices: Sequence[T]) -> T:
        """One of at least one."""
        return choices[self.below(len(choices))]

    def picks(self, choices: Sequence[T], count: int) -> list[T]:
        """Up to ``count`` different ones, in the order they were drawn."""
        left = list(choices)
        return [left.pop(self.below(len(left))) for _ in range(min(count, len(left)))]


def title(topic: Topic, chance: Chance) -> str:
    """The title of an article."""
    return _fill(chance.pick(_TITLES), topic, chance)


def paragraph(topic: Topic, chance: Chance) -> str:
    """Three to five sentences on a topic."""
    frames = chance.picks(_SENTENCES, 3 + chance.below(3))
    sentences = [_fill(frame, topic, chance) for frame in frames]
    if chance.happens(0.4):
        sentences.append(chance.pick(topic.sayings))
    return " ".join(sentences)


def small_talk(chance: Chance) -> str:
    """A sentence on nothing in particular."""
    return chance.pick(_MIXED)


def slug(text: str) -> str:
    """The words of a title as a path segment."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _fill(frame: str, topic: Topic, chance: Chance) -> str:
    things, things2 = chance.picks(topic.things, 2)
    act, act2 = chance.picks(topic.acts, 2)
    return frame.format(
        things=things,
        Things=_capital(things),
        things2=things2,
        act=act,
        Act=_capital(act),
        act2=act2,
        tool=chance.pick(topic.tools),
        people=chance.pick(topic.people),
        factor=chance.pick(topic.factors),
        quality=chance.pick(topic.qualities),
    )


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
