"""One crawl over every case of `hostile_backoff`, with the servers' log as witness."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from frontier.states import State
from frontier.store import StoreReader
from tests.support.hostile import HostileWeb, Seen, crawl, hostile
from tests.support.hostile_backoff import BACKOFF, CASES, EXPECTED, SETTINGS
from tests.support.scrapy_runs import Run


@dataclass(frozen=True)
class Crawled:
    web: HostileWeb
    run: Run
    states: dict[str, State]
    reasons: dict[str, str]

    def asked(self, case: str) -> list[Seen]:
        """All requests to a case, robots.txt included."""
        return [one for one in self.web.log if one.case == case]

    def ended(self, case: str, state: State, paths: tuple[str, ...]) -> list[str]:
        """Those of the paths that ended in a state."""
        return [path for path in paths if self.states.get(self.web.url(case, path)) is state]


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    folder: Path = tmp_path_factory.mktemp("backoff")
    with hostile(CASES) as web:
        run = crawl(folder, [web.url(case) for case in CASES], *SETTINGS)
        with StoreReader.open(folder / "job") as reader:
            urls = {row.url_id: row.url for row in reader.iter_urls()}
            pages = list(reader.iter_pages())
    states = {urls[page.url_id]: page.state for page in pages}
    reasons = {urls[page.url_id]: page.error or "" for page in pages}
    return Crawled(web, run, states, reasons)


ANSWERING = [case for case in CASES if case != "silent pages"]
"""The server goes on with a request whose client has given up, and counts it as open."""


@pytest.mark.parametrize("case", ANSWERING)
def test_never_two_requests_are_at_one_host_at_once(crawled: Crawled, case: str) -> None:
    assert crawled.web.most_open[case] == 1


@pytest.mark.parametrize("case", [case for case in CASES if EXPECTED[case].gap])
def test_no_request_follows_another_sooner_than_its_host_asks(crawled: Crawled, case: str) -> None:
    gaps = [b.at - a.at for a, b in pairwise(crawled.asked(case))]
    assert min(gaps) >= EXPECTED[case].gap


@pytest.mark.parametrize("case", [case for case in CASES if EXPECTED[case].after])
def test_a_host_is_left_alone_for_as_long_as_it_asks(crawled: Crawled, case: str) -> None:
    asked = crawled.asked(case)
    for path, least in EXPECTED[case].after:
        place = next(n for n, one in enumerate(asked) if one.path == path)
        assert asked[place + 1].at - asked[place].at >= least


@pytest.mark.parametrize("case", CASES)
def test_every_page_that_can_be_had_is_fetched_and_no_other_asked_for(
    crawled: Crawled, case: str
) -> None:
    expected, paths = EXPECTED[case], crawled.web.paths(case)
    assert crawled.ended(case, State.CRAWLED, expected.pages) == list(expected.pages)
    assert crawled.ended(case, State.ERROR, expected.errors) == list(expected.errors)
    assert set(expected.never).isdisjoint(paths)
    assert len(paths) <= expected.most


def test_a_storm_makes_the_pauses_double(crawled: Crawled) -> None:
    times = [one.at for one in crawled.asked("a storm of 503") if one.path == "/"]
    gaps = [b - a for a, b in pairwise(times)]
    assert len(gaps) == 4
    # The first may be the trouble of one page.
    for number, gap in enumerate(gaps[1:]):
        assert gap >= BACKOFF * 2**number


def test_a_host_with_no_answers_ends_with_the_reason(crawled: Crawled) -> None:
    reason = crawled.reasons[crawled.web.url("silent pages", "/39")]
    assert "did not answer" in reason
    assert "Timeout" in reason
    assert "refused" in crawled.reasons[crawled.web.url("pages that refuse", "/39")]


def test_the_crawl_ends_by_itself_with_nothing_left(crawled: Crawled) -> None:
    assert crawled.run.returncode == 0
    assert crawled.run.stats["finish_reason"] == "finished"
    assert crawled.run.stats["frontier/queued"] == crawled.run.stats["frontier/leased"] == 0
    assert crawled.run.stats["frontier/politeness/dead"] >= 2
    assert crawled.run.stats["frontier/politeness/postponed"] >= 1
