"""A crawl whose leases and answers cross as bytes is the one in which they do not."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from frontier import records
from frontier.exchange.wire import pack_lease, pack_page, unpack_lease, unpack_page
from frontier.records import Canonical, Lease, UrlRecord, VisibleText
from frontier.states import Change, Mark, State
from frontier.store import StoreReader
from frontier.traps.limits import TrapLimits
from frontier.verdict import Verdict
from tests.frontier.backend.revisits.test_refreshing import Living
from tests.support.driven_crawl import DrivenCrawl, Page
from tests.support.stored import stored_pages

SEED = "http://seed.example/"
TIMES = ("leased", "fetched", "discovered")
WORDS = [f"word{number}" for number in range(3000)] + ["größe", "日本語", "12,345"]


class CrossingCrawl(DrivenCrawl):
    """Everything crosses; what an order knows of a URL stays where it is."""

    def take(self, most: int, **how: Any) -> list[Lease]:
        taken = super().take(most, **how)
        crossed = [unpack_lease(pack_lease(one))[0] for one in taken]
        for here, there in zip(taken, crossed, strict=True):
            there.features = here.features
        return crossed

    def report(
        self,
        lease: Lease,
        page: records.Page,
        links: list[UrlRecord],
        canonical: Canonical | None = None,
    ) -> Verdict:
        return super().report(lease, *unpack_page(pack_page(page, links, canonical)))


def web() -> dict[str, Page]:
    """Three sites, two of which repeat the first, a trap of empty pages, and pages that merge."""
    found = {SEED: Page({f"http://{name}.example/0": 0.5 for name in "abcdt"}, 0.5, "seed")}
    found[f"{SEED}old"] = Page(redirect="http://a.example/0")
    found[SEED].links[f"{SEED}old"] = 0.1
    for name in "abcd":
        for number in range(8):
            text = " ".join(random.Random(number).choices(WORDS, k=250))
            root = f"http://{name}.example/"
            links = {f"{root}{(number + step) % 8}": 0.25 * step for step in (1, 2, 3)}
            matches = dict.fromkeys(links, (number, 20, 30))
            end = " and more" if name == "b" else ""
            canonical = f"{root}0" if name == "d" and number == 4 else None
            found[f"{root}{number}"] = Page(
                links,
                0.1 * number,
                f"{number}",
                matches=matches,
                text=text + end,
                canonical=canonical,
            )
    for number in range(60):
        onward = {f"http://t.example/{2 * number + step}": 0.9 for step in (1, 2)}
        found[f"http://t.example/{number}"] = Page(onward, 0.0, "t", text="nothing to see here now")
    return found


def rows(directory: Path) -> dict[str, list[tuple[Any, ...]]]:
    """What is known of URLs, pages and texts, but for the times."""
    with closing(sqlite3.connect(directory / "frontier.sqlite")) as connection:
        found = {}
        for table in ("urls", "pages", "signatures", "refusals"):
            names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            wanted = ", ".join(name for name in names if name not in TIMES)
            found[table] = [*connection.execute(f"SELECT {wanted} FROM {table}")]
        return found


def crawled(kind: type[DrivenCrawl], directory: Path) -> tuple[list[str], dict[str, Any]]:
    limits = TrapLimits(budget=10)
    driven = kind(directory, web(), topic="words", traps=limits)
    driven.seed(SEED)
    driven.run()
    driven.close()
    return driven.fetched, rows(directory)


def test_a_crawl_that_crosses_is_the_one_that_does_not(tmp_path: Path) -> None:
    fetched, found = crawled(CrossingCrawl, tmp_path / "crossing")
    assert (fetched, found) == crawled(DrivenCrawl, tmp_path / "plain")
    with StoreReader.open(tmp_path / "crossing") as reader:
        pages = [*stored_pages(reader)]
    marks = {mark for page in pages for mark in Mark if mark in page.marks}
    assert marks == {*Mark} - {
        Mark.NOINDEX,
        Mark.NOFOLLOW,
        Mark.TRUNCATED,
        Mark.REQUESTED,
        Mark.RENDERED,
    }
    assert {State.CRAWLED, State.REDIRECTED, State.ERROR, State.TRAP} == {
        page.state for page in pages
    }


class CrossingRevisits(CrossingCrawl, Living):
    """The same of a crawl that revisits pages."""


def revisited(kind: type[Living], directory: Path) -> tuple[list[str], list[tuple[Any, ...]]]:
    """What was fetched and what revisits found, of a page that changes and one that does not."""
    changing, steady = f"{SEED}changing", f"{SEED}steady"
    web = {SEED: Page({changing: 0.5, steady: 0.5}, text="a start")}
    web |= {changing: Page(text="a page"), steady: Page(text="a text")}
    crawl = kind(directory, web)
    crawl.etags[steady], crawl.unmodified = b'"one"', {steady}
    crawl.seed(SEED)
    crawl.run()
    for day in range(8):
        crawl.web[changing].text = f"{'new words ' * day} of a page"
        crawl.later(86_400.0)
    validators = [(one.url, one.etag) for one in crawl.asked if one.revisit and one.etag]
    assert {url for url, _ in validators} == {steady}
    revisits = [*crawl.backend.store.revisits()]
    crawl.close()
    Living.opened.remove(crawl)
    return crawl.fetched, revisits


def test_revisits_that_cross_find_what_those_find_that_do_not(tmp_path: Path) -> None:
    crossing = revisited(CrossingRevisits, tmp_path / "crossing")
    assert crossing == revisited(Living, tmp_path / "plain")
    assert {Change(revisit.result) for revisit in crossing[1]} == {Change.CHANGED, Change.UNCHANGED}
    assert {revisit.status for revisit in crossing[1]} == {200, 304}


def test_what_is_not_asked_for_is_not_made() -> None:
    asked: list[str] = []

    def noting(text: str) -> int:
        asked.append(text)
        return len(text)

    text = VisibleText("whole text")
    assert asked == []
    assert text.derived(noting) == 10
    assert asked == ["whole text"]


def test_what_was_made_elsewhere_is_not_made_of_the_beginning_that_came_along() -> None:
    text = VisibleText("begin", {len: 10})
    assert text.derived(len) == 10
    with pytest.raises(KeyError):
        text.derived(str.upper)


@pytest.mark.parametrize(
    ("text", "beginning"),
    [
        (VisibleText("whole text"), "whole"),
        (VisibleText("who", {}), "who"),
        (VisibleText(None, {}), None),
    ],
)
def test_the_beginning_is_given_where_it_is_there(text: VisibleText, beginning: str | None) -> None:
    assert text.beginning(5) == beginning
