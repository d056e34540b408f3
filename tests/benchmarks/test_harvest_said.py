from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from benchmarks.harvest import said
from benchmarks.harvest.said import CLOSE, LEFT, RATE, Interval, Said
from benchmarks.harvest.webs import Judged
from benchmarks.webs.writing import Web, write_web
from tests.support.webs import page_with

SITE = "http://birds.example/"


def _said(pages: int = 300, told: Interval | None = None, left: Interval | None = None) -> Said:
    return Said(pages, 0.4, told, 50, left)


def test_a_rate_is_close_within_a_quarter_and_an_interval_holds_at_its_ends() -> None:
    rates = [0.29, 0.31, 0.49, 0.51]
    crawls = [_said(told=Interval(rate, rate - 0.1, rate + 0.1)) for rate in rates]
    crawls += [_said(left=Interval(80, low, 100)) for low in (50, 51)]
    assert said.held(crawls) == {
        CLOSE: [False, True, True, False],
        RATE: [False, True, True, False],
        LEFT: [True, False],
    }
    assert [(one.what, one.unit, one.ours) for one in said.shares("web", crawls)] == [
        (f"web: {CLOSE}", "of 4 crawls", 2),
        (f"web: {RATE}", "of 4 crawls", 2),
        (f"web: {LEFT}", "of 2 crawls", 1),
    ]


def test_short_crawls_and_what_told_nothing_are_left_out() -> None:
    crawls = [_said(pages=199, told=Interval(0.4, 0.3, 0.5)), _said()]
    assert said.held(crawls) == {CLOSE: [], RATE: [], LEFT: []}
    assert said.promises(crawls) == said.shares("web", crawls) == []


@pytest.mark.parametrize(
    ("hold", "met"), [(6, [False, True]), (8, [True] * 2), (10, [True, False])]
)
def test_an_interval_that_holds_too_often_misses_its_promise_too(
    hold: int, met: list[bool]
) -> None:
    crawls = [_said(left=Interval(50, 40, 60))] * hold + [_said(left=Interval(9, 8, 10))] * (
        10 - hold
    )
    assert [one.met for one in said.promises(crawls)] == met


@pytest.mark.slow
def test_a_real_crawl_is_asked_and_held_against_the_labels(tmp_path: Path) -> None:
    pages = [f"{SITE}{number}" for number in range(60)]
    answers = [page_with(SITE, *pages)]
    answers += [page_with(url, SITE, text="a bird ") for url in pages[:30]]
    answers += [page_with(url, SITE, text="a stone ") for url in pages[30:]]
    labels = [(url, "birds") for url in pages[:30]]
    write_web(Web("birds", answers, labels, [SITE], {"birds": "bird"}), tmp_path)
    options = ("--seeds", "{}.seeds.txt", "--keywords", "{}.keywords.tsv")
    web = Judged("birds", "topics.tsv", options, {}, {})
    given = argparse.Namespace(variant="keywords", part="all", budget=50, limit=1, labels=100)
    (one,) = said._crawls(web, tmp_path, given)
    assert 45 <= one.pages <= 50
    assert one.told_rate is not None
    assert one.told_rate.holds(one.rate)  # nearly every page was asked about
    assert one.is_close
    assert one.left == 30 - round(one.rate * one.pages)
    assert one.told_left is not None
    assert one.told_left.low <= one.told_left.estimate <= one.told_left.high
