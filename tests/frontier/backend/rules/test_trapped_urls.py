"""The watch over traps in a crawl: what waits, what is given up, and what goes on afterwards."""

from __future__ import annotations

import re
from pathlib import Path

from frontier.states import State
from frontier.traps.limits import TrapLimits
from tests.support.driven_crawl import DrivenCrawl, Page
from tests.support.made_webs import MadeWeb, prose, said

SITE = "http://site.example"


def calendar(url: str) -> Page:
    """Days without end, and one honest page."""
    if "honest" in url:
        return said(prose(url))
    day = int((re.findall(r"\d+", url) or ["0"])[-1])
    beside = [f"{SITE}/honest.html"] if day == 20 else []
    return said("No events", [f"{SITE}/day/{day + 1}", f"{SITE}/day/{day + 2}", *beside])


def crawled(folder: Path | None, steps: int = 5000, **limits: int) -> DrivenCrawl:
    config = {"strategy": "bfs", "traps": TrapLimits(**limits)}
    crawl = DrivenCrawl(folder, MadeWeb(calendar), **config)
    crawl.seed(f"{SITE}/")
    crawl.run(steps)
    return crawl


def test_a_trap_is_left_and_what_waited_is_given_up_with_a_reason() -> None:
    crawl = crawled(None)
    store, counts = crawl.backend.store, crawl.backend.ledger.counts
    store.commit()
    errors = store.error_counts()
    finished = crawl.backend.finished()
    crawl.close()
    assert len(crawl.fetched) < 100
    assert f"{SITE}/honest.html" in crawl.fetched
    assert finished
    assert counts[State.QUEUED] == 0
    assert sum(errors.values()) == counts[State.TRAP] > 0
    assert all(reason.startswith("trap: ") for reason in errors)


def test_a_crawl_that_stops_and_goes_on_has_spent_what_it_spent(tmp_path: Path) -> None:
    whole = crawled(None)
    whole.close()
    first = crawled(tmp_path, steps=25)
    first.close()
    rest = crawled(tmp_path)
    rest.close()
    # What the site had said is read again: its next page is new text once more.
    assert len(whole.fetched) < len(first.fetched + rest.fetched) < len(whole.fetched) + 5


def test_a_larger_budget_takes_up_what_was_given_up_and_the_same_does_not(tmp_path: Path) -> None:
    crawled(tmp_path).close()
    same = crawled(tmp_path)
    same.close()
    larger = crawled(tmp_path, budget=120)
    larger.close()
    assert same.fetched == []
    assert 30 < len(larger.fetched) < 65


def test_made_up_hosts_below_one_domain_are_left_alone() -> None:
    def wildcard(url: str) -> Page:
        number = int((re.findall(r"\d+", url) or ["0"])[0])
        hosts = [f"http://a{3 * number + k}.b.trap.example/" for k in (1, 2, 3)]
        return said("Welcome to our offers", hosts)

    crawl = DrivenCrawl(None, MadeWeb(wildcard), strategy="bfs")
    crawl.seed("http://trap.example/")
    crawl.run(5000)
    finished = crawl.backend.finished()
    crawl.close()
    assert finished
    assert len(crawl.fetched) < 60
