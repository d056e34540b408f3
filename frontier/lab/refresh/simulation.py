"""A simulation of changing pages that a rule revisits, and of their staleness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from frontier.web.changelog import DAY

if TYPE_CHECKING:
    from frontier.lab.refresh.rules import RevisitRule
    from frontier.web.changelog import ChangeLog
    from ranking.arrays import FloatArray

STEPS_A_DAY: Final = 10
WARM_UP: Final = 0.25
"""Share of the time at the beginning that does not count."""


@dataclass(frozen=True)
class Sitemaps:
    """The announcements in the sitemaps of a web.

    Attributes:
        announced: share of the changes that are announced by a new date.
        lies: new dates without a change, for each page and day.

    """

    announced: float = 0.0
    lies: float = 0.0


def staleness(
    log: ChangeLog,
    rule: RevisitRule,
    importance: FloatArray,
    budget: float,
    sitemaps: Sitemaps = Sitemaps(),  # frozen
    seed: int = 0,
) -> float:
    """Mean share of the pages that have changed since their last visit, by importance.

    Args:
        log: the changes.
        rule: chooses the pages to revisit.
        importance: float64[n] of the pages.
        budget: revisits a day, as a share of the known pages.
        sitemaps: the announcements.
        seed: random seed of the announcements.

    """
    random = np.random.default_rng(seed)
    stale, known = np.zeros((2, len(log)), np.bool_)
    steps = int(log.seconds / DAY * STEPS_A_DAY)
    ends = np.searchsorted(log.times, np.arange(1, steps + 1) * DAY / STEPS_A_DAY)
    at_first, revisits, sums = 0, 0.0, np.zeros(2)
    for step, end in enumerate(ends.tolist(), start=1):
        now = step * DAY / STEPS_A_DAY
        alive = (log.born < now) & (log.gone > now)
        rule.add(np.flatnonzero(alive & ~known), now)
        changed = log.pages[at_first:end]
        changed, at_first = changed[known[changed]], end
        known |= alive
        stale[changed] = True
        shown = random.random(len(changed)) < sitemaps.announced
        lies = known & (random.random(len(log)) < sitemaps.lies / STEPS_A_DAY)
        rule.signal(np.union1d(changed[shown], np.flatnonzero(lies)))
        revisits += alive.sum() * budget / STEPS_A_DAY
        pages = rule.next(alive, now, int(revisits))
        revisits -= int(revisits)
        rule.revisited(pages, now, stale[pages])
        stale[pages] = False
        if step > steps * WARM_UP:
            sums += (importance * (stale & alive)).sum(), (importance * alive).sum()
    return float(sums[0] / sums[1])
