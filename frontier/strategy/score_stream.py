"""The way of a priority from the strategy to the queue.

Frontera's strategies send one message a URL to a stream; here the stream is a list that the backend
empties into the queue when the strategy has said all it has to say about an event.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier import meta as key

if TYPE_CHECKING:
    from collections.abc import Callable

    from frontera.core.models import Request

ScheduleRow = tuple[int, float, "Request", bool]


class ScoreStream:
    """Collects (fingerprint, priority, request, whether to queue it) until `flush`."""

    def __init__(self, schedule: Callable[[list[ScheduleRow]], None]) -> None:
        self._schedule = schedule
        self._rows: list[ScheduleRow] = []

    def send(self, request: Request, score: float = 1.0, dont_queue: bool = False) -> None:  # noqa: FBT001, FBT002  # Frontera's signature
        """Take one priority; `dont_queue` updates a URL that is queued already."""
        self._rows.append((request.meta[key.FINGERPRINT], score, request, not dont_queue))

    def flush(self) -> None:
        """Hand everything over to the queue."""
        if self._rows:
            rows, self._rows = self._rows, []
            self._schedule(rows)
