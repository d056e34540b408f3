"""What `python -m benchmarks exchange` makes of what it has measured."""

from __future__ import annotations

import pytest

from benchmarks import fetchers
from benchmarks.children import BenchmarkError
from benchmarks.fetchers import Served, Spent
from benchmarks.report import Figure
from crawler.private_postgres import PostgresMissingError


def test_cores_bound_a_served_crawl_until_its_frontier_does() -> None:
    one = Served(speed=50, harvest=0.2, fetchers=6, frontier=3, postgres=1)
    assert one.of_order == 4
    assert one.speed_with(1) == 100
    assert one.speed_with(2) == 200
    assert one.speed_with(64) == pytest.approx(1000 / 3)


def test_what_a_crawl_of_nothing_took_is_taken_off() -> None:
    assert Spent(9.0, 5.0, 3.0).beyond(Spent(6.0, 1.0, 0.5)) == (3.0, 4.0, 2.5)


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        (Figure("speed", "pages/s", 1.0), 0),
        (Figure("speed", "pages/s", 1.0, 2.0, ">=", 1.5), 1),
        (BenchmarkError("no"), 1),
        (PostgresMissingError("no"), 1),
    ],
)
def test_it_is_measured_with_the_options_given_and_what_fails_fails(
    monkeypatch: pytest.MonkeyPatch, outcome: Figure | Exception, code: int
) -> None:
    told = []

    def measure(*given: object) -> list[Figure]:
        told.append(given)
        if isinstance(outcome, Exception):
            raise outcome
        return [outcome]

    monkeypatch.setattr(fetchers, "measure", measure)
    options = ["--fetchers", "3", "--pages", "9", "-s", "FRONTIER_MAX_IN_FLIGHT=8"]
    assert fetchers.main(options) == code
    assert told == [(9, [3], ["FRONTIER_MAX_IN_FLIGHT=8"])]
