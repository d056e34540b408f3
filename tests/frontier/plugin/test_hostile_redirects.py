"""One crawl over all redirects, refreshes and canonical addresses; the servers' log is witness."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from frontier.states import Mark, State
from frontier.store import StoreReader
from tests.support import hostile_redirects, hostile_refreshes
from tests.support.hostile import HostileWeb, crawl, hostile
from tests.support.scrapy_runs import Run

CASES = {**hostile_redirects.CASES, **hostile_refreshes.CASES}
EXPECTED = {**hostile_redirects.EXPECTED, **hostile_refreshes.EXPECTED}


@dataclass(frozen=True)
class Crawled:
    web: HostileWeb
    run: Run
    states: dict[str, State]
    """By URL as it was asked for."""
    marks: dict[str, Mark]
    errors: dict[str, str | None]


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    folder: Path = tmp_path_factory.mktemp("redirects")
    with hostile(CASES) as web:
        run = crawl(folder, [web.url(case) for case in CASES])
        with StoreReader.open(folder / "job") as reader:
            urls = {row.url_id: row.url for row in reader.iter_urls()}
            pages = {urls[page.url_id]: page for page in reader.iter_pages()}
    states, marks, errors = (
        {url: getattr(page, name) for url, page in pages.items()}
        for name in ("state", "marks", "error")
    )
    return Crawled(web, run, states, marks, errors)


@pytest.mark.parametrize("case", CASES)
def test_a_host_is_asked_for_what_it_leads_to_and_no_more(crawled: Crawled, case: str):
    paths, expected = crawled.web.paths(case), EXPECTED[case]
    assert set(expected.paths) <= set(paths)
    assert set(expected.never).isdisjoint(paths)
    assert len(paths) <= expected.most
    assert not expected.once or len(set(paths)) == len(paths)


@pytest.mark.parametrize("case", [case for case in CASES if EXPECTED[case].states])
def test_every_url_ends_in_the_state_that_says_what_it_was(crawled: Crawled, case: str):
    expected = dict(EXPECTED[case].states)
    found = {path: crawled.states.get(crawled.web.url(case, path)) for path in expected}
    assert {path: state and state.name for path, state in found.items()} == expected


@pytest.mark.parametrize(
    ("case", "marks"),
    [
        ("tag_noindex", Mark.NOINDEX),
        ("tag_other_crawler", Mark(0)),
        ("tag_nofollow", Mark.NOFOLLOW),
        ("tag_none", Mark.NOINDEX | Mark.NOFOLLOW),
    ],
)
def test_what_a_redirect_asks_of_crawlers_is_noted(crawled: Crawled, case: str, marks: Mark):
    url = crawled.web.url(case)
    assert crawled.marks[url] == marks
    assert crawled.errors[url] is None
    assert crawled.states[url] is State.REDIRECTED  # what it says is about itself alone
    assert not crawled.marks[crawled.web.url(case, "/target")] & (Mark.NOINDEX | Mark.NOFOLLOW)


def test_the_crawl_ends_by_itself_and_goes_nowhere_it_must_not(crawled: Crawled):
    assert crawled.run.returncode == 0
    assert crawled.run.stats["finish_reason"] == "finished"
    assert crawled.web.trespassed == []


def test_no_header_raises_anything(crawled: Crawled):
    assert "Traceback" not in crawled.run.log
