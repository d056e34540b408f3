"""A crawl of a changing web finds what truly changed, and takes back what it was wrong about."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from frontier.inspection import CrawlView
from frontier.records import RevisitRow
from frontier.recovery import check
from frontier.states import Change, State
from tests.support.changing_crawl import HOST, ChangingCrawl, quality
from tests.support.changing_web import NOISES, ChangingWeb

NOTICE = "<title>Closed</title><h1>Maintenance</h1><p>We are back soon. <a href=/page/0>Start</a>"


def crawled(directory: Path, *notices: str | None, seed: int = 1) -> ChangingCrawl:
    """A crawl after so many rounds, in which each page showed this notice, or None: itself."""
    crawl = ChangingCrawl(directory, ChangingWeb(seed, noises=NOISES, pages=10, rate=0.1))
    crawl.begin()
    for notice in notices:
        crawl.revisit(notice)
    return crawl


def ids_of(crawl: ChangingCrawl) -> list[int]:
    urls = (f"{HOST}/page/{number}" for number in range(len(crawl.changing)))
    return crawl.backend.ledger.find([crawl._record(one, 0).fingerprint for one in urls])


def known(crawl: ChangingCrawl, url_id: int) -> RevisitRow:
    revisit = crawl.backend.store.revisit(url_id)
    assert revisit is not None
    return revisit


def test_the_report_of_changes_holds_those_that_were_true(tmp_path: Path) -> None:
    crawl = crawled(tmp_path, *[None] * 12)
    crawl.close()
    precision, recall = quality(crawl.found(tmp_path), set(crawl.truth))
    assert precision >= 0.9
    assert recall >= 0.95
    with CrawlView.open(tmp_path) as view:
        changed = view.changes().counts["changed"]
        assert view.stats().refresh is not None
    assert changed == crawl.findings.counts["changed"], "what was taken back is counted no more"
    assert check(tmp_path).intact


def test_what_is_noise_is_known_to_a_crawl_that_goes_on(tmp_path: Path) -> None:
    crawl = crawled(tmp_path, *[None] * 4)
    crawl.close()
    crawl.changing.kinds = ()
    again = ChangingCrawl(tmp_path, crawl.changing, crawl.now)
    again.revisit()
    assert again.findings.counts["revisits"] == 10
    assert again.findings.counts["changed"] <= len(crawl._unseen)
    again.close()


@pytest.mark.parametrize("notice", [NOTICE, ""])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_notice_on_every_page_is_no_change_and_the_pages_are_kept(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, notice: str, seed: int
) -> None:
    caplog.set_level(logging.INFO)
    crawl = crawled(tmp_path, None, None, None, seed=seed)
    ids = ids_of(crawl)
    revisits = [known(crawl, one) for one in ids]
    crawl.revisit(notice)
    for before, after in zip(revisits, (known(crawl, one) for one in ids), strict=True):
        assert after.result == Change.NOTICE
        assert (after.blocks, after.last) == (before.blocks, before.last)
        assert (after.revisits, after.changes) == (before.revisits, before.changes)
    assert crawl.findings.counts["notice"] == 10
    assert (sum("taken for a notice" in one for one in caplog.messages) == 1) is bool(notice)
    for _ in range(4):  # a pause grows
        crawl.revisit()
    assert all(known(crawl, one).result in (Change.UNCHANGED, Change.CHANGED) for one in ids)
    assert all(len(crawl.backend.driver.graph.links(one)[0]) >= 3 for one in ids), "its own again"
    assert all(crawl.backend.ledger.state_of(one) is State.CRAWLED for one in ids)
    crawl.close()
    precision, recall = quality(crawl.found(tmp_path), set(crawl.truth))
    assert precision >= 0.9
    assert recall >= 0.95
    with CrawlView.open(tmp_path) as view:
        shown = view.url(f"{HOST}/page/3").revisits
    assert shown is not None
    assert "notice" in [one.result for one in shown.history]


def test_a_notice_that_stays_for_days_is_what_the_pages_have_become(tmp_path: Path) -> None:
    crawl = crawled(tmp_path, None, None)
    for _ in range(100):
        crawl.revisit(NOTICE)
    revisits = [known(crawl, one) for one in ids_of(crawl)]
    assert all(one.result == Change.UNCHANGED for one in revisits)
    assert all(one.last >= crawl.now - 86400 for one in revisits)
    crawl.close()
