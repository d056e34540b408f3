"""Tunnelling with a bound: how many irrelevant pages lie between a URL and the last relevant one.

Relevant pages are often separated by some that are not. A crawl that never follows a link from an
irrelevant page misses what lies behind; one that always does is breadth first. Here URLs are
fetched in bands by the number of irrelevant pages that were crossed, the fewest first, so that a
tunnel is dug only when nothing nearer is left, and one deeper than DEEPEST comes after all others.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ranking.arrays import Column, FloatArray
from ranking.evidence import Evidence
from ranking.lesson import PageLesson
from ranking.orders.memory import ColumnOrder
from ranking.priority import Ids

RELEVANT = 0.5  # from here on a topic model calls a page harvested
DEEPEST = 4  # irrelevant pages in a row; Bergmark et al. found tunnels of up to about this length
UNKNOWN = 255  # no followed link leads there


class Tunnel(ColumnOrder):
    """Within a band the most relevant parent decides."""

    name = "tunnel"
    summary = "The URL behind the fewest irrelevant pages in a row since the last relevant one."
    source = "Bergmark, Lagoze, Sbityakov 2002, Focused crawls, tunneling, and digital libraries"
    formula = (
        "max of rel(u) over fetched pages u that link to v − steps(v); steps(v) = 0 behind a page "
        f"with rel ≥ {RELEVANT}, else min over u of steps(u) + 1, at most {DEEPEST + 1}"
    )
    when = (
        "When the seeds lie a few links outside the topic, or its pages lie in islands, and a "
        "page is judged reliably: how far the crawl strays from relevant pages is bounded and "
        "can be read off."
    )
    uses_topic = True
    STEPS = "steps"

    def _new_columns(self) -> dict[str, Column[Any]]:
        return {self.STEPS: Column(np.uint8, UNKNOWN)}

    def _note(self, lesson: PageLesson, evidence: Evidence) -> None:
        steps = self._columns[self.STEPS].array
        crossed = 0 if steps[lesson.page] == UNKNOWN else int(steps[lesson.page])
        behind = 0 if lesson.relevance >= RELEVANT else min(crossed, DEEPEST) + 1
        targets = lesson.targets
        if lesson.weights is not None:
            targets = targets[lesson.weights > 0]
        steps[targets] = np.minimum(steps[targets], np.uint8(behind))

    def _value(self, ids: Ids, evidence: Evidence) -> FloatArray:
        steps = np.minimum(self._columns[self.STEPS].array[ids], DEEPEST + 1)
        return np.asarray(evidence.parent_max[ids] - steps.astype(np.float64), np.float64)
