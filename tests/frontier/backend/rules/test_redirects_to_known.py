"""Requests that only led to what was known are remembered, and those like them wait."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from frontier.states import Mark
from tests.support.driven_crawl import DrivenCrawl, Page

SITE = "http://a.example"
SEED, NEWS = f"{SITE}/", f"{SITE}/moved"
TOPICS = [f"{SITE}/t/{number}/how" for number in range(8)]
PERMALINKS = [f"{SITE}/go/{number}" for number in range(8)]
WEB = {
    SEED: Page(dict.fromkeys((*TOPICS, *PERMALINKS), 0.5), relevance=0.5),
    **{url: Page(relevance=0.5) for url in TOPICS},
    **{one: Page(redirect=to) for one, to in zip(PERMALINKS, TOPICS, strict=True)},
}


@contextmanager
def crawled(
    web: dict[str, Page], directory: Path | None = None, steps: int = 99
) -> Iterator[DrivenCrawl]:
    crawl = DrivenCrawl(directory, web, strategy="apprentice", topic="x", turn=1)
    if not crawl.backend.resumed:
        crawl.seed(SEED)
    crawl.run(steps)
    try:
        yield crawl
    finally:
        crawl.close()


def marked(crawl: DrivenCrawl) -> set[str]:
    crawl.backend.commit()
    rows = (crawl.backend.store.page_row(one) for one in range(len(crawl.backend.ledger)))
    return {
        crawl.backend.url(row.url_id)
        for row in rows
        if row is not None and Mark.REDIRECT_TO_KNOWN in row.marks
    }


def test_redirects_to_what_was_known_are_marked() -> None:
    moved = {**WEB, SEED: Page({**WEB[SEED].links, NEWS: 0.5}, relevance=0.5)}
    with crawled({**moved, NEWS: Page(redirect=f"{SITE}/new")}) as crawl:
        assert marked(crawl) == set(PERMALINKS)


def test_copies_that_name_a_known_page_are_marked() -> None:
    web = {
        SEED: Page({TOPICS[0]: 0.5}, relevance=0.5),
        TOPICS[0]: Page({PERMALINKS[0]: 0.5}, relevance=0.5),
        PERMALINKS[0]: Page(relevance=0.5, canonical=TOPICS[0]),
    }
    with crawled(web) as crawl:
        assert marked(crawl) == {PERMALINKS[0]}


def test_a_copy_with_links_that_nobody_had_met_was_worth_its_request() -> None:
    web = {
        SEED: Page({TOPICS[0]: 0.5, PERMALINKS[0]: 0.5}, relevance=0.5),
        TOPICS[0]: Page(relevance=0.5),
        PERMALINKS[0]: Page({NEWS: 0.5}, relevance=0.5, canonical=TOPICS[0]),
        NEWS: Page(relevance=0.5),
    }
    with crawled(web) as crawl:
        assert marked(crawl) == set()
        assert NEWS in crawl.fetched


def test_after_some_permalinks_the_others_come_last_and_none_is_left_out() -> None:
    with crawled(WEB) as crawl:
        pass
    places = [crawl.fetched.index(url) for url in TOPICS]
    assert sorted(crawl.fetched) == sorted(WEB)
    # All predict the same, so that some are tried before what they lead to is told.
    tried = sum(url in PERMALINKS for url in crawl.fetched[: max(places)])
    assert tried < len(PERMALINKS) // 2


def test_a_resumed_crawl_remembers_them(tmp_path: Path) -> None:
    with (
        crawled(WEB, tmp_path / "whole") as whole,
        crawled(WEB, tmp_path / "cut", steps=6) as first,
    ):
        pass
    with crawled(WEB, tmp_path / "cut") as second:
        assert first.fetched + second.fetched == whole.fetched
    ours, theirs = (one.backend.driver.order.state_arrays() for one in (second, whole))
    for name in ours:
        if name.startswith("templates."):
            np.testing.assert_array_equal(ours[name], theirs[name])
