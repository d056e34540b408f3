"""What `python -m benchmarks exchange` makes of what it has measured."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from benchmarks.children import AbsentError, BenchmarkError
from benchmarks.exchange import command
from benchmarks.exchange.alone import quantile
from benchmarks.exchange.harvest import Compared, Worth, by_timing, figures, standard_error
from benchmarks.exchange.served import Served
from benchmarks.exchange.together import Spent, folders_of
from benchmarks.report import Figure
from crawler.private_postgres import PostgresMissingError, versions


@pytest.mark.parametrize(("share", "value"), [(0.0, 1), (0.5, 3), (0.95, 4), (1.0, 5)])
def test_a_quantile_is_one_of_the_values(share: float, value: float) -> None:
    assert quantile([1, 2, 3, 4, 5], share) == value
    assert quantile([7], share) == 7


def test_cores_bound_a_served_crawl_until_its_frontier_does() -> None:
    one = Served(speed=50, fetchers=6, frontier=3, postgres=1)
    assert one.of_order == 4
    assert one.speed_with(1) == 100
    assert one.speed_with(2) == 200
    assert one.speed_with(64) == pytest.approx(1000 / 3)


def test_what_a_crawl_of_nothing_took_is_taken_off() -> None:
    assert Spent(9.0, 5.0, 3.0).beyond(Spent(6.0, 1.0, 0.5)) == (3.0, 4.0, 2.5)


def test_files_of_fetchers_lie_beside_the_crawl(tmp_path: Path) -> None:
    folders = folders_of(tmp_path / "crawl", 2)
    assert len({tmp_path / "crawl", *folders}) == 3
    assert {one.parent for one in folders} == {tmp_path}


def compared(embedded: float, again: float, served: float) -> Compared:
    return Compared("a topic", Worth(embedded, 40), Worth(again, 60), Worth(served, 25))


def test_served_crawls_are_compared_with_the_mean_of_two_embedded_ones() -> None:
    one = compared(0.5, 0.6, 0.52)
    assert one.usual == pytest.approx(0.55)
    assert one.difference == pytest.approx(-0.03)


def test_standard_errors_and_the_spread_by_timing() -> None:
    assert standard_error([1.0, 3.0]) == pytest.approx(1.0)
    assert standard_error([2.0, 2.0, 2.0]) == 0.0
    assert math.isnan(standard_error([1.0]))
    assert by_timing([compared(0.5, 0.9, 0), compared(0.5, 0.2, 0)]) == pytest.approx(
        math.sqrt((0.4**2 + 0.3**2) / 2)
    )


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


@pytest.mark.slow
def test_two_hundred_answers_pass_and_every_figure_is_told(tmp_path: Path) -> None:
    if not versions():
        pytest.skip("no PostgreSQL on this machine")
    # The exit code says whether the promises are kept, which is a matter of this machine.
    assert command.main(["alone", "--answers", "200", "--json", str(tmp_path / "told.json")]) < 2
    rows = json.loads((tmp_path / "told.json").read_text(encoding="utf-8"))
    ours = {row["what"].removeprefix("exchange alone, "): row["ours"] for row in rows}
    assert ours.keys() == {
        *("2 clients", "CPU of PostgreSQL", "CPU of the owner", "CPU of the clients"),
        *("answer and take, median", "answer and take, 95 %"),
    }
    assert ours["2 clients"] > 0
    assert 0 < ours["answer and take, median"] <= ours["answer and take, 95 %"]
