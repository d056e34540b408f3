"""What `python -m benchmarks exchange` makes of what it has measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.children import AbsentError, BenchmarkError
from benchmarks.exchange import command
from benchmarks.exchange.harvest import Compared, Worth, figures
from benchmarks.exchange.served import Served
from benchmarks.exchange.together import Spent
from benchmarks.report import Figure
from crawler.private_postgres import PostgresMissingError


def test_cores_bound_a_served_crawl_until_its_frontier_does() -> None:
    one = Served(speed=50, fetchers=6, frontier=3, postgres=1)
    assert one.of_order == 4
    assert one.speed_with(1) == 100
    assert one.speed_with(2) == 200
    assert one.speed_with(64) == pytest.approx(1000 / 3)


def test_what_a_crawl_of_nothing_took_is_taken_off() -> None:
    assert Spent(9.0, 5.0, 3.0).beyond(Spent(6.0, 1.0, 0.5)) == (3.0, 4.0, 2.5)


def compared(embedded: float, again: float, served: float) -> Compared:
    return Compared("a topic", Worth(embedded, 40), Worth(again, 60), Worth(served, 25))


def test_served_crawls_are_compared_with_the_mean_of_two_embedded_ones() -> None:
    one = compared(0.5, 0.6, 0.52)
    assert one.usual == pytest.approx(0.55)
    assert one.difference == pytest.approx(-0.03)


@pytest.mark.parametrize(("served", "kept"), [(0.49, True), (0.47, False), (0.9, True)])
def test_harvest_may_fall_by_two_hundredths(served: float, kept: bool) -> None:
    found = figures([compared(0.5, 0.5, served), compared(0.5, 0.5, served)])
    (judged,) = [one for one in found if one.bound is not None]
    assert judged.ours == pytest.approx(served - 0.5)
    assert judged.met is kept
    (speed,) = [one for one in found if one.unit == "requests/s"]
    assert (speed.ours, speed.peer) == (25, 50)


def test_each_name_is_measured_with_the_options_given(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = []

    def measure(*given: object) -> list[Figure]:
        told.append(given)
        return [Figure("speed", "pages/s", 1.0)]

    monkeypatch.setattr("benchmarks.exchange.harvest.measure", measure)
    monkeypatch.setattr("benchmarks.exchange.served.measure", measure)
    setting = "-s", "FRONTIER_MAX_IN_FLIGHT=8"
    assert command.main(["harvest", "--web", "docs", "--webs", "x", "--topics", "2", *setting]) == 0
    assert command.main(["served", "--fetchers", "3", "--pages", "9", *setting]) == 0
    assert told == [
        (Path("x"), ["docs"], 600, 2, ["FRONTIER_MAX_IN_FLIGHT=8"]),
        (9, [3], ["FRONTIER_MAX_IN_FLIGHT=8"]),
    ]
    with pytest.raises(SystemExit):
        command.main(["hervest"])


@pytest.mark.parametrize(
    ("error", "code"),
    [(AbsentError("none"), 0), (BenchmarkError("no"), 1), (PostgresMissingError("no"), 1)],
)
def test_what_is_absent_is_skipped_and_what_fails_fails(
    monkeypatch: pytest.MonkeyPatch, error: Exception, code: int
) -> None:
    def measure(*given: object) -> list[Figure]:
        raise error

    monkeypatch.setattr("benchmarks.exchange.harvest.measure", measure)
    assert command.main(["harvest"]) == code
