"""The line that says how a crawl does: its words, when it is logged, its end."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest
from scrapy.exceptions import NotConfigured
from scrapy.settings import Settings
from scrapy.signalmanager import SignalManager
from scrapy.statscollectors import MemoryStatsCollector

from frontier.estimates import Harvest
from frontier.plugin.extensions import progress
from frontier.plugin.extensions.progress import Progress, ProgressLine
from frontier.states import State
from tests.support.told import tells


@dataclass
class Figures:
    """What the line asks a crawl for."""

    pages: int = 0
    queued: int = 0
    harvest: Harvest = field(default_factory=Harvest)
    epoch: int = 0
    reranking: bool = False

    def count(self, state: State) -> int:
        assert state is State.QUEUED
        return self.queued


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


def line_of(figures: Figures, limit: int, clock: Clock) -> ProgressLine:
    return ProgressLine(figures, limit, clock, responses=lambda: 1240)  # type: ignore[arg-type]  # figures by hand


def test_the_whole_line() -> None:
    clock, figures = Clock(), Figures()
    line = line_of(figures, 5000, clock)
    clock.now, figures.pages, figures.queued = 4.0, 1234, 45678
    figures.harvest, figures.epoch = Harvest([True] * 1034 + [False] * 88 + [True] * 12), 12
    told = line.text()
    assert tells(told, "1,234 pages", "1,240/5,000", "308.5/s", "45,678", 12)
    assert tells(told, "relevant 1,046", "last 100: 12 relevant")


def test_without_limit_topic_or_time() -> None:
    figures = re.findall(r"[\d.,]+", line_of(Figures(), 0, Clock()).text())
    assert figures == ["0", "0.0", "0"]  # pages, a second, waiting


def test_the_rate_is_that_of_the_last_ten_seconds() -> None:
    clock, figures = Clock(), Figures()
    line = line_of(figures, 0, clock)
    for second in range(1, 61):
        clock.now = second
        figures.pages += 10 if second <= 50 else 1
        text = line.text()
    assert tells(text, "1.0/s")
    assert len(line._seen) <= 12


def test_a_re_rank_that_runs_is_timed() -> None:
    clock, figures = Clock(), Figures(epoch=2, reranking=True)
    line = line_of(figures, 0, clock)
    line.text()
    clock.now = 3.0
    assert tells(line.text().rpartition("|")[2], 3, "3 s")
    figures.reranking, figures.epoch = False, 3
    assert tells(line.text().rpartition("|")[2], 3)
    assert not tells(line.text(), "3 s")
    figures.reranking = True
    assert tells(line.text().rpartition("|")[2], 4, "0 s")


@dataclass
class Later:
    """A clock that rings when the test says so."""

    waiting: list[tuple[float, Callable[[], None]]] = field(default_factory=list)
    cancelled: int = 0

    def __call__(self, seconds: float, callback: Callable[[], None]) -> Later:
        self.waiting.append((seconds, callback))
        return self

    def ring(self) -> float:
        seconds, callback = self.waiting.pop()
        callback()
        return seconds

    def cancel(self) -> None:
        self.waiting.clear()
        self.cancelled += 1


class Crawler:
    def __init__(self, **settings: object) -> None:
        self.settings = Settings(settings)
        self.stats = MemoryStatsCollector(self)  # type: ignore[arg-type]  # a crawler by hand
        self.signals = SignalManager(self)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def opened(monkeypatch: pytest.MonkeyPatch, **settings: object) -> tuple[Progress, Later]:
    later = Later()
    monkeypatch.setattr(progress.compat, "call_later", later)
    frontier = SimpleNamespace(opening="topic: \x1b[2J")
    session = SimpleNamespace(figures=Figures(), frontier=frontier)
    monkeypatch.setattr(Progress, "session", session)
    extension = Progress.from_crawler(  # type: ignore[arg-type]  # a crawler by hand
        Crawler(FRONTIER_PROGRESS=True, CLOSESPIDER_PAGECOUNT=7, LOGSTATS_INTERVAL=5, **settings)
    )
    extension.spider_opened()
    return extension, later


LINE = r"0 pages (0/7 responses) | 0.0/s | frontier 0"


def test_lines_come_soon_at_first_then_every_interval_until_the_spider_closes(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    extension, later = opened(monkeypatch)
    with caplog.at_level("INFO"):
        assert [later.ring() for _ in range(5)] == [1, 2, 4, 5, 5]
    extension.spider_closed()
    assert (later.waiting, later.cancelled) == ([], 1)
    assert caplog.messages == [LINE] * 5


def test_where_the_log_is_a_file_the_line_is_redrawn_on_the_terminal_each_second(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("COLUMNS", "30")
    extension, later = opened(monkeypatch, LOG_FILE="crawl.log")
    assert [later.ring() for _ in range(3)] == [1, 1, 1]
    extension.spider_closed()
    clear = "\r\x1b[K"
    opening = clear + "topic: \\x1b[2J\n"
    assert sys.stderr.getvalue() == opening + (clear + LINE[:29]) * 3 + clear  # type: ignore[attr-defined]
    assert caplog.messages == []


def test_it_is_off_by_default() -> None:
    with pytest.raises(NotConfigured) as reason:
        Progress.from_crawler(Crawler())  # type: ignore[arg-type]  # a crawler by hand
    assert reason.value.args == ()
