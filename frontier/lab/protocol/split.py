"""Which topics are used, and which of them to develop with: decided by a hash, once and for all.

Topics are ordered by BLAKE2b (8 bytes) of their name; every other one, from the first, is for
development, the rest for the test. So nobody chooses the topics that a method looks good on, and a
topic keeps its side as long as the same labels are used. A split by half of the hash's range would
keep it for ever, but leave the two sides of unequal size.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Final, Literal

from frontier.errors import LabError
from frontier.lab.protocol.labels import Labels

Part = Literal["development", "test", "all"]
PARTS: Final[tuple[Part, ...]] = ("development", "test", "all")


@dataclass(frozen=True)
class Sides:
    """Topics for development and for the test, each in hash order; the others with a reason."""

    development: tuple[str, ...]
    test: tuple[str, ...]
    dropped: dict[str, str] = field(default_factory=dict)

    def part(self, name: Part, at_most: int | None = None) -> tuple[str, ...]:
        """The first topics of one side, or of both in turns."""
        if name == "all":
            chosen = tuple(sorted((*self.development, *self.test), key=topic_hash))
        else:
            chosen = self.development if name == "development" else self.test
        return chosen[:at_most]


def topic_hash(topic: str) -> str:
    """Sixteen hex digits that order topics."""
    return blake2b(topic.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def split_topics(labels: Labels, fewest: int = 1, most: int | None = None) -> Sides:
    """Split the topics that have `fewest` to `most` labelled pages.

    Raises LabError where no topic has.
    """
    dropped = {
        topic: f"{len(urls):,} labelled pages"
        for topic, urls in labels.topics.items()
        if not fewest <= len(urls) <= (most or len(urls))
    }
    eligible = sorted(labels.topics.keys() - dropped.keys(), key=topic_hash)
    if not eligible:
        raise LabError(_nothing_left(labels, fewest, most))
    return Sides(tuple(eligible[::2]), tuple(eligible[1::2]), dropped)


def _nothing_left(labels: Labels, fewest: int, most: int | None) -> str:
    sizes = sorted(map(len, labels.topics.values()))
    wanted = f"{fewest:,} to {most:,}" if most else f"{fewest:,} or more"
    return (
        f"expected topics with {wanted} labelled pages, but of {len(sizes):,} topics the smallest "
        f"has {sizes[0]:,} and the largest {sizes[-1]:,}. Change the bounds, or label more pages"
    )
