"""The input of a replay, a `Task` of `frontier.lab.protocol`, and its output, a `RunRecord`.

A task holds labels for the scoring and the greedy oracle, which may see them. A record holds a
letter for each request: all figures of a strategy follow from this sequence. Every strategy and the
oracle is driven as a `ReplayFrontier`, so that all get the same answers.
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
"""A redirect by status or meta refresh; its target is a URL of the frontier."""
RETRY = "t"
"""A recorded failure that is retried."""
FAILED = "f"
"""A recorded failure, for good."""
UNKNOWN = "n"
"""A URL that was not recorded; whether it is a target is unknown."""
GREEDY_ORACLE = "greedy-oracle"
"""The row that sees labels and recorded links: an upper bound."""
ALWAYS = (GREEDY_ORACLE,)
"""Rows of every report: nAUC is divided by theirs."""


class RunKey(NamedTuple):
    """The identity of a run in a lab."""

    web: str
    variant: str
    topic: str
    draw: int
    strategy: str


@dataclass(frozen=True, slots=True)
class Task:
    """One crawl to replay.

    Attributes:
        web: name of the recorded web.
        variant: one of the protocol's.
        topic: name of the topic, a label of the topics file.
        draw: number of the draw of seeds and examples, from 0; also seeds the ties of the crawl.
        strategy: name or import path of a crawl order, or another row's name (see
            `frontier.lab.replay.contestants`).
        seeds: canonical URLs, fetched first; they count as fetched, and as hits when targets.
        examples: canonical URLs whose recorded texts are the positive examples; no targets.
        topic_words: the topic in words, "" if it is given by examples.
        targets: canonical URLs of relevant pages that can be reached from the seeds.
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
        """The identity of this run."""
        return RunKey(self.web, self.variant, self.topic, self.draw, self.strategy)


@dataclass(frozen=True, slots=True)
class RunRecord:
    """The record of a replay; `key` and `budget` are its task's.

    Attributes:
        n_targets: number of targets.
        outcomes: a letter for each request in the order of the answers, see above; fewer than the
            budget if the frontier ran empty.
        urls: number of the URL in the web for each letter.

    """

    key: RunKey
    budget: int
    n_targets: int
    outcomes: str
    urls: tuple[int, ...]


class Leased(NamedTuple):
    """A leased URL: its number in the web, and an object of its frontier."""

    number: int
    token: Any


class ReplayFrontier(ABC):
    """The frontier of a replayed crawl. URLs are given by their numbers in the web.

    Every lease is answered once: by `page`, `redirect`, `fail`, `refuse` or `retry`; after
    `retry` it is leased again. `at` is the time of the answer in seconds.
    """

    @abstractmethod
    def seed(self, numbers: Sequence[int]) -> None:
        """Add the seeds."""

    @abstractmethod
    def next(self) -> Leased | None:
        """Lease the best URL; None without any."""

    @abstractmethod
    def page(self, leased: Leased, answer: RecordedAnswer, at: float) -> None:
        """Take a page."""

    @abstractmethod
    def redirect(self, leased: Leased, answer: RecordedAnswer, at: float) -> None:
        """Take a redirect to `answer.location`."""

    @abstractmethod
    def retry(self, leased: Leased) -> None:
        """Take back a failed URL that is requested again."""

    def fail(self, leased: Leased, answer: RecordedAnswer, at: float) -> None:  # noqa: B027
        """Take a final failure."""

    def refuse(self, leased: Leased, at: float) -> None:  # noqa: B027
        """Take a URL that robots.txt forbids; nothing was requested."""

    def close(self) -> None:  # noqa: B027
        """End the crawl."""
