"""What `python -m benchmarks exchange` makes of what it has measured."""

from __future__ import annotations

import pytest

from benchmarks.fetchers import Served, Spent


def test_cores_bound_a_served_crawl_until_its_frontier_does() -> None:
    one = Served(speed=50, harvest=0.2, fetchers=6, frontier=3, postgres=1)
    assert one.of_order == 4
    assert one.speed_with(1) == 100
    assert one.speed_with(2) == 200
    assert one.speed_with(64) == pytest.approx(1000 / 3)


def test_what_a_crawl_of_nothing_took_is_taken_off() -> None:
    assert Spent(9.0, 5.0, 3.0).beyond(Spent(6.0, 1.0, 0.5)) == (3.0, 4.0, 2.5)
