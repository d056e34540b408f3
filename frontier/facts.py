"""What is known of a URL once it has been answered."""

from __future__ import annotations

from dataclasses import dataclass

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
