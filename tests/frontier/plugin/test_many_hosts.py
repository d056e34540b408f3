"""Many hosts, one of them slow: politeness holds, the others go on, and the crawl ends."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from threading import Lock
from time import monotonic, sleep

import pytest

from frontier.queue.eligibility import WaitForBest
from frontier.web.serving import WebAnswer, WebServer
from tests.support.scrapy_runs import HOUSE, Run, run_spider
from tests.support.sites import links

N_HOSTS, N_PAGES, N_SLOW = 25, 4, 3
SLOW = "slow.example"
DELAY = 0.05
LATENCY = 0.03
N_OTHERS = N_HOSTS * N_PAGES
GIVEN_UP = 30.0

SPIDER = """
    import scrapy

    class S(scrapy.Spider):
        name = "s"
        start_urls = ["http://h0.example/0"]

        def parse(self, response):
            yield {"url": response.url}
            yield from response.follow_all(css="a")
"""


@dataclass
class Visit:
    """One request to a host, with the times when it came and when it was answered (seconds)."""

    host: str
    path: str
    came: float
    left: float = 0.0


@dataclass
class ManyHosts:
    """A web whose pages all link to those of one host, which answers after all others were asked.

    It does so after GIVEN_UP seconds in any case.
    """

    visits: list[Visit] = field(default_factory=list)
    at_once: Counter[str] = field(default_factory=Counter)
    most_at_once: int = 0
    lock: Lock = field(default_factory=Lock)

    def answer(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> WebAnswer:
        host, _, path = url.removeprefix("http://").partition("/")
        if path == "robots.txt":
            return WebAnswer(404)
        visit = Visit(host, path, monotonic())
        self.visits.append(visit)
        with self.lock:
            self.at_once[host] += 1
            self.most_at_once = max(self.most_at_once, self.at_once[host])
        if host == SLOW:
            self._until_the_others_were_asked()
        else:
            sleep(LATENCY)
        with self.lock:
            self.at_once[host] -= 1
        visit.left = monotonic()
        return WebAnswer(200, [("Content-Type", "text/html")], self._page(host, int(path)).encode())

    def _until_the_others_were_asked(self) -> None:
        given_up = monotonic() + GIVEN_UP
        while self.n_others() < N_OTHERS and monotonic() < given_up:
            sleep(0.02)

    def n_others(self) -> int:
        return sum(visit.host != SLOW for visit in self.visits)

    def _page(self, host: str, page: int) -> str:
        targets = [f"http://{SLOW}/{n}" for n in range(N_SLOW)]
        if host != SLOW:
            number = int(host[1:].partition(".")[0])
            if (number, page) == (0, 0):
                targets += [f"http://h{n}.example/0" for n in range(1, N_HOSTS)]
            if page + 1 < N_PAGES:
                neighbour = (7 * number + 3) % N_HOSTS
                targets += [f"http://h{n}.example/{page + 1}" for n in (number, neighbour)]
        return links(*targets)


def crawl(tmp_path: Path, web: ManyHosts, monkeypatch: pytest.MonkeyPatch, *settings: str) -> Run:
    with WebServer(web) as server:
        monkeypatch.setenv("http_proxy", server.url)
        return run_spider(
            tmp_path,
            SPIDER,
            *HOUSE,
            "CONCURRENT_REQUESTS=16",
            "CONCURRENT_REQUESTS_PER_DOMAIN=1",
            f"DOWNLOAD_DELAY={DELAY}",
            *settings,
        )


def test_a_slow_host_with_the_best_pages_starves_nobody_and_every_host_is_asked_politely(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    web = ManyHosts()
    run = crawl(tmp_path, web, monkeypatch, "FRONTIER_WAIT_FOR_BEST=0.5")
    assert run.returncode == 0
    assert run.stats["finish_reason"] == "finished"
    assert run.stats["frontier/leased"] == run.stats["frontier/queued"] == 0
    asked = Counter((visit.host, visit.path) for visit in web.visits)
    assert len(asked) == len(run.items) == N_OTHERS + N_SLOW
    assert set(asked.values()) == {1}
    assert web.most_at_once == 1
    came: dict[str, list[float]] = defaultdict(list)
    for visit in web.visits:
        came[visit.host].append(visit.came)
    gaps = [b - a for times in came.values() for a, b in pairwise(times)]
    # Scrapy draws each delay from half of it up to one and a half.
    assert min(gaps) >= DELAY * 0.5
    first = next(visit for visit in web.visits if visit.host == SLOW)
    before = sum(visit.host != SLOW and visit.came < first.left for visit in web.visits)
    assert before == N_OTHERS


def leasing(*good: str) -> Callable[[float], str | None]:
    """Leases what is good while there is any; anything where the whole queue will do."""
    left = list(good)
    return lambda share: "any" if share == 1 else (left.pop() if left else None)


def test_the_wait_is_halved_with_every_mediocre_url_and_whole_again_after_a_good_one() -> None:
    now = 100.0
    wait = WaitForBest(8.0, clock=lambda: now)
    assert wait.seconds() == 0
    assert wait.take(leasing("good")) == "good"
    assert wait.seconds() == 8
    assert wait.take(leasing()) is None
    now = 106.0
    assert wait.seconds() == 2
    now = 109.0
    assert wait.seconds() == 0
    assert wait.take(leasing()) == "any"
    assert wait.seconds() == 4
    now = 113.0
    assert wait.take(leasing()) == "any"
    assert wait.seconds() == 2
    assert wait.take(leasing(), lambda: "ahead") == "ahead"
    assert wait.seconds() == 8


def test_whoever_takes_every_url_for_good_never_waits() -> None:
    wait = WaitForBest(0.0)
    assert wait.take(leasing()) == "any"
    assert wait.seconds() is None
