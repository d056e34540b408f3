"""Our orders in a replay: they crawl as in a crawl, and labels reach those that may see them."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from frontier.config import CrawlConfig
from frontier.lab.replay import own_orders
from frontier.lab.replay.contestants import Setup, chosen_rows
from frontier.lab.replay.crawl import replay
from frontier.lab.replay.own_orders import Memory
from frontier.lab.replay.records import ALWAYS, RunRecord
from frontier.lab.replay.webfile import WebFile
from ranking.errors import TopicError
from ranking.orders import ORDERS
from tests.frontier.lab import replay_webs as webs

PLAIN = Setup(CrawlConfig(vectors="off"))
WORDS = ["comet", "tail", "nucleus", "garden", "rose", "soil", "engine", "valve", "piston"]


def random_web(folder: Path, n: int = 60, seed: int = 1) -> WebFile:
    """Pages of three subjects on two hosts, linked at random, with failures and redirects."""
    draw = random.Random(seed)
    names = [f"p{i}" if i % 2 else f"//b.example/p{i}" for i in range(n)]
    pages = {"": webs.page(*names[:5], text="start")}
    for i, name in enumerate(names):
        subject = WORDS[3 * (i % 3) : 3 * (i % 3) + 3]
        links = draw.sample([*names, "away", "//c.example/gone"], 6)
        pages[name] = webs.page(*links, text=" ".join(subject * 9), title=subject[0])
    pages[names[7]] = webs.failed(503)
    pages[names[8]] = webs.sent_on(names[9])
    return webs.made(folder, pages)


def run(
    web: WebFile, row: str, *targets: str, setup: Setup | None = None, **said: int
) -> RunRecord:
    asked = replace(webs.task(row, words="comet tail", targets=targets), **said)  # type: ignore[arg-type]
    return replay(asked, web, setup or PLAIN)


@pytest.mark.parametrize("row", ORDERS)
def test_every_order_fetches_all_that_can_be_reached_and_nothing_twice(
    tmp_path: Path, row: str
) -> None:
    with random_web(tmp_path) as web:
        record = run(web, row, budget=500)
        once = [
            url for url, letter in zip(record.urls, record.outcomes, strict=True) if letter != "t"
        ]
        reached = {web.find(one) for one in web.urls}
        assert len(once) == len(set(once))
        assert set(once) <= reached
        assert len(once) > 50
        assert record.outcomes.count("t") == 2


@pytest.mark.parametrize("row", ["bfs", "topic-ppr", "fc-mean", *ALWAYS])
def test_a_replay_repeats(tmp_path: Path, row: str) -> None:
    with random_web(tmp_path) as web:
        first, second = (run(web, row, "p1", "p7") for _ in range(2))
        assert first == second


@pytest.mark.parametrize("row", ["bfs", "topic-ppr", "fc-mean", "apprentice"])
def test_labels_do_not_change_what_an_order_fetches(tmp_path: Path, row: str) -> None:
    with random_web(tmp_path) as web:
        without = run(web, row)
        labelled = run(web, row, *(f"p{i}" for i in range(1, 40, 2)))
        assert labelled.urls == without.urls
        assert ("h" in without.outcomes, "h" in labelled.outcomes) == (False, True)


@pytest.mark.parametrize("row", ["fc-mean", "topic-ppr"])
def test_what_was_judged_once_is_remembered_and_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: str
) -> None:
    def judged_twice(*_: object) -> None:
        raise AssertionError("a page was judged twice")

    with random_web(tmp_path) as web:
        task = webs.task(row, words="comet tail")
        memory = Memory()
        fresh = replay(task, web, PLAIN, memory)
        assert len(memory.judgements) > 20
        assert fresh.urls == replay(task, web, PLAIN).urls
        monkeypatch.setattr(own_orders, "judgement", judged_twice)
        assert fresh.urls == replay(task, web, PLAIN, memory).urls


def test_robots_txt_is_obeyed_where_it_is_read(tmp_path: Path) -> None:
    pages = {"": webs.page("open", "closed"), "open": webs.page(), "closed": webs.page()}
    extra = {"robots": {"a.example": b"closed"}}
    with webs.made(tmp_path, pages, extra) as web:
        setup = Setup(robots=_not_ending_with)
        record = replay(webs.task("bfs"), web, setup)
        assert sorted(webs.paths(web, record.urls)) == ["", "open"]
        assert len(replay(webs.task("bfs"), web, Setup()).outcomes) == 3


def _not_ending_with(body: bytes):  # type: ignore[no-untyped-def]
    return lambda url: not url.endswith(body.decode())


def test_a_topic_without_a_word_or_an_example_is_refused(tmp_path: Path) -> None:
    with random_web(tmp_path) as web, pytest.raises(TopicError):
        replay(webs.task("bfs", words=""), web, Setup())


def test_rows_are_named_once_and_groups_are_spelled_out() -> None:
    rows = chosen_rows(["bfs", "all"])

    assert rows[0] == "bfs"
    assert len(rows) == len(set(rows)) == len(ORDERS)
