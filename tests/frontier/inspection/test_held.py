"""What keeps a queued URL from leaving: `explain` names it, by the list that a crawl asks."""

from __future__ import annotations

import re
import time
from pathlib import Path

from frontier.backend.reasons import Hold
from frontier.inspection import CrawlView, held
from frontier.store import Store
from frontier.store.schema import DEATHS
from frontier.traps.limits import TrapLimits
from tests.support.driven_crawl import LATER, A, B, DrivenCrawl, Page, small_crawl

DAY, STORY = "http://calendar.example/day/{}", "http://stories.test/{}"


def because(directory: Path, url: str) -> list[str]:
    with CrawlView.open(directory) as view:
        return [one for one in view.explain(url).because if one.startswith("held back")]


def test_reasons_are_asked_and_told_in_the_order_of_their_list(tmp_path: Path) -> None:
    listed = list(Hold)
    bad = tmp_path / "bad.txt"
    bad.write_text("spam.example")
    crawl = DrivenCrawl(None, {}, strategy="bfs", distrust=str(bad))
    told = re.findall(r"yield Hold\.(\w+)", Path(held.__file__).read_text(encoding="utf-8"))
    for holds in ([one.hold for one in crawl.backend.reasons], [Hold[name] for name in told]):
        assert holds == sorted(holds, key=listed.index)
    assert [one.hold for one in crawl.backend.reasons] == listed[-3:]
    crawl.close()


def test_what_may_leave_is_held_by_nothing(tmp_path: Path) -> None:
    small_crawl(tmp_path).close()
    assert because(tmp_path, LATER) == []


def test_a_host_that_is_left_alone_and_a_suspect_are_named_first_the_host(tmp_path: Path) -> None:
    small_crawl(tmp_path).close()
    with CrawlView.open(tmp_path) as view:
        url_id = view.url(LATER).id
    with Store.open(tmp_path) as store:
        store.set_politeness("c.example", time.time() + 1000, 0.0, "Retry-After")
        store.set_setting(DEATHS, {"urls": {str(url_id): 3}, "enough": 2, "stopped": True})
    host, suspect = because(tmp_path, LATER)
    assert Hold.HOST.value in host
    assert "Retry-After" in host
    assert Hold.CRASH.value in suspect


def test_a_url_that_failed_and_waits_is_named_with_its_attempts(tmp_path: Path) -> None:
    crawl = DrivenCrawl(tmp_path, {A: Page({B: 0.5})}, strategy="bfs")
    crawl.seed(A)
    crawl.step()
    lease = crawl.lease_next()
    assert lease is not None
    crawl.backend.retry(lease, lease, 5)
    crawl.close()
    (line,) = because(tmp_path, B)
    assert Hold.RETRY.value in line
    assert "1 times" in line


def test_a_url_that_waits_as_a_trap_is_named_with_what_is_spent(tmp_path: Path) -> None:
    web = {
        DAY.format(day): Page(
            {DAY.format(day + 1): 0.5, DAY.format(day + 2): 0.5}, text="No events on this day"
        )
        for day in range(100)
    }
    for number in range(100):
        text = " ".join(f"word{number}x{place}" for place in range(50))
        web[STORY.format(number)] = Page({STORY.format(number + 1): 0.5}, text=text)
    crawl = DrivenCrawl(tmp_path, web, strategy="bfs", traps=TrapLimits(budget=5))
    crawl.seed(DAY.format(0), STORY.format(0))
    while not crawl.backend.traps.watch.waiting:
        assert crawl.step()
    (line, *_) = crawl.backend.traps.watch.waiting.values()
    url = crawl.backend.url(line[0])
    crawl.close()
    (line,) = because(tmp_path, url)
    assert Hold.TRAP.value in line
    assert "trap: " in line
