"""The backend over several runs, some of which are killed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import Request
from scrapy.dupefilters import RFPDupeFilter

from frontier.backend.first_requests import FirstRequests
from frontier.errors import CrawlChangedError
from frontier.states import State
from tests.support.driven_crawl import DrivenCrawl, Page
from tests.support.told import telling

ROOT = Path(__file__).resolve().parents[3]
A, B, C, D = (f"http://{name}.example/" for name in "abcd")
WEB = {A: Page({B: 0.5, C: 0.1}, 0.9), B: Page({C: 0.2, D: 0.2}, 0.5), C: Page(), D: Page()}


def killed_run(directory: Path, **config: Any) -> None:
    """Open the crawl in a process of its own that dies before it has done anything."""
    code = f"""
import os, sys
sys.path.insert(0, {str(ROOT)!r})
from pathlib import Path
from tests.support.driven_crawl import DrivenCrawl
DrivenCrawl(Path({str(directory)!r}), {{}}, **{config!r})
os._exit(9)
"""
    done = subprocess.run([sys.executable, "-c", code], check=False, timeout=60)
    assert done.returncode == 9


def stopped_after(directory: Path, pages: int, **config: Any) -> None:
    crawl = DrivenCrawl(directory, WEB, rerank_min_pages=1, **config)
    crawl.seed(A)
    crawl.run(pages)
    crawl.close()


@pytest.mark.parametrize("first", ["ppr", "hits"])
def test_killed_right_after_its_order_was_changed_a_crawl_still_resumes(
    tmp_path: Path, first: str
) -> None:
    second = {"ppr": "hits", "hits": "ppr"}[first]
    stopped_after(tmp_path, 3, strategy=first)
    killed_run(tmp_path, strategy=second, accept_changes=True)
    crawl = DrivenCrawl(tmp_path, WEB, strategy=second)
    crawl.run()
    assert crawl.backend.ledger.counts[State.CRAWLED] == 4
    crawl.close()


def test_killed_right_after_its_topic_was_changed_a_crawl_does_not_judge_by_the_old_one(
    tmp_path: Path,
) -> None:
    crawl = DrivenCrawl(tmp_path, WEB, topic="chess")
    crawl.backend.remember("topic state", {"learned": "chess"})
    crawl.close()
    killed_run(tmp_path, topic="gardening", accept_changes=True)
    crawl = DrivenCrawl(tmp_path, WEB, topic="gardening")
    assert crawl.backend.setting("topic state") is None
    crawl.close()


def test_an_unchanged_crawl_keeps_its_topic_and_its_epoch(tmp_path: Path) -> None:
    stopped_after(tmp_path, 3, strategy="ppr")
    crawl = DrivenCrawl(tmp_path, WEB, strategy="ppr")
    crawl.backend.remember("topic state", {"learned": "chess"})
    epoch = crawl.backend.driver.epoch
    assert epoch > 0
    crawl.close()
    crawl = DrivenCrawl(tmp_path, WEB, strategy="ppr")
    assert crawl.backend.setting("topic state") == {"learned": "chess"}
    assert crawl.backend.driver.epoch == epoch
    crawl.close()


def test_a_refused_change_changes_nothing(tmp_path: Path) -> None:
    stopped_after(tmp_path, 2, strategy="ppr")
    with pytest.raises(CrawlChangedError, match=telling("strategy", "'ppr'", "'bfs'")):
        DrivenCrawl(tmp_path, WEB, strategy="bfs")
    crawl = DrivenCrawl(tmp_path, WEB, strategy="ppr")
    assert crawl.backend.ledger.counts[State.CRAWLED] == 2
    crawl.close()


def test_it_is_finished_when_nothing_is_queued_or_leased(tmp_path: Path) -> None:
    crawl = DrivenCrawl(tmp_path, WEB, strategy="bfs")
    crawl.seed(A)
    assert not crawl.backend.finished()
    lease = crawl.lease_next()
    assert lease is not None
    assert not crawl.backend.finished()
    crawl.answer(lease)
    crawl.run()
    assert crawl.backend.finished()
    assert crawl.fetched == [A, B, C, D]
    crawl.close()


def test_a_priority_beyond_all_bounds_is_still_the_first_or_the_last(tmp_path: Path) -> None:
    crawl = DrivenCrawl(tmp_path, {url: Page() for url in (A, B, C, D)}, strategy="bfs")
    for url, priority in ((A, -(2**40)), (B, 0), (C, 2**40), (D, 2**20)):
        crawl.ask(url, priority_class=priority)
    crawl.close()
    crawl = DrivenCrawl(tmp_path, crawl.web, strategy="bfs")
    crawl.run()
    assert crawl.fetched == [C, D, B, A]
    crawl.close()


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), max_size=30))
def test_what_is_made_is_what_scrapys_filter_makes(requests: list[tuple[int, bool]]) -> None:
    first, known, scrapys = FirstRequests(), set[int](), RFPDupeFilter()
    for number, dont_filter in requests:
        request = Request(f"http://a.test/{number}", dont_filter=dont_filter)
        again = first.again(number, dont_filter=dont_filter, known=number in known)
        made = again or number not in known
        assert made == (dont_filter or not scrapys.request_seen(request))
        known.add(number)


@pytest.mark.parametrize(("link", "epochs"), [({}, 0), ({D: 0.5}, 1)])
def test_pages_without_links_are_not_re_ranked(link: dict[str, float], epochs: int) -> None:
    web = {A: Page(), B: Page(), C: Page(link), D: Page()}
    crawl = DrivenCrawl(None, web, strategy="ppr", rerank_min_pages=3)
    crawl.seed(A, B, C)
    crawl.run()
    assert crawl.backend.driver.epoch == epochs
    crawl.close()
