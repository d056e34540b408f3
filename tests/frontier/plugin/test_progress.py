"""The line that says how a crawl does: its words, when it is logged, its end."""

from __future__ import annotations

import io
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
from frontier.plugin.extensions.progress import Progress
from frontier.plugin.extensions.summary import Summary
from frontier.states import State
from tests.support.told import tells


@dataclass
class Figures:
    """What the line asks a crawl for."""

    pages: int = 0
    pages_of_run: int = 0
    queued: int = 0
    harvest: Harvest = field(default_factory=Harvest)
    epoch: int = 0
    reranking: bool = False

    def count(self, state: State) -> int:
        assert state is State.QUEUED
        return self.queued


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
        self.closing = SimpleNamespace(counter={"pagecount": 0})

    def get_extension(self, _: type) -> object:
        return self.closing


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def opened(
    monkeypatch: pytest.MonkeyPatch, pages: int = 0, **settings: object
) -> tuple[Progress, Later]:
    later = Later()
    monkeypatch.setattr(progress.compat, "call_later", later)
    frontier = SimpleNamespace(opening="topic: \x1b[2J")
    session = SimpleNamespace(figures=Figures(pages), frontier=frontier)
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


def test_the_whole_line(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    extension, _ = opened(monkeypatch)
    figures = extension.session.figures
    extension._crawler.closing.counter["pagecount"] = 1240  # type: ignore[attr-defined]
    now[0], figures.pages, figures.queued = 4.0, 1234, 45678  # type: ignore[misc, attr-defined]
    figures.harvest = Harvest([True] * 1034 + [False] * 88 + [True] * 12)
    figures.epoch = 12  # type: ignore[misc]
    told = extension.line()
    assert tells(told, "1,234 pages", "1,240/7", "308.5/s", "45,678", 12)
    assert tells(told, "relevant 1,046", "last 100: 12 % relevant")
    figures.reranking = True  # type: ignore[misc]
    assert tells(extension.line().rpartition("|")[2], 13, "running")


def test_the_rate_is_that_of_the_last_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    extension, _ = opened(monkeypatch)
    figures = extension.session.figures
    for second in range(1, 62):
        now[0] = second
        figures.pages += 10 if second <= 50 else 1  # type: ignore[misc]
        text = extension.line()
    assert tells(text, "1.0/s")


def test_a_crawl_that_refreshes_shows_both_halves(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    extension, _ = opened(monkeypatch, pages=500, FRONTIER_REFRESH="auto")
    now[0], extension.session.figures.pages = 10.0, 1700  # type: ignore[misc]
    extension.session.figures.pages_of_run = 1203  # type: ignore[misc]
    for name, count in (("revisits", 1345), ("changed", 31)):
        extension._crawler.stats.set_value(f"frontier/refresh/{name}", count)  # type: ignore[union-attr]
    told = extension.line()
    assert tells(told, "1,700 pages", "254.5/s", "new 1,203", "revisited 1,345", 31)
    assert not tells(opened(monkeypatch)[0].line(), "revisited")


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


@pytest.mark.parametrize("kind", [Progress, Summary])
def test_it_and_the_summary_are_off_by_default(kind: type[Progress | Summary]) -> None:
    with pytest.raises(NotConfigured) as reason:
        kind.from_crawler(Crawler())  # type: ignore[arg-type]  # a crawler by hand
    assert reason.value.args == ()
