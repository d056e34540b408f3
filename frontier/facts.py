"""What is known of a URL once it has been answered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from frontier.states import NO_MARKS, Mark, State


@dataclass(frozen=True, slots=True)
class PageFacts:
    """The answer to one hand-out, as the store keeps it.

    `fetched` is a Unix time in seconds; `length` counts characters of visible text; `relevance`
    and `similarity` lie in [0, 1] and are None where nothing could be judged; `twin` is the id of
    the page that it repeats or names as the one to keep.
    """

    state: State
    fetched: float
    status: int | None = None
    error: str | None = None
    final_url: str | None = None
    title: str | None = None
    content_hash: bytes | None = None
    length: int | None = None
    relevance: float | None = None
    similarity: float | None = None
    marks: Mark = NO_MARKS
    twin: int | None = None


class Sample(NamedTuple):
    """A fetched page whose text is kept, to be asked about."""

    url_id: int
    relevance: float
    text: str


class RobotsRow(NamedTuple):
    """The robots.txt of an origin, as it was last asked for."""

    origin: str
    """Scheme, host and port."""
    fetched: float
    """Unix seconds of the last try."""
    good: float | None
    """Unix seconds of the answer that `body` is of; None: there never was one."""
    status: int | None
    """HTTP status of the last try."""
    outcome: str
    body: bytes | None
