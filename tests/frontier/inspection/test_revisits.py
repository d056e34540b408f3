"""What revisits found, as a crawl's store tells it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

from frontier.errors import StoreDamagedError, StoreMissingError
from frontier.inspection import CrawlView, revisits
from frontier.inspection.reports import RefreshStats, iso_time
from frontier.inspection.revisits import PageChange, PastRevisitRow, RevisitReport
from frontier.refresh.chances import ChangeChances
from frontier.refresh.changes import KEPT, MOST
from frontier.refresh.policy import REFRESH
from frontier.states import Change, Mark
from frontier.store import Store
from frontier.store.open import FILE_NAME
from tests.support.driven_crawl import FETCHED, A, B, C, DrivenCrawl, Page, small_crawl
from tests.support.revisited_at import DAY, START, revisited, revisited_crawl

A_ID, B_ID, C_ID, OLD_ID = 0, 1, 4, 2
AT_A = revisited(
    *(A_ID, (0, 200, Change.NEW), (2, 304, Change.UNCHANGED), (4, 200, Change.CHANGED)),
    rated=1.25,
    share=0.25,
)
AT_B = revisited(
    *(B_ID, (1, 200, Change.NEW), (3, 404, Change.MISSED), (5, 404, Change.GONE)),
)


@pytest.fixture(autouse=True)
def now() -> Iterator[float]:
    """Eleven days after the first revisits, a day after the first answers of the crawl."""
    with patch.object(revisits.time, "time", lambda: FETCHED + DAY):
        yield FETCHED + DAY


def day(number: float) -> str | None:
    return iso_time(START + number * DAY)


def changes(directory: Path, since: float | None = None) -> tuple[PageChange, ...]:
    with CrawlView.open(directory) as view:
        return view.changes(since).changes


def revisit_at(directory: Path, url: str) -> RevisitReport | None:
    with CrawlView.open(directory) as view:
        report, explained = view.url(url).revisits, view.explain(url).revisits
    assert report == explained
    return report


def test_changes_are_listed_newest_first_with_the_revisit_before(tmp_path: Path) -> None:
    revisited_crawl(tmp_path, AT_A, AT_B)
    with CrawlView.open(tmp_path) as view:
        report = view.changes()
    assert (report.directory, report.since) == (str(tmp_path), None)
    assert (report.pages, report.revisits) == (2, 4)
    assert report.counts == {"new": 2, "changed": 1, "gone": 1, "moved": 0, "forbidden": 0}
    assert report.changes == (
        PageChange(day(5), "gone", None, day(3), B, None),
        PageChange(day(4), "changed", 0.25, day(2), A, None),
        PageChange(day(1), "new", None, None, B, None),
        PageChange(day(0), "new", None, None, A, None),
    )


def test_changes_since_a_time_begin_with_that_second(tmp_path: Path) -> None:
    revisited_crawl(tmp_path, AT_A, AT_B)
    assert [one.change for one in changes(tmp_path, START + 4 * DAY)] == ["gone", "changed"]
    assert [one.change for one in changes(tmp_path, START + 4 * DAY + 1)] == ["gone"]
    assert changes(tmp_path, FETCHED) == ()


def test_the_share_is_that_of_the_last_change_and_each_change_is_listed(tmp_path: Path) -> None:
    days = ((0, 200, Change.NEW), *((n, 200, Change.CHANGED) for n in (1, 2)))
    revisited_crawl(tmp_path, revisited(A_ID, *days, (3, 404, Change.GONE), share=0.5))
    shares = [(one.seen, one.share_of_text) for one in changes(tmp_path)]
    assert shares == [(day(3), None), (day(2), 0.5), (day(1), None), (day(0), None)]


@pytest.mark.parametrize("change", [Change.GONE, Change.MOVED, Change.FORBIDDEN])
def test_what_is_found_again_is_listed_once_until_something_else_is(
    tmp_path: Path, change: Change
) -> None:
    days = (
        *((0, 200, Change.NEW), (1, 404, change), (2, None, Change.FAILED), (3, 404, change)),
        *((4, 200, Change.UNCHANGED), (5, 404, change)),
    )
    revisited_crawl(tmp_path, revisited(A_ID, *days))
    listed = [(one.change, one.seen) for one in changes(tmp_path)]
    name = change.name.lower()
    assert listed == [(name, day(5)), (name, day(1)), ("new", day(0))]
    assert [one.previous_revisit for one in changes(tmp_path)][:2] == [day(4), day(0)]


def test_a_revisit_without_answer_is_no_previous_revisit(tmp_path: Path) -> None:
    days = ((0, 200, Change.NEW), (1, None, Change.FAILED), (2, 200, Change.CHANGED))
    revisited_crawl(tmp_path, revisited(A_ID, *days))
    assert changes(tmp_path)[0].previous_revisit == day(0)


def test_a_change_and_the_first_fetch_are_listed_when_later_revisits_have_displaced_them(
    tmp_path: Path,
) -> None:
    later = ((3 + n / 10, 304, Change.UNCHANGED) for n in range(KEPT))
    days = ((0, 200, Change.NEW), (2, 200, Change.CHANGED), *later)
    revisited_crawl(tmp_path, revisited(A_ID, *days, share=0.75))
    assert changes(tmp_path) == (
        PageChange(day(2), "changed", 0.75, day(0), A, None),
        PageChange(day(0), "new", None, None, A, None),
    )


def test_all_changes_of_a_busy_page_are_listed(tmp_path: Path) -> None:
    past = ((n / 100, 200, Change.CHANGED) for n in range(1, 300))
    revisited_crawl(tmp_path, revisited(A_ID, (0, 200, Change.NEW), *past))
    with CrawlView.open(tmp_path) as view:
        report = view.changes()
    assert (len(report.changes), report.complete_since) == (300, None)


def test_a_list_that_is_not_complete_says_from_when_on_it_is(tmp_path: Path) -> None:
    past = ((n / 1000, 200, Change.CHANGED) for n in range(1, MOST + 10))
    revisited_crawl(tmp_path, revisited(A_ID, (0, 200, Change.NEW), *past))
    with CrawlView.open(tmp_path) as view:
        report = view.changes()
        assert report.complete_since == day(0.01)
        assert sum(one.seen >= report.complete_since for one in report.changes if one.seen) == MOST
        assert view.changes(START + 0.5 * DAY).complete_since is None


def test_a_page_that_moved_names_where_to(tmp_path: Path) -> None:
    days = ((0, 200, Change.NEW), (1, 301, Change.MOVED))
    revisited_crawl(tmp_path, revisited(OLD_ID, *days))
    assert [(one.change, one.moved_to) for one in changes(tmp_path)] == [
        ("moved", C),
        ("new", None),
    ]


def test_a_crawl_that_never_looked_again_has_no_changes_and_no_figures(tmp_path: Path) -> None:
    small_crawl(tmp_path).close()
    with CrawlView.open(tmp_path) as view:
        report, stats, page = view.changes(), view.stats(), view.url(A)
    assert (report.pages, report.revisits, report.changes) == (0, 0, ())
    assert (stats.refresh, page.revisits) == (None, None)


def test_a_directory_in_which_no_crawl_has_begun_has_no_list(tmp_path: Path) -> None:
    Store.open(tmp_path).close()
    with CrawlView.open(tmp_path) as view, pytest.raises(StoreMissingError, match="begun"):
        view.changes()


def test_ages_and_the_share_that_is_up_to_date_are_those_of_pages_that_are_there(
    tmp_path: Path, now: float
) -> None:
    """C was never revisited: it was seen when it was fetched. B is gone."""
    revisited_crawl(tmp_path, AT_A, AT_B)
    with CrawlView.open(tmp_path) as view:
        stats = view.stats().refresh
    fetched_c = FETCHED + 4
    chances = ChangeChances(1 / REFRESH.between)
    numbers = np.array([0, 1, 2], np.int32)  # each is on a host of its own
    first = np.array([START, START + DAY, fetched_c])
    last = np.array([START + 4 * DAY, START + 5 * DAY, fetched_c])
    chances.restore(first, last, np.array([1.25, 0, 0]), numbers, numbers)
    stale = chances.chances(np.array([0, 2]), now)
    assert stats == RefreshStats(
        pages=2,
        revisits=4,
        changes=2,
        gone=1,
        moved=0,
        forbidden=0,
        up_to_date=pytest.approx(1 - stale.mean()),
        age_first_quartile=DAY - 4 + (6 * DAY + 4) / 4,
        age_median=DAY - 4 + (6 * DAY + 4) / 2,
        age_third_quartile=DAY - 4 + (6 * DAY + 4) * 3 / 4,
        age_oldest=7 * DAY,
    )


def test_a_page_that_waits_for_a_revisit_is_there(tmp_path: Path) -> None:
    revisited_crawl(tmp_path, AT_A)
    with Store.open(tmp_path) as store:
        store.add_request(100, A_ID, 0, None)
        store.commit()
    with CrawlView.open(tmp_path) as view:
        stats, state = view.stats(), view.url(A).state
    assert state == "queued"
    assert stats.refresh is not None
    assert stats.refresh.pages == 3


def test_a_page_asked_for_by_more_than_its_url_is_not_told_by_a_mark(tmp_path: Path) -> None:
    web = {A: Page({}, 0.5, marks=Mark.REQUESTED | Mark.NOFOLLOW)}
    crawl = DrivenCrawl(tmp_path, web, strategy="bfs", topic="pages")
    crawl.seed(A)
    crawl.run()
    crawl.close()
    with CrawlView.open(tmp_path) as view:
        assert view.stats().marks == {"nofollow": 1}
        assert view.url(A).marks == ("nofollow",)


def test_a_crawl_all_of_whose_pages_went_has_no_ages(tmp_path: Path) -> None:
    gone = (0, 200, Change.NEW), (1, 410, Change.GONE)
    revisited_crawl(tmp_path, *(revisited(one, *gone) for one in (A_ID, B_ID, C_ID)))
    with CrawlView.open(tmp_path) as view:
        stats = view.stats().refresh
    assert stats is not None
    assert (stats.pages, stats.gone, stats.changes) == (0, 3, 3)
    assert (stats.up_to_date, stats.age_oldest) == (None, None)


def test_one_page_has_its_revisits_its_rate_and_when_it_is_due(tmp_path: Path, now: float) -> None:
    revisited_crawl(tmp_path, AT_A)
    report = revisit_at(tmp_path, A)
    assert report is not None
    assert (report.first_seen, report.last_seen, report.last_changed) == (day(0), day(4), day(4))
    assert (report.revisits, report.changes, report.last_revisit) == (2, 1, "changed")
    assert (report.due_from, report.due_by) == (day(4 + 1 / 24), day(34))
    assert report.share_of_text == 0.25
    assert 0 < report.changes_a_day < 1.25
    days = (now - START) / DAY - 4
    assert report.chance_of_change == pytest.approx(1 - np.exp(-report.changes_a_day * days))
    assert report.history == (
        PastRevisitRow(day(0), 200, "new"),
        PastRevisitRow(day(2), 304, "unchanged"),
        PastRevisitRow(day(4), 200, "changed"),
    )


def test_a_signal_raises_the_chance_that_a_page_changed(tmp_path: Path) -> None:
    plain = revisit_at(revisited_crawl(tmp_path / "plain", AT_A), A)
    signalled = revisit_at(
        revisited_crawl(tmp_path / "signalled", AT_A._replace(signalled=START + 5 * DAY)), A
    )
    assert plain is not None
    assert signalled is not None
    assert plain.signalled is None
    assert signalled.signalled == day(5)
    assert signalled.chance_of_change > 0.5 > 1 - plain.chance_of_change
    assert signalled.changes_a_day == plain.changes_a_day
    assert "signalled" in signalled.next_revisit


@pytest.mark.parametrize(
    ("way", "last", "words"),
    [
        ("auto", (4, 200, Change.UNCHANGED), "chance that it changed"),
        ("sweep", (4, 200, Change.UNCHANGED), "not seen for longest"),
        ("auto", (10.99, 200, Change.UNCHANGED), "FRONTIER_REFRESH_MIN"),
        ("sweep", (-90, 200, Change.UNCHANGED), "FRONTIER_REFRESH_MAX"),
        ("off", (4, 200, Change.UNCHANGED), "without FRONTIER_REFRESH"),
        ("auto", (4, 403, Change.FORBIDDEN), "forbidden"),
        ("auto", (4, 404, Change.GONE), "gone"),
    ],
)
def test_what_decides_when_the_next_revisit_is(
    tmp_path: Path, way: str, last: tuple[float, int, Change], words: str
) -> None:
    revisited_crawl(tmp_path, revisited(A_ID, (-100, 200, Change.NEW), last), way=way)
    report = revisit_at(tmp_path, A)
    assert report is not None
    assert words in report.next_revisit
    never = report.next_revisit.startswith("never")
    assert never == (way == "off" or last[2] is not Change.UNCHANGED)
    assert never == (report.due_from is None) == (report.due_by is None)


def test_revisits_that_are_damaged_are_an_error(tmp_path: Path) -> None:
    revisited_crawl(tmp_path, AT_A)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection, connection:
        connection.execute("UPDATE revisits SET history = x'00'")
    with CrawlView.open(tmp_path) as view:
        with pytest.raises(StoreDamagedError):
            view.changes()
        with pytest.raises(StoreDamagedError):
            view.url(A)
