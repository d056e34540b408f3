"""What our crawls say of themselves, beside the truth: `python -m benchmarks said`.

Real crawls of the benchmark's webs, through the proxy. Of each, somebody who knows the labels
answers for as many pages as `scrapy frontier label --at-random` asks about; the crawl itself never
sees a label. Held against these are

    the harvest rate that is told from then on, and its interval: truly relevant pages among those
    that were fetched
    the interval of relevant pages left, as the crawl told it at its end: targets not fetched

Crawls that fetched fewer than `FEWEST` pages are left out: a short one promises less.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from benchmarks.children import AbsentError, BenchmarkError
from benchmarks.harvest import outside
from benchmarks.harvest.commands import KNOWN, OURS, Command
from benchmarks.harvest.protocol import WEB_FOLDERS, asked_webs
from benchmarks.harvest.webs import HEADLINE, WEBS, Judged
from benchmarks.report import AT_LEAST, AT_MOST, Figure, tell
from frontier.lab.protocol.labels import read_labels
from frontier.lab.replay.records import HIT, PAGE
from frontier.urls.canonical import canonical_url

if TYPE_CHECKING:
    from frontier.lab.replay.records import RunRecord, Task

FEWEST: Final = 200
_COMMAND: Final = Command(
    # It stops by itself, not a moment after it was judged, and prints its stats.
    OURS,
    f"{KNOWN[OURS]} -s CLOSESPIDER_PAGECOUNT={{budget}} -s LOG_LEVEL=INFO",
)
_LEFT: Final = re.compile(r"'frontier/remaining/(estimate|low|high)': ([0-9.e+]+)")
_QUARTER: Final = 0.25
CLOSE, RATE, LEFT = (
    "harvest rate within a quarter",
    "harvest rate in its interval",
    "relevant left in its interval",
)
_PROMISED: Final = (
    (CLOSE, AT_LEAST, 0.8),
    (RATE, AT_LEAST, 0.7),
    (LEFT, AT_LEAST, 0.7),
    (LEFT, AT_MOST, 0.9),
)
"""Intervals are meant to hold in four of five: more often is told too widely."""


class Interval(NamedTuple):
    """What was told, and between what it is said to lie."""

    estimate: float
    low: float
    high: float

    def holds(self, truth: float) -> bool:
        """Whether the truth lies in it."""
        return self.low <= truth <= self.high


class Said(NamedTuple):
    """One crawl: pages fetched, and the truth beside what was told, None for nothing."""

    pages: int
    rate: float
    told_rate: Interval | None
    left: int
    told_left: Interval | None

    @property
    def is_close(self) -> bool:
        """Whether the harvest rate that was told is within a quarter of the truth."""
        told = self.told_rate
        return told is not None and abs(told.estimate - self.rate) <= _QUARTER * self.rate


def main(arguments: Sequence[str]) -> int:
    """Crawl and print what came of it; 1 if it was not possible or a promise was missed."""
    given = _parser().parse_args(arguments)
    found: list[Said] = []
    figures: list[Figure] = []
    notes: list[str] = []
    try:
        for web in asked_webs(given):
            try:
                crawls = list(_crawls(web, web.folder(given.webs), given))
            except AbsentError as reason:
                notes.append(f"{web.name}: skipped, {reason}")
                continue
            figures += shares(web.name, crawls)
            found += crawls
    except BenchmarkError as error:
        print(error, file=sys.stderr)
        return 1
    return tell([*figures, *promises(found)], given.json, notes)


def held(crawls: Iterable[Said]) -> dict[str, list[bool]]:
    """Of each thing that is told, by its name, whether it is true, of each crawl that told it."""
    long = [one for one in crawls if one.pages >= FEWEST]
    rates = [(one, one.told_rate) for one in long if one.told_rate]
    lefts = [(one, one.told_left) for one in long if one.told_left]
    return {
        CLOSE: [one.is_close for one, _ in rates],
        RATE: [told.holds(one.rate) for one, told in rates],
        LEFT: [told.holds(one.left) for one, told in lefts],
    }


def shares(web: str, crawls: Iterable[Said]) -> list[Figure]:
    """How many of a web's crawls told what is true."""
    return [
        Figure(f"{web}: {what}", f"of {len(each)} crawls", float(sum(each)))
        for what, each in held(crawls).items()
        if each
    ]


def promises(crawls: Iterable[Said]) -> list[Figure]:
    """The shares of all crawls together, beside what is promised."""
    found = held(crawls)
    return [
        Figure(f"all: {what}", "of 1", sum(each) / len(each), None, sense, bound, on_ratio=False)
        for what, sense, bound in _PROMISED
        if (each := found[what])
    ]


def _crawls(web: Judged, folder: Path, given: argparse.Namespace) -> Iterator[Said]:
    recording, labels = map(str, web.files(folder))
    asked = outside.parser().parse_args(
        [
            *("--web", recording, "--topics", labels, "--command", OURS),
            *web.options_in(folder),
            *("--variant", given.variant, "--part", given.part, "--budget", str(given.budget)),
            *("--limit", str(given.limit)),
        ]
    )
    protocol, labelled = outside.protocol_of([_COMMAND], asked), read_labels(asked.topics)
    with outside.opened(protocol, labelled, asked) as (planned, recorded, opened):
        for number, task in enumerate(planned.tasks, start=1):
            told = f"{web.name} [{number}/{len(planned.tasks)}] {task.topic}"
            print(told, file=sys.stderr, flush=True)
            hearing = _Hearing(task, given.labels)
            record, _ = outside.crawl(_COMMAND, task, recorded, opened, asked.timeout, hearing)
            yield _compared(record, hearing)


class _Hearing:
    """Labels pages of a crawl that has ended, and hears what it tells of itself then."""

    rate: Interval | None = None
    left: Interval | None = None

    def __init__(self, task: Task, labels: int) -> None:
        self._wanted = {*task.targets, *task.examples}
        self._labels = labels

    def __call__(self, directory: Path) -> None:
        from frontier.inspection.view import CrawlView
        from frontier.labels.label_file import Label, append_labels
        from frontier.labels.questions import questions

        job = directory / "job"
        asked = questions(job, self._labels, at_random=True)
        answers = [Label(one.url, canonical_url(one.url) in self._wanted) for one in asked]
        append_labels(job, answers)
        with CrawlView.open(job) as view:
            rate = view.stats().harvest_rate
        if rate is not None:
            self.rate = Interval(rate.estimate, rate.low, rate.high)
        log = (directory / "output.log").read_text(encoding="utf-8", errors="replace")
        left = {name: float(value) for name, value in _LEFT.findall(log)}
        if left:
            self.left = Interval(left["estimate"], left["low"], left["high"])


def _compared(record: RunRecord, told: _Hearing) -> Said:
    hits = record.outcomes.count(HIT)
    pages = hits + record.outcomes.count(PAGE)
    left = record.n_targets - hits
    return Said(pages, hits / max(pages, 1), told.rate, left, told.left)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks said",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    names = [web.name for web in WEBS]
    add("--part", choices=("development", "test"), default="development", help="of the topics")
    add("--only", nargs="+", choices=names, metavar="WEB", help=", ".join(names))
    add("--variant", default=HEADLINE, help=f"of tasks ({HEADLINE})")
    add("--limit", type=int, default=6, metavar="N", help="topics of each web (6)")
    add("--budget", type=int, default=400, help="requests of a crawl (400)")
    add("--labels", type=int, default=100, help="pages that somebody labels (100)")
    add("--webs", type=Path, nargs="+", default=WEB_FOLDERS, metavar="DIR", help="where webs lie")
    add("--json", type=Path, metavar="FILE", help="write the figures there too")
    return parser
