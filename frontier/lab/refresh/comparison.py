"""`scrapy lab run --refresh`: every rule on every change log, and their table."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from frontier.formatting import table
from frontier.lab.refresh.rules import RULES
from frontier.lab.refresh.simulation import Sitemaps, staleness
from frontier.web.changelog import DAY, MADE_UP, made_up, made_up_urls, read_change_log

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from frontier.web.changelog import ChangeLog

PAGES: Final = 1000
"""Pages of a made-up web."""
SPREAD: Final = 0.7
"""Standard deviation of the logarithm of the pages' importance, which is drawn."""
LEGEND: Final = (
    "stale: mean share of the pages that have changed since their last visit, by importance, in a "
    "sweep; the first quarter of the time does not count. Rules: their staleness divided by that "
    "of the sweep: below 1 is fresher. true: knows how often each page changes."
)
SILENT: Final = Sitemaps()


@dataclass(frozen=True)
class RefreshProtocol:
    """The parameters of a comparison.

    Attributes:
        revisits: revisits a day, as a share of the pages.
        days: length of each log: its last days, or those after `begin`.
        begin: Unix seconds; None: so that the log ends with its last change.
        sitemaps: announcements of changes.
        seed: random seed of importance, made-up webs and announcements.

    """

    revisits: float = 0.1
    days: int = 730
    begin: float | None = None
    sitemaps: Sitemaps = SILENT
    seed: int = 0


@dataclass(frozen=True)
class RefreshFigures:
    """The results of the rules on a change log."""

    log: str
    pages: int
    changes: int
    staleness: dict[str, float]
    """RevisitRule -> staleness in [0, 1]."""

    def against_sweep(self, rule: str) -> float:
        """Staleness divided by that of a sweep; 1 if that is 0."""
        sweep = self.staleness["sweep"]
        return self.staleness[rule] / sweep if sweep else 1.0


def compare(
    names: Sequence[str], protocol: RefreshProtocol, progress: Callable[[int, int], object]
) -> list[RefreshFigures]:
    """Compare all rules; `progress` gets the number of finished runs, and of all runs.

    Raises RecordingError for a file that is no change log.
    """
    figures, done = [], 0
    for name, log in [(name, _open(name, protocol)) for name in names]:
        normal = np.random.default_rng(protocol.seed).normal(0, SPREAD, len(log))
        importance, stale = np.exp(normal), {}
        for rule, make in RULES.items():
            stale[rule] = staleness(
                log,
                make(log, importance),
                importance,
                protocol.revisits,
                sitemaps=protocol.sitemaps,
                seed=protocol.seed,
            )
            done += 1
            progress(done, len(names) * len(RULES))
        figures.append(RefreshFigures(Path(name).name, len(log), len(log.times), stale))
    return figures


def _open(name: str, protocol: RefreshProtocol) -> ChangeLog:
    if name in MADE_UP:
        urls = made_up_urls(PAGES)
        return made_up(urls, protocol.days, protocol.seed, bursty=MADE_UP[name])
    return read_change_log(Path(name), protocol.begin, protocol.days * DAY)


def lines_of(figures: Sequence[RefreshFigures], protocol: RefreshProtocol) -> list[str]:
    """The table for a terminal."""
    sitemaps = protocol.sitemaps
    announced = f"sitemaps announce {sitemaps.announced:.0%} of the changes"
    lies = f"{sitemaps.lies:g} false dates a page and day"
    rows = [
        [run.log, f"{run.pages:,}", f"{run.changes:,}", f"{run.staleness['sweep']:.4f}"]
        + [f"{run.against_sweep(rule):.3f}" for rule in RULES]
        for run in figures
    ]
    head = ["log", "pages", "changes", "stale", *RULES]
    title = f"{protocol.days:,} days, {protocol.revisits:.0%} of the pages revisited a day"
    return [f"{title}; {announced}, and {lies}", "", *table(head, rows, left=(0,)), "", LEGEND]


def json_of(figures: Sequence[RefreshFigures], protocol: RefreshProtocol) -> str:
    """All figures as JSON, for a comparison line by line."""
    document = {"protocol": asdict(protocol), "runs": [asdict(run) for run in figures]}
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"
