"""What every order is driven through in a replay, whoever wrote it.

Our backend, Frontera's own backends, Scrapy's scheduler and the oracle stand behind one interface,
so that the same simulated fetcher asks all of them and tells all of them the same answers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from frontier.lab.replay.web import RecordedAnswer

Room = Callable[[str], int]
"""Host -> how many requests it may get now."""


class Handout(NamedTuple):
    """A URL to be requested: its number in the web, its host, and what its order knows it by."""

    number: int
    host: str
    token: Any


class ReplayFrontier(ABC):
    """The frontier of one replayed crawl. URLs are told by their numbers in the web.

    Every hand-out is answered once: by `page`, `redirect`, `fail`, `refuse` or `retry`; after
    `retry` it is handed out again. `at` is the time of the answer in virtual seconds.
    """

    @abstractmethod
    def seed(self, numbers: Sequence[int]) -> None:
        """Start here."""

    @abstractmethod
    def next(self, room: Room, now: float) -> Handout | None:
        """Hand out the best URL; None if there is none, or none whose host has room.

        An order that does not look at hosts hands out one without room, which then waits in the
        downloader, as in Scrapy, and keeps a place there.
        """

    def seconds_to_wait(self) -> float | None:
        """Seconds after which `next` may hand out what it has just held back; None: not by time."""
        return None

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
