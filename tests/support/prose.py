"""Sentences and titles of made-up webs, drawn from word lists by a seeded chance.

The lists stand in prose.json. What a topic says is its own, and no two share a technical word; how
it is said is shared, so that pages of different topics are as alike as pages of one language are.
``Chance`` uses ``random.Random.random`` alone: its sequence for a seed is promised to stay the same
over Python versions, that of ``choice`` and ``sample`` is not.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

T = TypeVar("T")
_TEXTS: Any = json.loads(Path(__file__).with_name("prose.json").read_text(encoding="utf-8"))
_TITLES: list[str] = _TEXTS["titles"]
_SENTENCES: list[str] = _TEXTS["sentences"]


class Topic(NamedTuple):
    """Word lists of one topic.

    ``things`` and ``people`` are plural nouns, ``tools`` singular ones with their article, ``acts``
    gerunds, ``factors`` noun phrases, ``qualities`` adjectives, ``sayings`` whole sentences.
    ``keywords`` is how a person would ask for the topic.
    """

    name: str
    keywords: str
    hosts: list[str]
    things: list[str]
    tools: list[str]
    acts: list[str]
    people: list[str]
    factors: list[str]
    qualities: list[str]
    sayings: list[str]


TOPICS = tuple(Topic(**lists) for lists in _TEXTS["topics"])
ASTRONOMY, GARDENING, COOKING, CYCLING, CHESS = TOPICS


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


def _fill(frame: str, topic: Topic, chance: Chance) -> str:
    things, things2 = chance.picks(topic.things, 2)
    act, act2 = chance.picks(topic.acts, 2)
    return frame.format(
        things=things,
        Things=things[0].upper() + things[1:],
        things2=things2,
        act=act,
        Act=act[0].upper() + act[1:],
        act2=act2,
        tool=chance.pick(topic.tools),
        people=chance.pick(topic.people),
        factor=chance.pick(topic.factors),
        quality=chance.pick(topic.qualities),
    )
