"""A JOBDIR goes from hand to hand: served, stopped, moved, embedded; always the same end."""

from __future__ import annotations

import re
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from frontier.watch.picture import Pictures
from tests.support.scrapy_forks import Forked, shared_forks
from tests.support.shared_crawls import PATIENCE, SharedCrawl, ends_of, serving_web, wait_until

PAGES = 24


@pytest.fixture
def crawl(tmp_path: Path, dsn: str) -> Iterator[SharedCrawl]:
    with serving_web(PAGES, n_hosts=4, latency=0.1) as web:
        yield SharedCrawl(
            shared_forks(), web, dsn, tmp_path, ("-s", "CONCURRENT_REQUESTS_PER_DOMAIN=1")
        )


def is_whole(crawl: SharedCrawl, job: Path) -> None:
    """As an embedded crawl ends, which reaches all pages."""
    assert ends_of(job) == {crawl.web.url(one): "CRAWLED" for one in range(PAGES)}


def is_seen(job: Path, reason: str | None) -> int:
    """Who watches sees that nobody crawls any more, and why; returns the pages seen."""
    with Pictures(job) as pictures:
        found = pictures.picture()
    assert (found["running"], found["finish_reason"]) == (False, reason)
    assert found["curve"]["pages"] == sorted(found["curve"]["pages"])
    pages: int = found["numbers"]["pages"]
    return pages


def begun(crawl: SharedCrawl, *more: str) -> tuple[Forked, Forked]:
    """Who serves and who fetches, with some pages fetched."""
    serve, fetcher = crawl.serve(*more), crawl.fetch("fetcher")
    wait_until(lambda: len(crawl.web.pages) >= 8, "pages")
    return serve, fetcher


def ended(crawl: SharedCrawl, serve: Forked, fetcher: Forked) -> None:
    crawl.ended_well(fetcher, "fetcher")
    assert serve.wait(PATIENCE) == 0, crawl.log("serve")
    for trouble in ("Traceback", " ERROR: "):
        assert trouble not in crawl.log("serve")


def test_ctrl_c_ends_serving_in_order_and_the_same_command_goes_on(crawl: SharedCrawl) -> None:
    serve, fetcher = begun(crawl)
    serve.send(signal.SIGINT)
    assert serve.wait(PATIENCE) == 0, crawl.log("serve")
    assert "Stopping; fetchers wait for the next" in crawl.log("serve")
    assert f"for the directory {crawl.job}" in crawl.log("serve")
    assert fetcher.ends() is False
    assert is_seen(crawl.job, "shutdown") > 0
    moved = crawl.folder / "elsewhere"
    crawl.job.rename(moved)
    crawl.job.symlink_to(moved)
    ended(crawl, crawl.serve(), fetcher)
    crawl.check(fetched_anew=False)


def test_an_embedded_crawl_goes_on_with_what_was_served_and_killed(crawl: SharedCrawl) -> None:
    serve, fetcher = begun(crawl)
    assert fetcher.kill() == -signal.SIGKILL
    assert serve.kill() == -signal.SIGKILL
    crawl.job.rename(crawl.folder / "embedded")
    assert is_seen(crawl.folder / "embedded", None) > 0
    is_whole(crawl, crawl.embedded())
    assert is_seen(crawl.folder / "embedded", "finished") == PAGES


@pytest.mark.slow
def test_what_an_embedded_crawl_left_is_served(crawl: SharedCrawl) -> None:
    killed = crawl._crawl("embedded", "-s", f"JOBDIR={crawl.job}")
    wait_until(lambda: len(crawl.web.pages) >= 8, "pages")
    assert killed.kill() == -signal.SIGKILL
    ended(crawl, crawl.serve(), crawl.fetch("fetcher"))
    is_whole(crawl, crawl.job)


def test_a_fetcher_of_another_topic_is_refused_and_the_limit_of_pages_ends_the_crawl(
    crawl: SharedCrawl,
) -> None:
    serve, fetcher = begun(crawl, "--pages", "16")
    wrong = crawl.fetch("wrong", "-a", "strategy=opic")
    refused(crawl, wrong, "strategy is 'ppr' there and 'opic' here")
    assert fetcher.wait(PATIENCE) == 0, crawl.log("fetcher")
    assert serve.wait(PATIENCE) == 0, crawl.log("serve")
    assert "Stopped at the limit of 16 pages" in crawl.log("serve")
    assert len(crawl.web.pages) == 16


def shown(port: int) -> float:
    """Pages that `serve` tells at a port; 0 before it does."""
    try:
        with urlopen(f"http://127.0.0.1:{port}/metrics", timeout=PATIENCE) as answer:
            text = answer.read().decode()
    except URLError:
        return 0.0
    return float((re.findall(r"^frontier_pages (\S+)$", text, re.MULTILINE) or [0])[0])


def test_enough_ends_the_crawl_and_its_fetchers(tmp_path: Path, dsn: str) -> None:
    """Whoever owns the order counts the pages of all; served again, it goes on for as many."""
    enough = "FRONTIER_ENOUGH=last=20 share=.5", "FRONTIER_TOPIC=x", "CONCURRENT_REQUESTS=2"
    more = tuple(part for one in enough for part in ("-s", one))
    with serving_web(120, n_hosts=4, latency=0.05) as web:
        crawl, asked = SharedCrawl(shared_forks(), web, dsn, tmp_path, more), 0
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        for _ in range(2):
            serve = crawl.serve("-s", f"FRONTIER_METRICS_PORT={port}")
            fetchers = [crawl.fetch(who) for who in ("one", "two")]
            wait_until(lambda: shown(port) > 0, "pages among the metrics")
            for who, fetcher in zip(("one", "two"), fetchers, strict=True):
                crawl.ended_well(fetcher, who)
            assert serve.wait(PATIENCE) == 0, crawl.log("serve")
            said = "Enough: the last 20 pages brought 0 relevant ones (0 %), less than 50 %."
            assert said in crawl.log("serve")
            assert asked + 20 <= len(web.pages) < asked + 40
            asked = len(web.pages)


def refused(crawl: SharedCrawl, fetcher: Forked, *why: str) -> None:
    assert fetcher.wait(PATIENCE) == 1, crawl.log("wrong")
    for one in why:
        assert one in crawl.log("wrong")
    assert "Traceback" not in crawl.log("wrong")
    assert crawl.web.asked_by("wrong") == 0
