"""One crawl over every case of `hostile_charsets`, with the servers' log as witness."""

from __future__ import annotations

import pytest
from scrapy import version_info

from tests.support.hostile_charsets import PAGES
from tests.support.hostile_crawls import Crawled, crawled_over


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    return crawled_over(PAGES, tmp_path_factory.mktemp("charsets"))


OLD = version_info < (2, 14)
NEWER = {
    *("quoted_singly", "spaces", "utf16_unsaid", "utf32_unsaid", "unknown_meta", "two_metas"),
    *("twice_unknown_first", "nothing_1251", "nothing_koi8", "nothing_shift_jis"),
    *("nothing_euc_jp", "nothing_gbk", "nothing_big5", "nothing_euc_kr", "nothing_greek"),
}
"""What the w3lib and the Scrapy of the oldest environment read in another charset."""


@pytest.mark.parametrize("case", PAGES)
def test_a_link_is_written_in_the_charset_of_its_page(crawled: Crawled, case: str) -> None:
    if OLD and case in NEWER:
        pytest.skip("the oldest Scrapy and w3lib tell this charset otherwise")
    crawled.check(case)


def test_crawl_ends_by_itself_without_an_error(crawled: Crawled) -> None:
    assert crawled.run.returncode == 0
    assert crawled.run.stats["finish_reason"] == "finished"
    assert "Traceback" not in crawled.run.log
