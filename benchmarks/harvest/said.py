"""What our crawls say of themselves, beside the truth: `python -m benchmarks said`.

Real crawls of the benchmark's webs, through the proxy. Of each, somebody who knows the labels
answers for as many pages as `scrapy frontier label --at-random` asks about; the crawl itself never
sees a label. Told are

    the pages that the crawl judged relevant, as its summary counts them, beside those that truly
    are: labelled pages among the fetched ones, for each topic and budget
    the harvest rate that is told from then on, and its interval, held against the share of these
    the interval of relevant pages left, as the crawl told it at its end, held against the targets
    that were not fetched

Of what is promised crawls are left out that fetched fewer than `FEWEST` pages: a short one promises
less. `--variant names --budget 300 600 1500` asks whether relevance means the same in short crawls
and long ones of topics as people type them.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from benchmarks.children import AbsentError, BenchmarkError
from benchmarks.harvest import outside
from benchmarks.harvest.commands import KNOWN, OURS, Command
from benchmarks.harvest.protocol import WEB_FOLDERS, asked_webs
from benchmarks.harvest.webs import HEADLINE, WEBS, Judged
from benchmarks.report import AT_LEAST, AT_MOST, Figure, tell
from frontier.lab.protocol.labels import read_labels
from frontier.lab.protocol.planning import pages_of
from frontier.lab.replay.records import HIT, PAGE
from frontier.urls.canonical import canonical_url

if TYPE_CHECKING:
    from frontier.lab.replay.records import RunRecord
    from frontier.lab.replay.webfile import WebFile

FEWEST: Final = 200
_COMMAND: Final = Command(
    # It stops by itself, not a moment after it was judged, and prints its stats.
    OURS,
    f"{KNOWN[OURS]} -s CLOSESPIDER_PAGECOUNT={{budget}} -s LOG_LEVEL=INFO",
)
_LEFT: Final = re.compile(r"'frontier/remaining/(estimate|low|high)': ([0-9.e+]+)")
_QUARTER: Final = 0.25
_LEAST, _MOST = 0.67, 1.5
COUNT, CLOSE, RATE, LEFT = (
    f"judged relevant, {_LEAST} to {_MOST} of truly relevant",
    "harvest rate within a quarter",
    "harvest rate in its interval",
    "relevant left in its interval",
)
_PROMISED: Final = (
    (COUNT, AT_LEAST, 0.75),
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
    """One crawl: what it fetched, and the truth beside what was told, None for nothing.

    Of its `pages` `relevant` are by the labels, `judged` by the crawl.
    """

    topic: str
    budget: int
    pages: int
    relevant: int
    judged: int
    told_rate: Interval | None
    left: int
    told_left: Interval | None

    @property
    def rate(self) -> float:
        """The true harvest rate."""
        return self.relevant / max(self.pages, 1)

    @property
    def is_sound(self) -> bool:
        """Whether about as many pages were judged relevant as truly are."""
        return _LEAST * self.relevant <= self.judged <= _MOST * self.relevant

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
            figures += [*counts(web.name, crawls), *shares(web.name, crawls)]
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
        COUNT: [one.is_sound for one in long],
        CLOSE: [one.is_close for one, _ in rates],
        RATE: [told.holds(one.rate) for one, told in rates],
        LEFT: [told.holds(one.left) for one, told in lefts],
    }


def counts(web: str, crawls: Iterable[Said]) -> list[Figure]:
    """Pages judged relevant (ours), those that truly are (peer) and the ratio, a line a crawl."""
    return [
        Figure(
            f"{web}, {one.topic}: judged relevant by truly relevant",
            f"of {one.pages:,} pages, {one.budget:,} requests",
            one.judged,
            one.relevant,
        )
        for one in crawls
    ]


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
            *("--variant", given.variant, "--part", given.part, "--limit", str(given.limit)),
            *("--budget", str(min(given.budget))),
        ]
    )
    protocol, labelled = outside.protocol_of([_COMMAND], asked), read_labels(asked.topics)
    with outside.opened(protocol, labelled, asked) as (planned, recorded, opened):
        tasks = [replace(task, budget=most) for task in planned.tasks for most in given.budget]
        for number, task in enumerate(tasks, start=1):
            told = f"{web.name} [{number}/{len(tasks)}] {task.topic}, {task.budget:,} requests"
            print(told, file=sys.stderr, flush=True)
            about = {opened.urls[n] for n in pages_of(opened, labelled.topics[task.topic])}
            hearing = _Hearing(about, given.labels)
            record, _ = outside.crawl(_COMMAND, task, recorded, opened, asked.timeout, hearing)
            yield _compared(record, opened, hearing)


class _Hearing:
    """Labels pages of a crawl that has ended, and hears what it tells of itself then.

    `about` are the pages about its topic.
    """

    judged = 0
    rate: Interval | None = None
    left: Interval | None = None

    def __init__(self, about: Set[str], labels: int) -> None:
        self.about = about
        self._labels = labels

    def __call__(self, directory: Path) -> None:
        from frontier.inspection.view import CrawlView
        from frontier.labels.label_file import Label, append_labels
        from frontier.labels.questions import questions

        job = directory / "job"
        asked = questions(job, self._labels, at_random=True)
        answers = [Label(one.url, canonical_url(one.url) in self.about) for one in asked]
        append_labels(job, answers)
        with CrawlView.open(job) as view:
            stats = view.stats()
        self.judged, rate = stats.relevant, stats.harvest_rate
        if rate is not None:
            self.rate = Interval(rate.estimate, rate.low, rate.high)
        log = (directory / "output.log").read_text(encoding="utf-8", errors="replace")
        left = {name: float(value) for name, value in _LEFT.findall(log)}
        if left:
            self.left = Interval(left["estimate"], left["low"], left["high"])


def _compared(record: RunRecord, web: WebFile, told: _Hearing) -> Said:
    answers = zip(record.urls, record.outcomes, strict=True)
    pages = {number for number, letter in answers if letter in (HIT, PAGE)}
    return Said(
        *(record.key.topic, record.budget, len(pages)),
        relevant=len(told.about.intersection(web.urls[number] for number in pages)),
        judged=told.judged,
        told_rate=told.rate,
        left=record.n_targets - record.outcomes.count(HIT),
        told_left=told.left,
    )


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
    add("--budget", type=int, nargs="+", default=[400], help="requests, a crawl each (400)")
    add("--labels", type=int, default=100, help="pages that somebody labels (100)")
    add("--webs", type=Path, nargs="+", default=WEB_FOLDERS, metavar="DIR", help="where webs lie")
    add("--json", type=Path, metavar="FILE", help="write the figures there too")
    return parser
