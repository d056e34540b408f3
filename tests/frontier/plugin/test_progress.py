"""The line that says how a crawl does: its words, its place on a terminal, its end."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy.exceptions import NotConfigured
from scrapy.settings import Settings
from scrapy.signalmanager import SignalManager

from frontier.plugin.extensions import progress
from frontier.plugin.extensions.progress import LiveOutput, PlainOutput, Progress, ProgressLine
from frontier.states import State
from tests.support.told import tells

CLEAR = "\r\x1b[K"


@dataclass
class Figures:
    """What the line asks a crawl for."""

    read: int = 0
    queued: int = 0
    harvest_rate: float | None = None
    coverage: float | None = None
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
    return ProgressLine(figures, limit, clock)  # type: ignore[arg-type]  # figures by hand


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_whole_line() -> None:
    clock, figures = Clock(), Figures()
    line = line_of(figures, 5000, clock)
    clock.now, figures.read, figures.queued = 4.0, 1234, 45678
    figures.harvest_rate, figures.epoch = 0.3125, 12
    assert tells(line.text(), "1,234/5,000", "308.5/s", "45,678", "31.2 %", 12)


def test_without_limit_topic_or_time() -> None:
    figures = re.findall(r"[\d.,]+", line_of(Figures(), 0, Clock()).text())
    assert figures == ["0", "0.0", "0"]  # pages, a second, waiting


def test_coverage_is_told_where_it_ends_the_crawl() -> None:
    figures = Figures()
    line = ProgressLine(figures, 0, Clock(), coverage=0.9)  # type: ignore[arg-type]  # by hand
    assert not tells(line.text(), "90.0 %"), "nothing is known yet"
    figures.coverage = 0.4321
    assert tells(line.text(), "43.2 %/90.0 %")


def test_pages_of_an_earlier_moment_do_not_count_for_the_rate() -> None:
    clock, figures = Clock(100.0), Figures(read=1000)
    line = line_of(figures, 0, clock)
    clock.now, figures.read = 102.0, 1010
    assert tells(line.text(), "5.0/s")


def test_the_rate_is_that_of_the_last_ten_seconds() -> None:
    clock, figures = Clock(), Figures()
    line = line_of(figures, 0, clock)
    for second in range(1, 61):
        clock.now = second
        figures.read += 10 if second <= 50 else 1
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


@pytest.fixture
def live() -> Iterator[LiveOutput]:
    output = LiveOutput(Terminal())
    yield output
    output.close()


def test_a_live_line_is_redrawn_and_cut_to_the_width(
    live: LiveOutput, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "31")
    live.show("a" * 100)
    live.show("b")
    assert live._stream.getvalue() == CLEAR + "a" * 30 + CLEAR + "b"  # type: ignore[attr-defined]  # a StringIO


def test_a_log_line_never_shares_a_line_with_it(live: LiveOutput) -> None:
    stream: Any = live._stream
    handler = logging.StreamHandler(stream)
    handler.setLevel(logging.INFO)
    logger = logging.getLogger("test_progress")
    logger.setLevel(logging.DEBUG)
    logging.root.addHandler(handler)
    try:
        live.show("one")
        logger.debug("not printed")
        logger.info("printed")
        logger.info("printed too")
        live.show("two")
    finally:
        logging.root.removeHandler(handler)
    assert stream.getvalue() == f"{CLEAR}one{CLEAR}printed\nprinted too\n{CLEAR}two"


def test_a_log_in_a_file_leaves_the_line_alone(live: LiveOutput) -> None:
    live.show("one")
    logging.getLogger("test_progress").error("goes elsewhere")
    assert live._stream.getvalue() == f"{CLEAR}one"  # type: ignore[attr-defined]  # a StringIO


def test_closing_clears_the_line_and_lets_go_of_the_log() -> None:
    before = list(logging.root.handlers)
    output = LiveOutput(Terminal())
    output.show("one")
    output.close()
    assert output._stream.getvalue() == f"{CLEAR}one{CLEAR}"  # type: ignore[attr-defined]  # a StringIO
    assert logging.root.handlers == before


def test_plain_output_writes_lines() -> None:
    stream = io.StringIO()
    output = PlainOutput(stream)
    output.show("one")
    output.show("two")
    output.close()
    assert stream.getvalue() == "one\ntwo\n"


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
        self.signals = SignalManager(self)


@pytest.mark.parametrize(
    ("stream", "before", "after"), [(Terminal(), CLEAR, CLEAR), (io.StringIO(), "", "\n")]
)
def test_the_extension_shows_until_the_spider_closes(
    monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, before: str, after: str
) -> None:
    later = Later()
    monkeypatch.setattr(progress.compat, "call_later", later)
    gate = SimpleNamespace(standstill=SimpleNamespace(text=""))
    session = SimpleNamespace(figures=Figures(), gate=gate)
    monkeypatch.setattr(progress, "session_of", lambda crawler: session)
    monkeypatch.setattr("sys.stderr", stream)
    extension = Progress.from_crawler(  # type: ignore[arg-type]  # a crawler by hand
        Crawler(FRONTIER_PROGRESS=True, CLOSESPIDER_PAGECOUNT=7)
    )
    extension.open(None)  # type: ignore[arg-type]  # not looked at
    assert later.ring() == 1.0
    extension.close(None)  # type: ignore[arg-type]  # not looked at
    assert (later.waiting, later.cancelled) == ([], 1)
    shown = stream.getvalue()
    assert shown.startswith(f"{before}0/7 ")
    assert shown.endswith(after)
    assert "\n" not in shown[:-1]


def test_it_is_off_by_default() -> None:
    with pytest.raises(NotConfigured) as reason:
        Progress.from_crawler(Crawler())  # type: ignore[arg-type]  # a crawler by hand
    assert reason.value.args == ()


def test_plain_lines_come_soon_at_first_and_then_once_a_minute() -> None:
    plain, pauses = progress.PlainOutput(io.StringIO()), []
    for _ in range(8):
        pauses.append(plain.seconds)
        plain.show("a line")
    assert pauses == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0]


def test_what_a_crawl_waits_for_ends_the_line() -> None:
    figures, said = Figures(), ["waiting for a.example until 12:00:00", ""]
    line = ProgressLine(figures, 0, Clock(), waiting=lambda: said.pop(0))  # type: ignore[arg-type]  # by hand
    plain = line_of(figures, 0, Clock()).text()
    assert line.text() == f"{plain} | waiting for a.example until 12:00:00"
    assert line.text() == plain
