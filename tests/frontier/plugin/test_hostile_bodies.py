"""One crawl over every case of `hostile_bodies`, with the servers' log as witness."""

from __future__ import annotations

import pytest
from scrapy import version_info

from tests.support.hostile_bodies import PAGES
from tests.support.hostile_crawls import Crawled, crawled_over


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    return crawled_over(PAGES, tmp_path_factory.mktemp("bodies"))


@pytest.mark.parametrize("case", PAGES)
def test_links_of_a_page_are_found_or_it_is_said_why_not(crawled: Crawled, case: str) -> None:
    if version_info < (2, 14) and case.startswith("zstd"):
        pytest.skip("the oldest Scrapy needs another package for zstd")
    crawled.check(case)


def test_crawl_ends_by_itself_without_an_error(crawled: Crawled) -> None:
    assert crawled.run.returncode == 0
    assert crawled.run.stats["finish_reason"] == "finished"
    assert "Traceback" not in crawled.run.log


def test_hosts_beyond_the_bound_are_refused_and_counted(crawled: Crawled) -> None:
    assert crawled.refused["too many hosts on a page"] == 60 - 20
