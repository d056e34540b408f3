"""Topics of a recorded web, and what a crawl that looked for one was worth by the server's log.

The topics, their words and what counts as found are the lab's, and so is the oracle that a crawl is
measured by. Labels are read here only: a crawl is told seeds and words.
"""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.children import ROOT, AbsentError
from benchmarks.exchange.scattered import Scattering
from benchmarks.harvest.logs import counts, record_of
from benchmarks.harvest.outside import as_recorded
from frontier.lab.protocol.keywords import read_keywords
from frontier.lab.protocol.labels import read_labels
from frontier.lab.protocol.planning import KEYWORDS, Protocol, plan
from frontier.lab.replay.contestants import Setup
from frontier.lab.replay.crawl import replay
from frontier.lab.replay.parsing import cache_directory, open_recording
from frontier.lab.replay.records import GREEDY_ORACLE, Task
from frontier.lab.report.metrics import figures, trace_of
from frontier.plugin.lab import parser_of
from frontier.urls.url_lists import read_seeds
from frontier.utils import Closing
from frontier.web.recorded_web import RecordedWeb

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from frontier.lab.report.metrics import Trace

_DRAWS = 1


@dataclass(frozen=True)
class Judged:
    """A recorded web, and which of its topics are used: those the orders are developed with."""

    name: str
    labels: str
    fewest: int = 1
    most: int | None = None
    seeds: str = ""
    keywords: Path | None = None


WEBS = {
    "docs": Judged(
        "docs",
        "docs.subjects.tsv",
        seeds="docs.seeds.txt",
        keywords=ROOT / "benchmarks" / "harvest" / "docs.keywords.tsv",
    ),
    "wikispeedia": Judged("wikispeedia", "wikispeedia.topics.tsv", fewest=40, most=200),
}


class ScoredWeb(Closing):
    """The tasks of a web and their scores. Raises AbsentError where the web is not there."""

    def __init__(self, judged: Judged, folder: Path, requests: int, topics: int) -> None:
        from scrapy.settings import Settings

        self.recording = folder / f"{judged.name}.warc.gz"
        if not self.recording.exists():
            raise AbsentError(f"no recorded web {self.recording}")
        with ExitStack() as opened:
            self._recorded = RecordedWeb([self.recording])
            self._web = opened.enter_context(
                open_recording([self.recording], *parser_of(Settings()), cache_directory())
            )
            self._scattering = Scattering(self._recorded.urls())
            labels = read_labels(folder / judged.labels)
            self.tasks = plan(self._web, labels, _protocol(judged, folder, requests, topics)).tasks
            self._open = opened.pop_all()

    def close(self) -> None:
        """Close the recording."""
        self._open.close()

    def seeds(self, task: Task) -> list[str]:
        """The seeds of a task where they are served."""
        spelled = as_recorded(task, self._recorded).seeds
        return [there for url in spelled if (there := self._scattering.to(url))]

    def oracle(self, task: Task) -> Trace:
        """The best course there is, by somebody who sees labels and links."""
        return trace_of(replay(replace(task, strategy=GREEDY_ORACLE), self._web, Setup()))

    def nauc(self, task: Task, oracle: Trace, entries: Iterable[dict[str, Any]]) -> float:
        """Area below the recall of a crawl, by the lines of the server's log, of the oracle's."""
        asked = [
            {**entry, "url": self._scattering.back(entry["url"]) or entry["url"]}
            for entry in in_order(entries)
        ]
        record = record_of(task, asked, self._recorded, self._web)
        return figures(trace_of(record), oracle)["nauc"] or 0.0


def in_order(entries: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """What was asked for, by when: a log is written when there is an answer."""
    return sorted(filter(counts, entries), key=lambda entry: float(entry["time"]))


def speed(entries: Iterable[dict[str, Any]], requests: int) -> float:
    """Requests a second, from the first to the last that counts."""
    times = [float(entry["time"]) for entry in in_order(entries)[:requests]]
    return (len(times) - 1) / (times[-1] - times[0])


def read_log(path: Path, offset: int) -> tuple[list[dict[str, Any]], int]:
    """The lines of a log from some byte on, and where it ends now."""
    with path.open("rb") as file:
        file.seek(offset)
        lines = file.read()
    return [json.loads(line) for line in lines.splitlines()], offset + len(lines)


def _protocol(judged: Judged, folder: Path, requests: int, topics: int) -> Protocol:
    return Protocol(
        strategies=("apprentice",),
        variants=(KEYWORDS,),
        budget=requests,
        draws=_DRAWS,
        part="development",
        topics=topics,
        fewest=judged.fewest,
        most=judged.most,
        seeds=read_seeds(str(folder / judged.seeds)).urls if judged.seeds else (),
        keywords=read_keywords(judged.keywords)[0] if judged.keywords else {},
    )
