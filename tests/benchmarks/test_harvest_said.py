from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from benchmarks.harvest import said
from benchmarks.harvest.said import CLOSE, COUNT, LEFT, RATE, Interval, Said
from benchmarks.harvest.webs import Judged
from benchmarks.webs.writing import Web, write_web
from tests.support.webs import page_with

SITE = "http://birds.example/"


def _said(
    pages: int = 300,
    told: Interval | None = None,
    left: Interval | None = None,
    judged: int = 120,
) -> Said:
    return Said("birds", 400, pages, 120, judged, told, 50, left)


def test_a_rate_is_close_within_a_quarter_and_an_interval_holds_at_its_ends() -> None:
    rates = [0.29, 0.31, 0.49, 0.51]
    crawls = [_said(told=Interval(rate, rate - 0.1, rate + 0.1)) for rate in rates]
    crawls += [_said(left=Interval(80, low, 100)) for low in (50, 51)]
    assert said.held(crawls) == {
        COUNT: [True] * 6,
        CLOSE: [False, True, True, False],
        RATE: [False, True, True, False],
        LEFT: [True, False],
    }
    assert [(one.what, one.unit, one.ours) for one in said.shares("web", crawls)] == [
        (f"web: {COUNT}", "of 6 crawls", 6),
        (f"web: {CLOSE}", "of 4 crawls", 2),
        (f"web: {RATE}", "of 4 crawls", 2),
        (f"web: {LEFT}", "of 2 crawls", 1),
    ]


def test_pages_judged_relevant_stand_beside_those_that_are_for_each_topic_and_budget() -> None:
    crawls = [_said(judged=judged) for judged in (80, 81, 180, 181)]
    assert said.held(crawls)[COUNT] == [False, True, True, False]
    nothing = [Said("ships", 300, 280, 0, judged, None, 9, None) for judged in (0, 1)]
    assert said.held(nothing)[COUNT] == [True, False]
    first, *_, last = said.counts("web", [*crawls, *nothing])
    assert first.what == "web, birds: judged relevant by truly relevant"
    assert first.unit == "of 300 pages, 400 requests"
    assert (first.ours, first.peer, first.ratio) == (80, 120, pytest.approx(2 / 3))
    assert (last.ours, last.peer, last.ratio, last.met) == (1, 0, None, None)


@pytest.mark.parametrize(("sound", "met"), [(2, False), (3, True)])
def test_three_crawls_of_four_are_promised_to_judge_as_many_as_there_are(
    sound: int, met: bool
) -> None:
    crawls = [_said()] * sound + [_said(judged=9)] * (4 - sound)
    (promised,) = said.promises(crawls)
    assert (promised.what, promised.ours, promised.met) == (f"all: {COUNT}", sound / 4, met)


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
    given = argparse.Namespace(variant="names", part="all", budget=[30, 50], limit=1, labels=100)
    short, one = said._crawls(web, tmp_path, given)
    assert (short.topic, short.budget, one.budget) == ("birds", 30, 50)
    assert short.pages <= 30
    assert 45 <= one.pages <= 50
    assert one.told_rate is not None
    assert one.told_rate.holds(one.rate)  # nearly every page was asked about
    assert one.is_close
    assert one.is_sound, (one.judged, one.relevant)
    assert one.left == 30 - round(one.rate * one.pages)
    assert one.told_left is not None
    assert one.told_left.low <= one.told_left.estimate <= one.told_left.high
