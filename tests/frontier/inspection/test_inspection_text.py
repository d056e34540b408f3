"""Reports for people."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.formatting import clean, moment, number, pairs, percent, table
from frontier.inspection import CrawlView
from frontier.inspection.reports import Fetcher, Served
from frontier.inspection.text.tables import served_text, stats_text, url_text
from ranking.printing import columns, shown
from tests.support.driven_crawl import A, DrivenCrawl, Page
from tests.support.told import tells


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "-"),
        (0, "0"),
        (1234567, "1,234,567"),
        (0.5, "0.5"),
        (0.000123456, "0.0001235"),
        (12345.678, "12,345.7"),
        (999999999999.0, "999,999,999,999"),
        (-12345.0, "-12,345"),
    ],
)
def test_numbers(value: float | None, text: str) -> None:
    assert number(value) == text


def test_shares_and_moments() -> None:
    assert (percent(None), percent(2 / 3)) == ("-", "66.7 %")
    assert (moment(None), moment("2026-11-03T10:00:00Z")) == ("-", "2026-11-03 10:00:00 UTC")


def test_columns_are_aligned() -> None:
    assert table(("#", "name", "URL"), [("1", "a", "u"), ("10", "long", "v")], left=(1, 2)) == [
        " #  name  URL",
        " 1  a     u",
        "10  long  v",
    ]
    assert pairs([("a", "1"), ("long", "2")]) == ["  a     1", "  long  2"]
    assert pairs([]) == []


@given(st.text(), st.integers(1, 50))
def test_clean_text_is_one_printable_line_of_that_width(text: str, width: int) -> None:
    cleaned = clean(text, width)
    assert cleaned == shown(cleaned)
    assert columns(cleaned) <= width
    assert clean(cleaned, width) == cleaned


def test_a_url_with_many_links_to_it_shows_some_and_counts_the_rest(tmp_path: Path) -> None:
    sources = {f"http://s.example/{number}": Page({A: 0.5}) for number in range(1500)}
    crawl = DrivenCrawl(tmp_path, {**sources, A: Page()}, strategy="bfs")
    crawl.seed(*sources)
    crawl.run(1500)
    crawl.close()
    with CrawlView.open(tmp_path) as view:
        told = url_text(view.url(A))
    assert tells(told, "1,500")
    assert tells(told[-1:], "1,480", "--json")
    assert tells(told[-2:-1], "http://s.example/19", "0.50", f'"to {A}"')


def test_a_served_crawl_names_its_fetchers_and_how_far_it_is_behind() -> None:
    fetcher = Fetcher("here:7", "fetching", 16, 64, 2, 1234, "2026-11-03T10:00:00Z")
    served = Served("open", "2026-11-03T10:00:01Z", 5, 14, 3, 0.25, (fetcher,))
    assert served_text(served) == [
        "Several fetchers",
        "  frontier    open (2026-11-03 10:00:01 UTC)",
        "  offered     5",
        "  in flight   14",
        "  to take in  3 (0.2 s)",
        "",
        "fetcher  state     partitions  places  wants  answers  last heard",
        "here:7   fetching          64      16      2    1,234  2026-11-03 10:00:00 UTC",
    ]


def test_a_crawl_of_one_process_says_nothing_of_fetchers(tmp_path: Path) -> None:
    DrivenCrawl(tmp_path, {}).close()
    with CrawlView.open(tmp_path) as view:
        stats = view.stats()
    assert stats.served is None
    assert "Several fetchers" not in stats_text(stats)
