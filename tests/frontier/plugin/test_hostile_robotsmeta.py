"""One crawl over every case of `hostile_robotsmeta`, with the servers' log as witness."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from frontier.states import Mark
from frontier.store import StoreReader
from tests.support.hostile import HostileWeb, crawl, hostile
from tests.support.hostile_robotsmeta import CASES, EXPECTED, USER_AGENT
from tests.support.scrapy_runs import Run


@dataclass(frozen=True)
class Crawled:
    web: HostileWeb
    run: Run
    marks: dict[str, Mark]
    """By URL."""


def crawled_with(folder: Path, *settings: str) -> Crawled:
    with hostile(CASES) as web:
        seeds = [web.url(case) for case in CASES]
        run = crawl(folder, seeds, f"USER_AGENT={USER_AGENT}", *settings)
        with StoreReader.open(folder / "job") as reader:
            urls = {row.url_id: row.url for row in reader.iter_urls()}
            marks = {urls[page.url_id]: page.marks for page in reader.iter_pages()}
    return Crawled(web, run, marks)


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    return crawled_with(tmp_path_factory.mktemp("robotsmeta"))


@pytest.mark.parametrize("case", [case for case in CASES if case not in ("plain_text", "pdf")])
def test_a_link_is_followed_unless_its_page_asks_for_the_contrary(crawled: Crawled, case: str):
    assert ("/linked" in crawled.web.paths(case)) is EXPECTED[case].followed
    assert "/never" not in crawled.web.paths(case)


@pytest.mark.parametrize("case", CASES)
def test_a_page_is_exported_unless_it_asks_for_the_contrary(crawled: Crawled, case: str):
    url = crawled.web.url(case)
    assert (url in {item["url"] for item in crawled.run.items}) is EXPECTED[case].shown
    assert (Mark.NOINDEX not in crawled.marks[url]) is EXPECTED[case].shown


def test_what_was_heeded_is_counted(crawled: Crawled):
    hidden = sum(not wish.shown for wish in EXPECTED.values())
    assert crawled.run.stats["frontier/page_rules/noindex"] == hidden
    closed = sum(not wish.followed for wish in EXPECTED.values()) - 2  # text and PDF lead nowhere
    wall = 1
    assert crawled.run.stats["frontier/page_rules/nofollow"] == closed + wall
    assert crawled.run.stats["frontier/page_rules/links_left"] >= closed + wall + 1


def test_the_crawl_ends_by_itself(crawled: Crawled):
    assert crawled.run.stats["finish_reason"] == "finished"
    assert "Traceback" not in crawled.run.log


@pytest.mark.slow
def test_the_rules_can_be_left_unheeded_and_links_without_endorsement_too(tmp_path: Path):
    found = crawled_with(tmp_path, "FRONTIER_ROBOTS_META=0", "FRONTIER_NOFOLLOW=skip")
    followed = {case: "/linked" in found.web.paths(case) for case in CASES}
    assert followed["tag_none"]
    assert not followed["rel_nofollow"]
    assert followed["rel_nofollow_and_not"]
    assert {found.web.url(case) for case in CASES} <= {item["url"] for item in found.run.items}
