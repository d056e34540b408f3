"""How a crawl did at each of its snapshots, and how it does now: what curves are drawn of."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from frontier.states import State

if TYPE_CHECKING:
    from frontier.store import StoreReader

_RATE_OVER: Final = 30.0
"""Seconds over which pages a second are counted."""
_TAIL: Final = 5000
"""Answers since the last snapshot that are counted."""
_FAILED: Final = (State.ERROR, State.ROBOTS, State.FILTERED)


class Point(NamedTuple):
    """The figures of a moment in Unix seconds, see `frontier.backend.snapshots`."""

    at: float
    figures: dict[str, Any]


class Points:
    """The snapshots of a crawl, each read once."""

    def __init__(self) -> None:
        self._points: dict[int, Point] = {}
        self.details: dict[str, Any] = {}
        """Of the last one."""

    def read(self, reader: StoreReader, relevant_from: float) -> list[Point]:
        """Return all of them, and that of now where URLs were answered since the last one."""
        rows = reader.snapshots(max(self._points, default=-1))
        with reader.reading():
            self._points |= {row.number: Point(row.at, json.loads(row.figures)) for row in rows}
            if rows:
                self.details = json.loads(rows[-1].details or "{}")
                there = set(reader.snapshot_numbers())  # some were thinned out
                self._points = {n: one for n, one in self._points.items() if n in there}
        points = list(self._points.values())
        return points + [now for one in points[-1:] if (now := _now(reader, one, relevant_from))]


def _now(reader: StoreReader, last: Point, relevant_from: float) -> Point | None:
    answers = reader.first_answers(last.figures["answers"], _TAIL)
    if not answers:
        return None
    figures = dict(last.figures)
    for state, relevance, _ in answers:
        is_judged = state == State.CRAWLED and relevance is not None
        figures["pages"] += state == State.CRAWLED
        figures["judged"] += is_judged
        figures["relevant"] += is_judged and relevance >= relevant_from
        figures["failed"] += state in _FAILED
    return Point(max(answers[-1][2], last.at), figures)


def curve_of(points: list[Point]) -> dict[str, list[Any]]:
    """What is drawn, as lists of one length; `recent` is of the last 100 judged pages."""
    names = "pages", "judged", "relevant", "queued", "memory"
    curve: dict[str, list[Any]] = {name: [one.figures[name] for one in points] for name in names}
    recent = (one.figures["recent"] for one in points)
    shares = [relevant / of if of else None for relevant, of in recent]
    return {"at": [one.at for one in points], **curve, "recent": shares, "rate": _rates(points)}


def _rates(points: list[Point]) -> list[float | None]:
    """Pages and looks a second, over the last _RATE_OVER seconds of the same run."""
    at = np.array([one.at for one in points])
    run = np.array([one.figures["run"] for one in points])
    done = np.array([one.figures["pages"] + one.figures["looks"] for one in points])
    before = np.searchsorted(at, at - _RATE_OVER, side="right") - 1
    before = np.maximum(before, np.searchsorted(run, run))
    seconds, more = (at - at[before]).tolist(), np.maximum(done - done[before], 0).tolist()
    return [n / time if time > 0 else None for n, time in zip(more, seconds, strict=True)]
