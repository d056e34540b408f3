"""One crawl over every case of `hostile_charsets`, with the servers' log as witness."""

from __future__ import annotations

import pytest

from tests.support.hostile_charsets import PAGES
from tests.support.hostile_crawls import Crawled, crawled_over


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    return crawled_over(PAGES, tmp_path_factory.mktemp("charsets"))


@pytest.mark.parametrize("case", PAGES)
def test_a_link_is_written_in_the_charset_of_its_page(crawled: Crawled, case: str) -> None:
    crawled.check(case)


def test_crawl_ends_by_itself_without_an_error(crawled: Crawled) -> None:
    assert crawled.run.returncode == 0
    assert crawled.run.stats["finish_reason"] == "finished"
    assert "Traceback" not in crawled.run.log
