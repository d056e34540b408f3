"""What goes into a replay, a `Task` of `frontier.lab.protocol`, and what comes out, a `RunRecord`.

Labels are in a task for those who may see them: scoring and the greedy oracle.
A record holds one letter a request: all that is measured of an order follows from the sequence of
what it requested. `ReplayFrontier` is what every order is driven through, ours and the oracle, so
that all of them get the same answers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from frontier.lab.replay.webfile import RecordedAnswer

HIT = "h"
"""A target, fetched for the first time."""
PAGE = "p"
"""Any other page that was answered with a status below 300."""
REDIRECT = "r"
"""An answer that only sends on, by status or by meta refresh; where it leads is asked for next."""
RETRY = "t"
"""A failure as recorded, to be asked again."""
FAILED = "f"
"""A failure as recorded, for good."""
UNKNOWN = "n"
"""A URL that the recording never held; a target or not, nobody knows."""
GREEDY_ORACLE = "greedy-oracle"
"""Row that sees labels and recorded links: the best there is to reach."""
ALWAYS = (GREEDY_ORACLE,)
"""Rows of every report, asked for or not: what nAUC is divided by."""


class RunKey(NamedTuple):
    """What tells one run of a lab from all others."""

    web: str
    variant: str
    topic: str
    draw: int
    strategy: str


@dataclass(frozen=True, slots=True)
class Task:
    """One crawl to replay.

    Attributes:
        web: name of the recorded web, as the engine knows it.
        variant: one of the protocol's.
        topic: name of the topic, a label of the topics file.
        draw: number of the draw of seeds and examples, from 0; also seeds the ties of the crawl.
        strategy: name or import path of a crawl order, or another row's name (see
            `frontier.lab.replay.contestants`).
        seeds: canonical URLs, fetched first; they count as fetched, and as hits when targets.
        examples: canonical URLs whose recorded texts are the positive examples; no targets.
        topic_words: the topic in words, "" if there are examples only.
        targets: canonical URLs that are worth fetching; reachable from the seeds, no examples.
        budget: requests, 1 or more.

    """

    web: str
    variant: str
    topic: str
    draw: int
    strategy: str
    seeds: tuple[str, ...]
    examples: tuple[str, ...]
    topic_words: str
    targets: frozenset[str]
    budget: int

    @property
    def key(self) -> RunKey:
        """What tells this run from the others."""
        return RunKey(self.web, self.variant, self.topic, self.draw, self.strategy)


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One crawl, replayed; `key` and `budget` are its task's.

    Attributes:
        n_targets: targets there were.
        outcomes: one letter a request in the order of the answers, see above; shorter than the
            budget where the frontier ran empty.
        urls: number of the URL in the web for every letter.

    """

    key: RunKey
    budget: int
    n_targets: int
    outcomes: str
    urls: tuple[int, ...]


class Leased(NamedTuple):
    """A URL to be requested: its number in the web, and what its order knows it by."""

    number: int
    token: Any


class ReplayFrontier(ABC):
    """The frontier of one replayed crawl. URLs are told by their numbers in the web.

    Every lease is answered once: by `page`, `redirect`, `fail`, `refuse` or `retry`; after
    `retry` it is leased again. `at` is the time of the answer in seconds.
    """

    @abstractmethod
    def seed(self, numbers: Sequence[int]) -> None:
        """Start here."""

    @abstractmethod
    def next(self) -> Leased | None:
        """Lease the best URL; None if there is none."""

    @abstractmethod
    def page(self, leased: Leased, answer: RecordedAnswer, at: float) -> None:
        """A page came back."""

    @abstractmethod
    def redirect(self, leased: Leased, answer: RecordedAnswer, at: float) -> None:
        """The answer sends on to `answer.location`."""

    @abstractmethod
    def retry(self, leased: Leased) -> None:
        """It failed and is to be requested again."""

    def fail(self, leased: Leased, answer: RecordedAnswer, at: float) -> None:  # noqa: B027
        """There is no page, for good."""

    def refuse(self, leased: Leased, at: float) -> None:  # noqa: B027
        """robots.txt forbids it; nothing was requested."""

    def close(self) -> None:  # noqa: B027
        """The crawl is over."""
