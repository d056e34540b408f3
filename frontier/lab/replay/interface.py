"""What every order is driven through in a replay, whoever wrote it.

Our backend, Frontera's own backends, Scrapy's scheduler and the oracle stand behind one interface,
so that all of them get the same answers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

from frontier.lab.replay.webfile import RecordedAnswer


class Handout(NamedTuple):
    """A URL to be requested: its number in the web, and what its order knows it by."""

    number: int
    token: Any


class ReplayFrontier(ABC):
    """The frontier of one replayed crawl. URLs are told by their numbers in the web.

    Every hand-out is answered once: by `page`, `redirect`, `fail`, `refuse` or `retry`; after
    `retry` it is handed out again. `at` is the time of the answer in seconds.
    """

    @abstractmethod
    def seed(self, numbers: Sequence[int]) -> None:
        """Start here."""

    @abstractmethod
    def next(self) -> Handout | None:
        """Hand out the best URL; None if there is none."""

    @abstractmethod
    def page(self, handout: Handout, answer: RecordedAnswer, at: float) -> None:
        """A page came back."""

    @abstractmethod
    def redirect(self, handout: Handout, answer: RecordedAnswer, at: float) -> None:
        """The answer sends on to `answer.location`."""

    @abstractmethod
    def retry(self, handout: Handout) -> None:
        """It failed and is to be requested again."""

    def fail(self, handout: Handout, answer: RecordedAnswer, at: float) -> None:  # noqa: B027
        """There is no page, for good."""

    def refuse(self, handout: Handout, at: float) -> None:  # noqa: B027
        """robots.txt forbids it; nothing was requested."""

    def close(self) -> None:  # noqa: B027
        """The crawl is over."""
