"""CLOSESPIDER_COVERAGE, in real crawls."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.scrapy_runs import WANDERER, run_spider
from tests.support.sites import links, serving

RING = {"/": links("/1"), **{f"/{i}": links("/", f"/{i + 1}") for i in range(1, 30)}}
"""Of a page's surfers half go back to the seed: a few pages hold nearly all of their time."""


def test_the_spider_closes_when_enough_is_covered(tmp_path: Path) -> None:
    with serving(RING) as site:
        run = run_spider(tmp_path, WANDERER.format(url=f"{site.url}/"), "CLOSESPIDER_COVERAGE=0.9")
    assert run.stats["finish_reason"] == "closespider_coverage"
    assert 0.9 <= run.stats["frontier/coverage"] <= 1
    assert run.stats["frontier/pages"] < 20


def test_without_the_setting_the_crawl_ends_by_itself_and_says_what_it_covered(
    tmp_path: Path,
) -> None:
    with serving(RING) as site:
        run = run_spider(tmp_path, WANDERER.format(url=f"{site.url}/"))
    assert run.stats["finish_reason"] == "finished"
    # The last page leads to one that is missing, so its time is not certain.
    assert 0.99 < run.stats["frontier/coverage"] < 1
    assert run.stats["frontier/pages"] == 30


def test_a_crawl_that_covered_enough_is_closed_at_once_when_it_goes_on(tmp_path: Path) -> None:
    kept = f"JOBDIR={tmp_path / 'job'}"
    with serving(RING) as site:
        spider = WANDERER.format(url=f"{site.url}/")
        first = run_spider(tmp_path, spider, kept, "CLOSESPIDER_PAGECOUNT=15")
        again = run_spider(tmp_path, spider, kept, "CLOSESPIDER_COVERAGE=0.7")
    assert first.stats["frontier/coverage"] > 0.7
    assert again.stats["finish_reason"] == "closespider_coverage"
    assert again.stats["frontier/coverage"] >= first.stats["frontier/coverage"]
    assert again.stats["frontier/pages"] <= first.stats["frontier/pages"] + 1


@pytest.mark.parametrize("value", ["95", "-1", "nan", "much"])
def test_a_limit_that_is_none_is_refused(tmp_path: Path, value: str) -> None:
    run = run_spider(
        tmp_path, WANDERER.format(url="http://127.0.0.1:9/"), f"CLOSESPIDER_COVERAGE={value}"
    )
    assert run.returncode == 1
    assert "CLOSESPIDER_COVERAGE must" in run.log
    assert "Traceback" not in run.log
