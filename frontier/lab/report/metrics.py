"""What a crawl was worth: figures of one run, from the places of the targets in it.

A run is a row of requests, numbered from 1; redirects count, and so does what fails, for it costs
as much. `hits` are the numbers of those that brought a target for the first time. Of `targets`
pages that could be had, r(n) is the share among the first n requests:

    harvest rate at n   hits among the first n / n
    recall at n         r(n); T/2T/4T: at once, twice and four times as many requests as targets
    area                mean of r(n) for n = 1 .. budget
    nAUC                area / area of the greedy oracle for the same task

A run that ended before the budget keeps its recall to the end, and its harvest rate is divided by
the requests that it could have made: a frontier run dry is no excuse.

A page that the recording never held has no label. It counts as worthless, which bounds the truth
from below; `ceiling` counts it as a target, which bounds it from above.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from math import ceil

from frontier.lab.replay.records import FAILED, HIT, RETRY, UNKNOWN, RunRecord

Figures = dict[str, float | None]
"""Name of a figure -> its value; None where there is none, as pages to 80 % never reached."""

HARVEST_AT = (100, 250, 500, 1000)
RECALL_AT = (1, 2, 4)
"""In units of the number of targets."""
REACHED = (0.5, 0.8)
_ROUNDING = 1e-9
"""0.8 x 35 is a little more than 28 in binary."""


@dataclass(frozen=True)
class Trace:
    """The course of one run, as far as it is scored; all numbers of requests count from 1.

    Attributes:
        targets: number of pages that could be had, at least 1.
        budget: requests allowed, at least 1.
        requests: requests made, at most the budget.
        hits: ascending numbers of the requests that brought another target.
        absent: ascending numbers of the requests for pages the recording never held.
        failed: requests that failed as recorded, retries among them, absent pages not.
        seconds: virtual time from the start to the last answer.

    """

    targets: int
    budget: int
    requests: int
    hits: tuple[int, ...]
    absent: tuple[int, ...] = ()
    failed: int = 0
    seconds: float = 0.0

    def found(self, n: int) -> int:
        """Targets among the first n requests."""
        return bisect_right(self.hits, n)

    def recall(self, n: int) -> float:
        """Their share of all targets."""
        return self.found(n) / self.targets

    def harvest(self, n: int) -> float:
        """Their share of n requests."""
        return self.found(n) / n

    def area(self) -> float:
        """Mean recall over the budget: a target found at request h counts from h on."""
        counted = sum(self.budget - hit + 1 for hit in self.hits)
        return counted / (self.targets * self.budget)

    def reached(self, share: float) -> int | None:
        """Requests until this share of the targets was found; None if it never was."""
        needed = ceil(share * self.targets - _ROUNDING)
        return self.hits[needed - 1] if needed <= len(self.hits) else None

    def ceiling(self) -> Trace:
        """The run if every absent page had been a target, as long as any is left."""
        hits = sorted((*self.hits, *self.absent))[: self.targets]
        return replace(self, hits=tuple(hits))


def trace_of(record: RunRecord) -> Trace:
    """Read the course of a run from its record."""
    return Trace(
        targets=record.n_targets,
        budget=record.budget,
        requests=record.n_fetched,
        hits=_places(record.outcomes, HIT),
        absent=_places(record.outcomes, UNKNOWN),
        failed=record.outcomes.count(FAILED) + record.outcomes.count(RETRY),
        seconds=record.times[-1] if record.times else 0.0,
    )


def figures(trace: Trace, oracle: Trace) -> Figures:
    """All figures of a run, some of them against the greedy oracle's run for the same task."""
    most = trace.ceiling()
    return {
        "nauc": _ratio(trace.area(), oracle.area()),
        **{f"harvest_{n}": _harvest(trace, n) for n in HARVEST_AT},
        **{f"harvest_{n}_of_oracle": _by_oracle(trace, oracle, n) for n in HARVEST_AT},
        **{f"recall_{k}t": _recall(trace, k * trace.targets) for k in RECALL_AT},
        "recall": trace.recall(trace.budget),
        **{f"pages_to_{100 * share:.0f}": trace.reached(share) for share in REACHED},
        "requests": float(trace.requests),
        "failed": float(trace.failed),
        "not_recorded": float(len(trace.absent)),
        "seconds": trace.seconds,
        "nauc_most": _ratio(most.area(), oracle.area()),
        "recall_most": most.recall(trace.budget),
        **{f"harvest_{n}_most": _harvest(most, n) for n in HARVEST_AT},
    }


def figure_names() -> tuple[str, ...]:
    """Names of all figures, in the order in which they are reported."""
    one = Trace(targets=1, budget=1, requests=0, hits=())
    return tuple(figures(one, one))


def _harvest(trace: Trace, n: int) -> float | None:
    return trace.harvest(n) if n <= trace.budget else None


def _by_oracle(trace: Trace, oracle: Trace, n: int) -> float | None:
    return _ratio(trace.found(n), oracle.found(n)) if n <= trace.budget else None


def _recall(trace: Trace, n: int) -> float | None:
    return trace.recall(n) if n <= trace.budget else None


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def _places(outcomes: str, letter: str) -> tuple[int, ...]:
    return tuple(place for place, one in enumerate(outcomes, start=1) if one == letter)
