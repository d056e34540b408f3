"""Does the interval for what is left hold? On development topics of the recorded webs.

Labels say what is truly left: the pages on the topic that recorded links lead to from the
seeds, and that were not fetched. What the crawl's own judge calls relevant is another number.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scrapy.settings import Settings

from frontier.config import CrawlConfig
from frontier.estimates.remaining import Harvest, remaining
from frontier.lab.protocol.keywords import read_keywords
from frontier.lab.protocol.labels import read_labels
from frontier.lab.protocol.planning import Protocol, plan
from frontier.lab.replay.contestants import Retries, Setup, frontier_of
from frontier.lab.replay.crawl import ReplayedCrawl
from frontier.lab.replay.interface import Handout
from frontier.lab.replay.judges import Memory
from frontier.lab.replay.own_orders import OwnFrontier
from frontier.lab.replay.parsing import open_recording
from frontier.lab.replay.records import Task
from frontier.lab.replay.webfile import WebFile
from frontier.plugin.lab.parsing import parser_of
from frontier.states import State

ROOT = Path(__file__).resolve().parents[3]
STOPS = (60, 100, 150, 250, 400, 600)
SEVEN_OF_TEN = 0.7
"""Of the looks at a handful of topics, which are far from independent; four of five are meant."""


class Watched:
    """One replay that is looked at now and then."""

    def __init__(self, web: WebFile, task: Task) -> None:
        self._web = web
        made = frontier_of(task, web, Setup(CrawlConfig()), Memory())
        assert isinstance(made, OwnFrontier)
        self._frontier: Any = made
        self._harvest = Harvest()
        self.fetched: set[int] = set()
        self._page, self._frontier.page = made.page, self._counted
        self.crawl = ReplayedCrawl(web, made, set(), Retries(0), lambda _: True)
        self.seeds = [web.find(url) for url in task.seeds]
        made.seed(self.seeds)

    def _counted(self, handout: Handout, answer: Any, at: float) -> None:
        self._page(handout, answer, at)
        self.fetched.add(handout.number)
        self._harvest.add(self._relevant(handout.number, answer))

    def _relevant(self, number: int, answer: Any) -> bool:
        return bool(self._frontier._judge(number, answer).relevance >= 0.5)

    def interval(self) -> tuple[float, float]:
        backend = self._frontier._backend
        counts = backend.ledger.counts
        queued = counts[State.QUEUED] + counts[State.LEASED]
        falling = backend.driver.order.uses_topic
        left = remaining(self._harvest, queued, len(backend.ledger), falling=falling)
        assert left is not None
        return left.low, left.high

    def close(self) -> None:
        self._frontier.close()


def looks(web: WebFile, task: Task) -> list[bool]:
    """Whether the interval held at each stop."""
    watched, said = Watched(web, task), []
    for stop in STOPS:
        watched.crawl.run(stop)
        said.append((watched.interval(), set(watched.fetched)))
    watched.close()
    targets = {web.find(url) for url in task.targets}
    return [low <= len(targets - fetched) <= high for (low, high), fetched in said]


def cases_of(shared: Path, name: str) -> tuple[Path, Any, dict[str, Any]]:
    webs = shared / "webs"
    if name == "wikispeedia":
        labels = read_labels(webs / "wikispeedia.topics.tsv")
        return webs / "wikispeedia.warc.gz", labels, {"fewest": 40, "most": 200, "topics": 5}
    keywords, _ = read_keywords(ROOT / "benchmarks/harvest/docs.keywords.tsv")
    seeds = tuple((webs / "docs.seeds.txt").read_text().split())
    given = {"keywords": keywords, "seeds": seeds, "topics": 5}
    return webs / "docs.warc.gz", read_labels(webs / "docs.subjects.tsv"), given


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", ["wikispeedia", "docs"])
def test_the_interval_holds_in_most_crawls_of_recorded_webs(
    name: str, shared: Path, tmp_path: Path
) -> None:
    recording, labels, given = cases_of(shared, name)
    web = open_recording([recording], *parser_of(Settings()), tmp_path, lambda *_: None)
    protocol = Protocol(
        ("apprentice",),
        variants=("keywords",),
        budget=STOPS[-1],
        draws=1,
        part="development",
        **given,
    )
    held = [held for task in plan(web, labels, protocol).tasks for held in looks(web, task)]
    web.close()
    assert len(held) == len(STOPS) * given["topics"]
    assert np.mean(held) >= SEVEN_OF_TEN
