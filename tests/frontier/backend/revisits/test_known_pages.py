"""Known pages are found again by id, and age by a clock that nobody can set."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from frontier.backend.revisits.known_pages import CrawlClock, KnownPages
from frontier.urls.places import folder_places
from ranking.arrays import Column


def clock(latest: float, wall: float, steady: list[float]) -> CrawlClock:
    return CrawlClock(latest, lambda: wall, lambda: steady[0])


def test_time_goes_on_steadily_whatever_the_wall_clock_does() -> None:
    steady = [50.0]
    now = clock(0.0, 1000.0, steady)
    assert now() == 1000.0
    steady[0] = 57.0
    assert now() == 1007.0


def test_time_does_not_begin_before_what_was_seen_last() -> None:
    assert clock(5000.0, 1000.0, [0.0])() == 5000.0


def pages(hosts: int = 50) -> KnownPages:
    host = Column(np.int32)
    host.extend(np.arange(5000) % hosts)
    return KnownPages(
        cast("Any", SimpleNamespace(host=host, host_of=lambda url_id: int(host.array[url_id])))
    )


def test_pages_are_found_by_id_in_whichever_order_they_came() -> None:
    known = pages()
    ids = np.random.default_rng(1).permutation(5000)[:2500]
    for number, url_id in enumerate(ids.tolist()):
        assert known.add(url_id, f"http://h{url_id % 50}.example/{url_id}", 1.0) == number
    rows = known.rows(np.arange(5000))
    assert sorted(rows[rows >= 0].tolist()) == list(range(2500))
    assert [known.url_id(row) for row in rows[rows >= 0]] == sorted(ids.tolist())
    assert known.row(int(ids[7])) == 7


def test_restored_pages_have_the_rates_of_those_that_were_added() -> None:
    urls = [f"http://a.example/{number // 10}/{number}" for number in range(40)]
    one, other = pages(1), pages(1)
    for number, url in enumerate(urls):
        one.add(number, url, 100.0)
    changed = np.arange(40) % 3 == 0
    one.chances.revisited(np.arange(40), 90_000.0, changed)
    everyone = np.arange(40)
    first, last = np.full(40, 100.0), np.full(40, 90_000.0)
    other.restore(
        everyone,
        folder_places(urls),
        first,
        last,
        one.chances.changes(everyone),
    )
    assert np.allclose(one.chances.rates(everyone), other.chances.rates(everyone), rtol=0.02)
    assert other.rows(everyone).tolist() == everyone.tolist()
    assert other.row(40) is None
