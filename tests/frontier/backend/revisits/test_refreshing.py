"""A crawl that revisits pages: which, when, and what becomes of what it finds."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from frontier.refresh.changes import past_revisits
from frontier.refresh.policy import RefreshPolicy
from frontier.states import Change, State
from tests.support.driven_crawl import Page
from tests.support.living_crawl import DAY, START, A, B, C, D, Living
from tests.support.stored import stored_pages


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    while Living.opened:
        Living.opened.pop().backend.store.close()


def web() -> dict[str, Page]:
    return {
        A: Page({B: 0.5, C: 0.5}, text="page a"),
        B: Page(text="page b"),
        C: Page(text="page c"),
    }


def living(directory: Path | None = None, **config: Any) -> Living:
    crawl = Living(directory, web(), **config)
    crawl.seed(A)
    crawl.run()
    assert crawl.fetched[0] == A
    assert sorted(crawl.fetched) == [A, B, C]
    return crawl


def test_without_refreshing_a_page_is_fetched_once_and_nothing_is_noted_of_revisits() -> None:
    crawl = living(refresh=RefreshPolicy())
    assert crawl.later(400 * DAY) == []
    assert crawl.backend.store.revisit(crawl.id(A)) is None
    assert not crawl.backend.pending()


def test_a_crawl_that_refreshes_stays_open_and_says_when_a_page_is_due() -> None:
    crawl = living()
    assert crawl.backend.pending()
    assert crawl.later(3599.0) == []
    wait = crawl.backend.seconds_to_revisit()
    assert wait is not None
    assert 0 < wait <= 60


def test_pages_are_revisited_when_they_may_have_changed() -> None:
    crawl = living()
    assert sorted(crawl.later(3 * DAY)) == [A, B, C]
    assert crawl.later(60.0) == []
    assert all(lease.revisit for lease in crawl.asked[3:])


def test_no_page_is_looked_at_twice_within_the_least_time() -> None:
    crawl = living(refresh=RefreshPolicy("sweep", least=DAY))
    assert crawl.later(DAY - 1) == []
    assert sorted(crawl.later(2.0)) == [A, B, C]
    assert crawl.later(DAY - 1) == []


def test_an_unchanged_page_keeps_its_row_and_its_links() -> None:
    crawl = living()
    rows = len(stored_pages(crawl.backend.store))
    links = crawl.links(A)
    crawl.later(3 * DAY)
    crawl.backend.commit()
    assert len(stored_pages(crawl.backend.store)) == rows
    assert crawl.links(A) == links
    assert crawl.found(A) is Change.UNCHANGED
    assert crawl.state(A) is State.CRAWLED
    assert crawl.revisit(A).revisits == 1


def test_a_changed_page_has_new_links_and_says_what_share_of_it_changed() -> None:
    crawl = living()
    crawl.web[A] = Page({B: 0.5, D: 0.5}, text="page a|and more")
    crawl.web[D] = Page(text="page d")
    assert sorted(crawl.later(3 * DAY)) == [A, B, C, D]
    assert crawl.found(A) is Change.CHANGED
    assert crawl.links(A) == [crawl.id(B), crawl.id(D)]
    revisit = crawl.revisit(A)
    assert (revisit.revisits, revisit.changes, revisit.changed) == (1, 1, crawl.now)
    assert 0 < revisit.share < 1
    verdict = crawl.verdicts[A]
    assert (verdict.change, verdict.previous) == (Change.CHANGED, START)


def test_an_unchanged_page_that_leads_to_a_new_url_has_it_fetched_all_the_same() -> None:
    crawl = living()
    crawl.web[B] = Page({D: 0.5}, text="page b")
    crawl.web[D] = Page(text="page d")
    assert D in crawl.later(3 * DAY)


def test_validators_are_sent_and_an_unmodified_page_is_unchanged() -> None:
    crawl = living_with_etags()
    crawl.unmodified = {A, B, C}
    crawl.later(3 * DAY)
    first = {one.url: one for one in reversed(crawl.asked) if one.revisit and one.etag}
    assert set(first) == {A, B, C}
    assert crawl.found(A) is Change.UNCHANGED
    assert crawl.revisit(A).etag == b'"1"'
    assert crawl.backend.refresher is not None
    assert crawl.backend.refresher.findings.counts["not_modified"] == 3


def living_with_etags() -> Living:
    crawl = Living(None, web())
    crawl.etags = dict.fromkeys((A, B, C), b'"1"')
    crawl.seed(A)
    crawl.run()
    return crawl


def test_the_first_unmodified_page_of_a_host_is_fetched_in_full_to_see_if_it_is_true() -> None:
    crawl = living_with_etags()
    crawl.unmodified = {A}
    crawl.later(3 * DAY)
    asked = [(one.url, one.etag) for one in crawl.asked if one.url == A and one.revisit]
    assert asked == [(A, b'"1"'), (A, None)]


def test_a_host_that_lies_is_asked_without_validators_from_then_on(tmp_path: Path) -> None:
    crawl = Living(tmp_path, web())
    crawl.etags = {A: b'"1"'}
    crawl.seed(A)
    crawl.run()
    crawl.unmodified = {A}
    crawl.texts(a="page a, rewritten")
    crawl.later(3 * DAY)
    assert crawl.found(A) is Change.CHANGED
    crawl.texts(a="page a, once more")
    crawl.later(30 * DAY)
    assert [one.etag for one in crawl.asked if one.revisit and one.url == A] == [b'"1"', None, None]
    crawl.close()
    again = Living(tmp_path, crawl.web)
    again.now = crawl.now
    again.later(60 * DAY)
    assert [one.etag for one in again.asked if one.url == A] == [None]


def test_a_page_that_is_missing_twice_is_gone_and_its_links_leave_the_graph() -> None:
    crawl = living()
    del crawl.web[A]
    crawl.later(3 * DAY)
    assert crawl.found(A) is Change.MISSED
    assert crawl.state(A) is State.CRAWLED
    assert crawl.links(A)
    crawl.later(3601.0)
    assert crawl.found(A) is Change.GONE
    assert crawl.state(A) is State.ERROR
    assert crawl.links(A) == []
    assert A not in crawl.later(90 * DAY), "nothing leads to it"


def index_of_one_host(pages: int = 4) -> dict[str, Page]:
    urls = [f"{A}{number}" for number in range(pages)]
    web = {A: Page(dict.fromkeys(urls, 0.5), text="index")}
    return web | {url: Page(text=f"page {url}") for url in urls}


def crawled(web: dict[str, Page], directory: Path | None = None, **config: Any) -> Living:
    crawl = Living(directory, web, **config)
    crawl.seed(A)
    crawl.run()
    return crawl


@pytest.mark.parametrize("way", ["auto", "sweep"])
@pytest.mark.parametrize("unmodified", [False, True])
def test_a_page_that_was_gone_returns_where_its_index_still_links_it(
    way: str, *, unmodified: bool
) -> None:
    crawl = Living(None, index_of_one_host(), refresh=RefreshPolicy(way, least=3600.0, most=DAY))
    crawl.etags = {A: b'"1"'}
    crawl.seed(A)
    crawl.run()
    page = crawl.web.pop(f"{A}1")
    crawl.unmodified = {A} if unmodified else set()
    revisits = [number for number in range(200) if f"{A}1" in crawl.later(3600.0)]
    assert crawl.found(f"{A}1") is Change.GONE
    pauses = [after - before for before, after in itertools.pairwise(revisits)]
    assert len(revisits) > 3
    assert pauses[-1] > pauses[0]
    crawl.web[f"{A}1"] = page
    assert any(f"{A}1" in crawl.later(DAY) for _ in range(9))
    assert crawl.found(f"{A}1") is Change.CHANGED
    assert crawl.state(f"{A}1") is State.CRAWLED


def test_a_page_that_was_missing_once_goes_on() -> None:
    crawl = living()
    page = crawl.web.pop(A)
    crawl.later(3 * DAY)
    crawl.web[A] = page
    crawl.later(3601.0)
    assert crawl.found(A) is Change.UNCHANGED
    assert crawl.state(A) is State.CRAWLED


@pytest.mark.parametrize("status", [0, 401, 403, 429, 500, 503])
def test_a_page_that_fails_is_asked_for_again_after_growing_pauses_and_after_a_resume_too(
    status: int, tmp_path: Path
) -> None:
    crawl = crawled(index_of_one_host(), tmp_path, **_minutes(600.0))
    bad = f"{A}2"
    crawl.web[bad] = Page(status=status, state=State.ERROR, error="down")
    revisits = []
    for step in range(432):
        if step % 72 == 71:
            crawl.close()
            now, crawl = crawl.now, Living(tmp_path, crawl.web, **_minutes(600.0))
            crawl.now = now
        if bad in crawl.later(600.0):
            revisits.append(step)
    pauses = [after - before for before, after in itertools.pairwise(revisits)]
    assert 4 <= len(revisits) <= 14
    assert all(after >= before for before, after in itertools.pairwise(pauses))
    assert crawl.state(bad) is State.CRAWLED


def _minutes(seconds: float) -> dict[str, Any]:
    return {"refresh": RefreshPolicy("sweep", 0.1, 0.9, seconds, seconds)}


@pytest.mark.parametrize(("status", "rests"), [(0, True), (500, True), (403, False)])
def test_the_host_of_a_revisit_that_failed_rests_where_it_is_in_trouble_itself(
    status: int, *, rests: bool
) -> None:
    crawl = crawled(index_of_one_host(), **_minutes(60.0))
    crawl.web[f"{A}2"] = Page(status=status, state=State.ERROR, error="down")
    crawl.later(90.0)
    assert bool(sum(len(crawl.later(90.0)) for _ in range(10))) is not rests
    assert crawl.later(3600.0)


def test_a_page_of_a_crawl_that_did_not_refresh_is_kept_where_the_first_revisit_fails(
    tmp_path: Path,
) -> None:
    crawled(web(), tmp_path, refresh=RefreshPolicy()).close()
    again = Living(tmp_path, web())
    again.web[B] = Page(status=503, state=State.ERROR, error="HTTP 503")
    refresher = again.backend.refresher
    assert refresher is not None
    again.now = float(refresher._pages.chances.last.max())
    assert B in again.later(3 * DAY)
    assert (again.found(B), again.state(B)) == (Change.FAILED, State.CRAWLED)


def test_revisits_leave_in_the_order_in_which_they_were_queued_so_that_no_page_waits_for_ever() -> (
    None
):
    crawl = crawled(index_of_one_host(25), refresh=RefreshPolicy("sweep", 0.1, 0.9, 1.0, 1.0))
    for _ in range(300):
        crawl.later(2.0, steps=1)
    revisits = [one.url for one in crawl.asked if one.revisit]
    for url in crawl.web:
        at = [0, *(number for number, one in enumerate(revisits) if one == url), len(revisits)]
        assert max(after - before for before, after in itertools.pairwise(at)) <= 2 * 26


@pytest.mark.parametrize("pages", [4, 9, 19])
def test_a_lying_304_is_found_out_whatever_the_number_of_pages_of_its_host(pages: int) -> None:
    crawl = Living(None, index_of_one_host(pages), **_minutes(60.0))
    crawl.etags = dict.fromkeys(crawl.web, b'"1"')
    crawl.unmodified = set(crawl.web)
    crawl.seed(A)
    crawl.run()
    liar = f"{A}{pages - 1}"
    crawl.web[liar].text = "quite another text"
    for _ in range(22):
        crawl.later(90.0, steps=pages + 5)
    assert crawl.found(liar) is not Change.UNCHANGED or crawl.revisit(liar).changes == 1
    assert crawl.revisit(liar).lied


@pytest.mark.parametrize("status", [0, 503])
def test_a_host_that_is_down_for_a_week_keeps_its_pages_and_is_left_alone(status: int) -> None:
    crawl = living()
    page = crawl.web[B]
    crawl.web[B] = Page(status=status, state=State.ERROR, error="down")
    revisits = sum(crawl.later(3600.0).count(B) for _ in range(7 * 24 + 72))
    assert 1 <= revisits <= 9
    assert crawl.found(B) is Change.FAILED
    assert crawl.state(B) is State.CRAWLED
    crawl.web[B] = page
    assert B in crawl.later(8 * DAY)
    assert crawl.found(B) is Change.UNCHANGED


def test_a_page_that_robots_txt_forbids_by_now_is_kept_and_not_asked_again() -> None:
    crawl = living()
    crawl.web[B] = Page(status=0, state=State.ROBOTS, error="forbidden by robots.txt")
    crawl.later(3 * DAY)
    assert crawl.found(B) is Change.FORBIDDEN
    assert crawl.state(B) is State.CRAWLED
    assert B not in crawl.later(90 * DAY)


@pytest.mark.parametrize("status", [302, 303, 307])
def test_a_temporary_redirect_is_a_revisit_that_failed_and_moves_a_page_after_days(
    status: int,
) -> None:
    crawl = living()
    page = crawl.web[B]
    crawl.web[B] = Page(redirect=D, redirect_status=status)
    crawl.web[D] = Page(text="please log in")
    assert D not in crawl.later(DAY)
    assert (crawl.found(B), crawl.state(B)) == (Change.FAILED, State.CRAWLED)
    crawl.web[B] = page
    assert B in crawl.later(3601.0)
    assert crawl.found(B) is Change.UNCHANGED
    crawl.web[B] = Page(redirect=D, redirect_status=status)
    for _ in range(8):
        crawl.later(DAY)
    assert (crawl.found(B), crawl.state(B)) == (Change.MOVED, State.REDIRECTED)
    assert crawl.state(D) is State.CRAWLED


def test_a_redirect_moves_a_page_to_its_target() -> None:
    crawl = living()
    crawl.web[B] = Page(redirect=D)
    crawl.web[D] = Page(text="page b")
    assert D in crawl.later(3 * DAY)
    assert crawl.found(B) is Change.MOVED
    assert crawl.state(B) is State.REDIRECTED
    assert B not in crawl.later(29 * DAY)
    assert B in crawl.later(2 * DAY)
    assert (crawl.found(B), crawl.state(B)) == (Change.MOVED, State.REDIRECTED)
    crawl.web[B] = Page({C: 0.5}, text="page b")
    assert B in crawl.later(31 * DAY)
    assert (crawl.found(B), crawl.state(B)) == (Change.CHANGED, State.CRAWLED)
    assert crawl.links(B) == [crawl.id(C)]


def test_a_revisit_that_was_under_way_when_the_process_died_is_made_again(tmp_path: Path) -> None:
    crawl = Living(tmp_path, web())
    crawl.seed(A)
    crawl.run()
    crawl.now += 3 * DAY
    lease = crawl.lease_next()
    assert lease is not None
    crawl.backend.store.abandon()
    crawl.backend.store.close()
    again = Living(tmp_path, web())
    again.now = crawl.now
    again.run(10)
    assert sorted(again.fetched) == [A, B, C]
    assert all(one.revisit for one in again.asked)
    assert again.found(lease.url) is Change.UNCHANGED


def test_what_revisits_found_is_there_when_the_crawl_goes_on(tmp_path: Path) -> None:
    crawl = Living(tmp_path, web())
    crawl.seed(A)
    crawl.run()
    crawl.texts(b="page b, rewritten")
    crawl.later(3 * DAY)
    refresher = crawl.backend.refresher
    assert refresher is not None
    rates = refresher._pages.chances.rates(refresher._pages.rows(crawl.backend.ledger.find([])))
    assert len(rates) == 0
    before = crawl.revisit(B)
    crawl.close()
    again = Living(tmp_path, crawl.web)
    again.now = crawl.now
    assert again.revisit(B) == before
    assert again.later(60.0) == []
    assert [one.change for one in past_revisits(before.history)] == [Change.NEW, Change.CHANGED]
    assert sorted(again.later(3 * DAY)) == [A, B, C]


def test_a_crawl_that_was_begun_without_refreshing_goes_on_with_it(tmp_path: Path) -> None:
    crawl = Living(tmp_path, web(), refresh=RefreshPolicy())
    crawl.seed(A)
    crawl.run()
    crawl.close()
    again = Living(tmp_path, web())
    refresher = again.backend.refresher
    assert refresher is not None
    again.now = float(refresher._pages.chances.last.max())
    assert sorted(again.later(3 * DAY)) == [A, B, C]
    assert again.found(A) is Change.NEW
    assert sorted(again.later(3 * DAY)) == [A, B, C]
    assert again.found(A) is Change.UNCHANGED


def test_a_queued_revisit_of_a_crawl_that_stops_refreshing_is_a_fetch(tmp_path: Path) -> None:
    crawl = Living(tmp_path, web())
    crawl.seed(A)
    crawl.run()
    crawl.now += 3 * DAY
    assert crawl.lease_next() is not None
    crawl.close()
    again = Living(tmp_path, web(), refresh=RefreshPolicy())
    again.run(10)
    assert again.fetched
    assert not again.backend.pending()
    assert all(again.state(url) is State.CRAWLED for url in (A, B, C))


def test_a_share_of_the_requests_looks_at_known_pages_and_a_share_does_not() -> None:
    pages = [f"http://h{number}.example/" for number in range(400)]
    endless = {A: Page(dict.fromkeys(pages, 0.5), 1.0, text="start")}
    endless |= {url: Page({}, 1.0, text=url) for url in pages}
    policy = RefreshPolicy("auto", 0.2, 0.5, least=1.0, most=2.0)
    crawl = Living(None, endless, refresh=policy, topic="pages")
    crawl.seed(A)
    for _ in range(200):
        crawl.now += 3.0
        crawl.step()
    revisits = sum(one.revisit for one in crawl.asked)
    assert 0.2 - 0.02 <= revisits / 200 <= 0.5 + 0.02


def test_where_new_urls_bring_nothing_revisits_get_their_greatest_share() -> None:
    pages = [f"http://h{number}.example/" for number in range(600)]
    web = {A: Page(dict.fromkeys(pages, 0.5), 1.0, text="start")}
    web |= {
        url: Page({}, 0.5 if number < 50 else 0.0, text=url) for number, url in enumerate(pages)
    }
    shares = {}
    for good in (1.0, 0.0):
        web |= {url: Page({}, good, text=url) for url in pages[50:]}
        crawl = Living(
            None, web, topic="pages", refresh=RefreshPolicy("auto", 0.1, 0.8, 1.0, 1000 * DAY)
        )
        crawl.seed(A)
        for number in range(500):
            crawl.now += 0.2 * DAY
            for url in pages[:50]:
                web[url].text = url + "x" * (400 + number)
            crawl.step()
        shares[good] = sum(one.revisit for one in crawl.asked[300:]) / 200
    assert shares[0.0] > shares[1.0] + 0.2


def test_a_page_that_changes_often_is_looked_at_more_often_than_one_that_never_does() -> None:
    crawl = living(refresh=RefreshPolicy("auto", least=3600.0, most=90 * DAY))
    for number in range(400):
        crawl.texts(b=f"version {'x' * number} of page b")
        crawl.later(0.25 * DAY)
    counts = {url: sum(one.revisit and one.url == url for one in crawl.asked) for url in (B, C)}
    assert counts[B] > 2 * counts[C] > 0


def test_a_new_date_of_a_sitemap_has_its_page_looked_at_at_once() -> None:
    crawl = living()
    crawl.later(1.5 * DAY)
    revisits = [one.url for one in crawl.asked if one.revisit]
    lease = next(one for one in crawl.asked if one.url == A)
    link = crawl._record(B, 1)
    link.url_id, link.modified = crawl.id(B), crawl.now + 10
    refresher = crawl.backend.refresher
    assert refresher is not None
    refresher.findings._heed_dates(lease, [link])
    assert B in crawl.later(3601.0)
    assert len(revisits) < sum(one.revisit for one in crawl.asked)
    refresher.findings._heed_dates(lease, [link])
    assert refresher.findings.counts["signals"] == 1


def test_a_crawl_whose_pages_are_all_under_way_asks_soon_whether_one_is_due() -> None:
    crawl = Living(None, {A: Page(text="the only page")}, **_minutes(1.0))
    crawl.seed(A)
    crawl.run()
    crawl.now += 5.0
    lease = crawl.lease_next()
    assert lease is not None
    assert crawl.lease_next() is None
    crawl.answer(lease)
    crawl.now += 5.0
    assert crawl.step()
