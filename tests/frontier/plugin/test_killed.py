"""A crawl that is killed at any write goes on as if nothing had happened."""

from __future__ import annotations

import signal
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from frontier.backend.rules.crash_suspects import ALONE, REASON
from frontier.states import State
from frontier.store import StoreReader
from tests.support.item_crawl import QUICKLY, ItemCrawl, until
from tests.support.kept import (
    AT_A_TIME,
    TURNS,
    Kept,
    Whole,
    anew,
    in_turns_of,
    in_two,
    keeping,
    shim,
    site_of,
)
from tests.support.scrapy_forks import Forks, shared_forks
from tests.support.sites import Asked, Page, links, serving

SMALL = 6


def kill_at(kept: Kept, whole: Whole, kind: str, at: int) -> None:
    crawl = anew(kept, f"{kind}{at}")
    assert crawl.fault(kind, at) in (-signal.SIGKILL, 0), crawl.log
    crawl.finish()
    crawl.check(whole, interruptions=1)


def test_killed_at_some_writes_a_crawl_is_whole_after_the_next_run(tmp_path: Path) -> None:
    with keeping(tmp_path, SMALL, *in_turns_of(64), LD_PRELOAD=str(shim())) as kept:
        whole = kept.whole()
        assert len(whole.paths) == SMALL
        assert whole.writes > 50
        kill_at(kept, whole, "kill", round(0.6 * whole.writes))
        kill_at(kept, whole, "tear", round(0.7 * whole.writes))


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("turn", TURNS)
def test_killed_at_every_third_write_a_crawl_is_whole_after_the_next_run(
    tmp_path: Path, turn: int
) -> None:
    """Before every third write that a short crawl makes, and in the middle of some."""

    def kill(worker: int) -> None:
        with keeping(
            tmp_path / str(worker), SMALL, *in_turns_of(turn), LD_PRELOAD=str(shim())
        ) as kept:
            whole = kept.whole()
            for at in range(1 + 3 * worker, whole.writes + 1, 3 * AT_A_TIME):
                kill_at(kept, whole, "kill", at)
                if at % 4 == 0:
                    kill_at(kept, whole, "tear", at)

    in_two(kill)


# -- a page whose handling kills the process ends; no number of kills keeps a crawl from going o --


PAGES = 24
POISON = 5
ENOUGH = 2 + ALONE  # crashes until a page is given up
DIE = "os.kill(os.getpid(), 9)"


@pytest.fixture(scope="module")
def forks() -> Forks:
    return shared_forks()


@pytest.fixture
def crawl(forks: Forks, tmp_path: Path) -> Iterator[ItemCrawl]:
    with serving(site_of(PAGES)) as site:
        yield ItemCrawl(forks, site, tmp_path / "crawl", wait=QUICKLY)


def runs_until_done(crawl: ItemCrawl, most: int) -> int:
    """Start a crawl again and again, until it ends by itself."""
    for run in range(1, most + 1):
        ended = crawl.start().wait()
        assert ended in (0, -signal.SIGKILL), crawl.log
        if ended == 0:
            return run
    raise AssertionError(f"it does not come to an end: {Counter(crawl.site.paths)}")


@pytest.mark.parametrize(
    ("wait", "parse"),
    [
        (QUICKLY, f"if page == {POISON}: {DIE}"),
        pytest.param(f"if page == {POISON}: {DIE}", "", marks=pytest.mark.slow),
    ],
    ids=["callback", "pipeline"],
)
def test_a_page_that_kills_the_process_ends_after_all_others(
    crawl: ItemCrawl, wait: str, parse: str
) -> None:
    crawl.wait, crawl.parse = wait, parse
    deaths = runs_until_done(crawl, ENOUGH + 1) - 1
    assert deaths == ENOUGH
    states = crawl.states()
    assert states.pop(POISON) is State.ERROR
    fetched = Counter(crawl.site.paths)
    assert fetched.pop(f"/{POISON}") == deaths
    # What only it leads to is not known.
    assert set(states.values()) == {State.CRAWLED}
    assert max(fetched.values()) <= deaths - 1
    assert REASON in crawl.log
    assert "'frontier/deaths/given_up': 1" in crawl.log
    with StoreReader.open(crawl.job) as reader:
        assert reader.error_counts()[REASON] == 1


def test_stopped_at_once_by_hand_nothing_counts_as_a_death(crawl: ItemCrawl) -> None:
    stop = threading.Event()

    def slow(asked: Asked) -> Page:
        stop.wait(20)
        return 200, {"Content-Type": "text/html"}, links("/1", "/2").encode()

    crawl.site.pages["/0"] = slow
    for _ in range(3):
        asked = len(crawl.site.paths)
        process = crawl.start()
        until(lambda before=asked: len(crawl.site.paths) > before)
        process.send(signal.SIGINT)
        until(lambda: "Received SIGINT" in crawl.log)
        process.send(signal.SIGINT)
        assert process.wait() == 0
        with StoreReader.open(crawl.job) as reader:
            assert len(reader.leases()) == 1
    stop.set()
    crawl.finish()
    assert "too often" not in crawl.log
    assert crawl.states()[0] is State.CRAWLED


# -- a crawl that is killed from outside, at any moment, goes on as if nothing had happened --
