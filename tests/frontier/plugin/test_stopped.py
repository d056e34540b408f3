"""A crawl that is asked to stop finishes what is in flight; asked twice it stops at once."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from frontier.states import State
from frontier.store import StoreReader
from tests.support.kept import Kept, graph_of, site_of
from tests.support.scrapy_forks import Forked, Forks, shared_forks
from tests.support.sites import Asked, Page, Site, serving
from tests.support.states import states_of

PAGES = 24
SLOW = 0.1


def slow_site() -> dict[str, object]:
    def slow(html: object) -> object:
        def answer(asked: Asked) -> Page:
            time.sleep(SLOW)
            return 200, {"Content-Type": "text/html"}, str(html).encode()

        return answer

    return {path: slow(html) for path, html in site_of(PAGES).items()}


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving(slow_site()) as found:
        yield found


@pytest.fixture(scope="module")
def forks() -> Forks:
    return shared_forks()


@pytest.fixture
def kept(site: Site, forks: Forks, tmp_path: Path) -> Kept:
    site.asked.clear()
    return Kept(forks, site, tmp_path / "job")


def until_asked(site: Site, pages: int) -> None:
    deadline = time.monotonic() + 30
    while len(site.paths) < pages and time.monotonic() < deadline:
        time.sleep(0.01)


def stop(kept: Kept, process: Forked, *numbers: int) -> int:
    """Send signals to a crawl in the middle; return its exit code."""
    until_asked(kept.site, 5)
    for number in numbers:
        process.send(number)
        time.sleep(0.05)
    return process.wait()


def test_asked_once_what_is_in_flight_is_finished_and_nothing_fetched_again(kept: Kept) -> None:
    assert stop(kept, kept.start(), signal.SIGTERM) == 0
    assert "Traceback" not in kept.log
    assert (kept.job.parent / "job" / "frontier.sqlite-wal").exists() is False
    with StoreReader.open(kept.job) as reader:
        states = states_of(reader)
    assert State.LEASED not in states
    assert states.count(State.CRAWLED) == len(kept.site.paths)
    kept.finish()
    assert sorted(kept.site.paths) == sorted(site_of(PAGES))
    assert sorted(kept.items()) == sorted(site_of(PAGES))


def test_asked_twice_it_stops_at_once_and_can_go_on(kept: Kept) -> None:
    assert stop(kept, kept.start(), signal.SIGINT, signal.SIGINT) == 0
    assert "Traceback" not in kept.log
    kept.finish()
    assert set(kept.site.paths) == set(site_of(PAGES))
    assert len(kept.site.paths) <= PAGES + 4
    assert {state for state, _, _ in graph_of(kept.job).values()} == {"CRAWLED"}
