"""One crawl over a hundred sites with a strange robots.txt: their log says what is fetched."""

from __future__ import annotations

import itertools
import sqlite3
from dataclasses import dataclass

import pytest

from frontier.robots.cache import GROWTH
from tests.support.hostile import HostileWeb, crawl, hostile
from tests.support.hostile_robots import ALL, CASES, NONE, RETRIED, cases
from tests.support.scrapy_runs import Run

BACKOFF = 0.2
SETTINGS = (
    "USER_AGENT=probe/1.0 (+https://probe.example)",
    "frontier.plugin.robots:TIMEOUT=6",
    "frontier.plugin.robots:FIRST_WAIT=0.5",
    f"frontier.robots.cache:RobotsCache.rest={BACKOFF}",
    "FRONTIER_BACKOFF=0.003",
    "CONCURRENT_REQUESTS=32",
    # All hosts of the tests are one domain, and lie on one network.
    "FRONTIER_DOMAIN_CONCURRENCY=0",
)


pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Crawled:
    web: HostileWeb
    run: Run
    states: dict[str, tuple[int | None, str | None]]
    """State and reason of each URL."""


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    folder = tmp_path_factory.mktemp("robots")
    with hostile(cases()) as web:
        run = crawl(folder, [web.url(case) for case in CASES], *SETTINGS)
    store = sqlite3.connect(folder / "job" / "frontier.sqlite")
    rows = store.execute("SELECT url, state, error FROM urls LEFT JOIN pages USING (id)")
    states = {url: (state, error) for url, state, error in rows}
    store.close()
    return Crawled(web, run, states)


def test_the_crawl_ends_by_itself(crawled: Crawled) -> None:
    assert crawled.run.returncode == 0
    assert crawled.run.stats["finish_reason"] == "finished", crawled.run.log[-2000:]
    assert crawled.run.stats["frontier/queued"] == 0
    assert "log_count/ERROR" not in crawled.run.stats, crawled.run.log[-4000:]


def test_no_redirect_leads_to_an_address_that_must_not_be_connected_to(crawled: Crawled) -> None:
    assert not crawled.web.trespassed


@pytest.mark.parametrize("case", CASES)
def test_what_is_fetched_is_what_may_be(crawled: Crawled, case: str) -> None:
    paths = [path for path in crawled.web.paths(case) if not path.startswith("/robots.txt")]
    assert frozenset(paths) == CASES[case].fetched
    if case != "redirect to the front page":
        assert len(paths) == len(set(paths))


@pytest.mark.parametrize("case", CASES)
def test_robots_txt_is_asked_for_first_and_no_more_often_than_needed(
    crawled: Crawled, case: str
) -> None:
    log = [one.path for one in crawled.web.log if one.case == case]
    asked = [path for path in log if path.startswith("/robots.txt")]
    fewest, most = CASES[case].tries
    assert fewest <= len(asked)
    assert most is None or len(asked) <= most
    assert log[0] == "/robots.txt"


@pytest.mark.parametrize("case", [case for case in CASES if CASES[case].tries == RETRIED])
def test_an_origin_that_cannot_say_is_asked_again_after_ever_longer_rests(
    crawled: Crawled, case: str
) -> None:
    at = [one.at for one in crawled.web.log if one.case == case and one.path == "/robots.txt"]
    rests = [later - earlier for earlier, later in itertools.pairwise(at)]
    # By half: this process may note a request late, and the next one at once.
    assert all(one >= BACKOFF * GROWTH**n / 2 for n, one in enumerate(rests)), rests


@pytest.mark.parametrize("case", [case for case in CASES if CASES[case].fetched == NONE])
def test_a_url_that_may_not_be_fetched_says_why(crawled: Crawled, case: str) -> None:
    state, reason = crawled.states[crawled.web.url(case)]
    expected = "forbidden by robots.txt" if case == "all" else "robots.txt unreachable: "
    assert state in {4, 5}
    assert (reason or "").startswith(expected)


@pytest.mark.parametrize("case", [case for case in CASES if CASES[case].fetched == ALL])
def test_a_url_that_may_be_fetched_is_crawled(crawled: Crawled, case: str) -> None:
    assert crawled.states[crawled.web.url(case)][0] == 3
