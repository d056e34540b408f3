"""A page whose handling kills the process ends; no number of kills keeps a crawl from going on."""

from __future__ import annotations

import signal
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from frontier.backend.held_back import ALONE, REASON
from frontier.states import State
from frontier.store import StoreReader
from tests.support.item_crawl import QUICKLY, ItemCrawl, until
from tests.support.kept import AT_ONCE, site_of
from tests.support.scrapy_forks import Forks, forking
from tests.support.sites import Answer, Asked, Page, links, serving

PAGES = 24
POISON = 5
ENOUGH = 2 + ALONE  # crashes until a page is given up
DIE = "os.kill(os.getpid(), 9)"


@pytest.fixture(scope="module")
def forks() -> Iterator[Forks]:
    with forking() as found:
        yield found


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
    [(QUICKLY, f"if page == {POISON}: {DIE}"), (f"if page == {POISON}: {DIE}", "")],
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


def test_before_it_ends_it_is_the_last_and_alone(crawl: ItemCrawl) -> None:
    crawl.parse = f"if page == {POISON}: {DIE}"
    answers = threading.Event()

    def late(html: Answer) -> Answer:
        def answer(asked: Asked) -> Page:
            answers.wait(20)
            return 200, {"Content-Type": "text/html"}, str(html).encode()

        return answer

    for mate in ("/3", "/4"):
        crawl.site.pages[mate] = late(crawl.site.pages[mate])
    for _ in range(2):
        assert crawl.start().wait() == -signal.SIGKILL
    answers.set()
    crawl.site.asked.clear()
    assert crawl.start().wait() == -signal.SIGKILL
    assert crawl.site.paths[-1] == f"/{POISON}"
    states = crawl.states()
    assert states.pop(POISON) is State.LEASED
    # Those that were in flight with it each time are as suspicious, and what only they lead to is
    # not known; all others were fetched.
    left = {page for page, state in states.items() if state is not State.CRAWLED}
    assert len(left) < AT_ONCE
    assert {states[page] for page in left} <= {State.QUEUED}


@pytest.mark.slow
def test_killed_before_the_first_answer_it_asks_for_others(forks: Forks, tmp_path: Path) -> None:
    """Only seeds, and each process is killed when it has sent as many requests as it may."""
    seeds = 12
    hurry = threading.Event()

    def slow(asked: Asked) -> Page:
        hurry.wait(20)
        return 200, {"Content-Type": "text/html"}, links().encode()

    with serving({f"/{n}": slow for n in range(seeds)}) as site:
        crawl = ItemCrawl(forks, site, tmp_path / "crawl", wait=QUICKLY)
        crawl.seeds = seeds
        kills = 0
        while len(set(site.paths)) < seeds:
            asked, process = len(site.paths), crawl.start()
            until(lambda before=asked: len(site.paths) >= before + AT_ONCE)
            process.send(signal.SIGKILL)
            process.wait()
            kills += 1
            assert kills <= 2 * seeds // AT_ONCE
        hurry.set()
        crawl.finish()
    assert set(crawl.states().values()) == {State.CRAWLED}
    assert max(Counter(site.paths).values()) <= 3


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
