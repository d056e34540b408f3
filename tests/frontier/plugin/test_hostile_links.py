"""One crawl over every case of `hostile_links`, with the servers' log as witness."""

from __future__ import annotations

import pytest

from tests.support.hostile_crawls import Crawled, crawled_over
from tests.support.hostile_links import PAGES


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    return crawled_over(PAGES, tmp_path_factory.mktemp("links"))


@pytest.mark.parametrize("case", PAGES)
def test_a_link_is_asked_for_as_browsers_ask_for_it(crawled: Crawled, case: str) -> None:
    crawled.check(case)


def test_crawl_ends_by_itself_without_an_error(crawled: Crawled) -> None:
    assert crawled.run.returncode == 0
    assert crawled.run.stats["finish_reason"] == "finished"
    assert "Traceback" not in crawled.run.log
