"""Projects that are not ours, as they are and with the one line: how much longer their crawls take.

    python -m benchmarks guests [--rounds 3] [--only site,lost]

The time is that between the opening of the spider and its closing, within the process; both take
turns, and the median of each counts. What callbacks and errbacks saw must be the same. On a machine
with other work the ratio of short crawls is that of the CPU they use.

Each crawl is a process of its own, `python -m benchmarks.guests plain|line KIND ADDRESS RUN`, whose
last line is JSON: `seconds`, `busy`, the CPU seconds of them, and `seen`, sorted.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import socket
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import scrapy
from scrapy import signals
from scrapy.crawler import CrawlerProcess

from benchmarks.children import BenchmarkError, run_module, serving
from benchmarks.report import AT_MOST, Figure, tell

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

LINE = {"frontier.plugin.LinkRankAddon": 500}


@dataclass(frozen=True)
class Kind:
    """A sort of project: where it begins (paths after `/<run>`), and its settings."""

    name: str
    what: str
    starts: tuple[str, ...]
    settings: dict[str, Any] = field(default_factory=dict)
    method: str = "GET"
    seconds: float = 0.0
    """That a callback takes, waiting for something else."""


def _paths(prefix: str, n: int) -> tuple[str, ...]:
    return tuple(f"{prefix}/{number}" for number in range(n))


_OBEY = {"ROBOTSTXT_OBEY": True}
_TEMPLATE = {**_OBEY, "CONCURRENT_REQUESTS_PER_DOMAIN": 1, "DOWNLOAD_DELAY": 0.1}
_THROTTLE = {"AUTOTHROTTLE_ENABLED": True, "AUTOTHROTTLE_START_DELAY": 0.2}
KINDS = {
    kind.name: kind
    for kind in (
        Kind("site", "400 pages of one host, no latency", ("0/tree/0",)),
        Kind("site-50ms", "400 pages of one host, 50 ms each", ("50/tree/0",)),
        Kind("site-obey", "the same, robots.txt obeyed", ("50/tree/0",), _OBEY),
        Kind("list-50ms", "a list of 400 URLs, 50 ms each", _paths("50/json", 400)),
        Kind("post", "a list of 200 POSTs for JSON, 50 ms", _paths("50/json", 200), method="POST"),
        Kind("chain", "60 pages that each name the next, 20 ms", ("20/chain/0",)),
        Kind("hops", "100 redirects, 20 ms", _paths("20/hop", 100)),
        Kind("slow", "64 pages that take half a second", _paths("500/json", 64)),
        Kind("delay", "40 pages, a delay and robots.txt as in the template", _paths("20/json", 40),
             _TEMPLATE),
        Kind("throttle", "60 pages, AutoThrottle", _paths("50/json", 60), _THROTTLE),
        Kind("lost", "6 URLs with two lost connections each", _paths("0/lost", 6)),
        Kind("losses", "200 URLs, a tenth with two lost connections",
             (*_paths("20/json", 180), *_paths("20/lost", 20))),
        Kind("busy", "3 URLs with two 503s each", _paths("0/busy", 3)),
        Kind("limited", "20 URLs with a 429 that asks for a second", _paths("20/limit", 20)),
        Kind("refused", "12 URLs of a host that refuses connections", ("refused",) * 12),
        Kind("refused-obey", "the same, robots.txt obeyed", ("refused",) * 12, _OBEY),
        Kind("waiting", "100 pages whose callbacks wait 100 ms", _paths("20/json", 100),
             seconds=0.1),
    )
}  # fmt: skip


class GuestSpider(scrapy.Spider):
    """Follows every link, and notes what it sees."""

    name = "guest"
    kind: Kind
    address = run = refusing = ""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.seen: list[str] = []

    async def start(self) -> AsyncIterator[scrapy.Request]:
        for number, path in enumerate(self.kind.starts):
            url = f"{self.address}/{self.run}/{path}"
            if path == "refused":
                url = f"{self.refusing}/{number}"
            yield scrapy.Request(url, method=self.kind.method, errback=self.failed)

    async def parse(self, response: Any) -> AsyncIterator[scrapy.Request]:
        self._note(f"{response.status} {response.url.removeprefix(self.address)}")
        if self.kind.seconds:
            await asyncio.sleep(self.kind.seconds)
        for request in self._links(response):
            yield request

    def _links(self, response: Any) -> Iterator[scrapy.Request]:
        if "html" in response.headers.get("Content-Type", b"").decode():
            for href in response.css("a::attr(href)").getall():
                yield response.follow(href, errback=self.failed)

    def failed(self, failure: Any) -> None:
        number = failure.request.url.rpartition("/")[2]
        self._note(f"{failure.type.__name__} {number}")

    def _note(self, what: str) -> None:
        self.seen.append(what.replace(f"/{self.run}/", "/"))


def crawl(which: str, kind: Kind, address: str, run: str) -> dict[str, Any]:
    """Run it in this process, which is good for one crawl."""
    settings = {
        "LOG_LEVEL": "ERROR",
        "TELNETCONSOLE_ENABLED": False,
        "REMOTE_CONTROL_ENABLED": False,
        "FRONTIER_ALLOW_NETWORKS": "127.0.0.0/8",
        **kind.settings,
    }
    if which == "line":
        settings["ADDONS"] = LINE
    process = CrawlerProcess(settings)
    crawler = process.create_crawler(GuestSpider)
    moments: dict[str, tuple[float, float]] = {}

    def note(name: str) -> Callable[[], None]:
        return lambda: moments.update({name: (time.monotonic(), time.process_time())})

    crawler.signals.connect(note("opened"), signals.spider_opened, weak=False)
    crawler.signals.connect(note("closed"), signals.spider_closed, weak=False)
    with socket.socket() as refusing:
        # Bound and not listening: its connections are refused, and nobody else takes the port.
        refusing.bind(("127.0.0.1", 0))
        refused = f"http://127.0.0.1:{refusing.getsockname()[1]}"
        process.crawl(crawler, kind=kind, address=address, run=run, refusing=refused)
        process.start()
    spider: Any = crawler.spider
    seconds, busy = (
        end - begin for begin, end in zip(moments["opened"], moments["closed"], strict=True)
    )
    return {"seconds": seconds, "busy": busy, "seen": sorted(spider.seen)}


_LIMIT = 180.0
"""Seconds for a crawl that hangs."""
_TARGETS = {"site": 1.15, "site-50ms": 1.15, "site-obey": 1.15}
_TARGET = 1.25


def measure(name: str, rounds: int, address: str, folder: Path) -> list[Figure]:
    """Crawl with both in turns; raises BenchmarkError where they saw different things."""
    seconds: dict[str, list[float]] = {"plain": [], "line": []}
    busy: dict[str, list[float]] = {"plain": [], "line": []}
    seen: dict[str, list[str]] = {}
    for number in range(rounds):
        for which, times in seconds.items():
            arguments = [which, name, address, f"{name}-{which}-{number}"]
            came = run_module(
                "benchmarks.guests", arguments, folder / f"{name}-{which}.log", _LIMIT
            )
            times.append(came["seconds"])
            busy[which].append(came["busy"])
            if seen.setdefault("", came["seen"]) != came["seen"]:
                raise BenchmarkError(f"{name}, {which}: {_difference(seen[''], came['seen'])}")
    what, target = KINDS[name].what, _TARGETS.get(name, _TARGET)
    both = median(seconds["line"]), median(seconds["plain"])
    of_cpu = median(busy["line"]), median(busy["plain"])
    return [Figure(what, "s", *both, AT_MOST, target), Figure("  CPU of these", "s", *of_cpu)]


def _difference(expected: list[str], found: list[str]) -> str:
    missing, more = sorted(set(expected) - set(found)), sorted(set(found) - set(expected))
    return (
        f"saw {len(found)} things where {len(expected)} were seen before; not {missing[:5]}, "
        f"but {more[:5]}"
    )


def main(arguments: list[str]) -> int:
    """Measure what was asked for; 1 if a target was missed or something else was seen."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks guests", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default=",".join(KINDS), help="kinds, separated by commas")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    given = parser.parse_args(arguments)
    figures, failed = [], False
    with (
        TemporaryDirectory(prefix="benchmark-") as temporary,
        serving("benchmarks.guest_site", []) as address,
    ):
        for name in given.only.split(","):
            print(f"Measuring {name} ...", file=sys.stderr, flush=True)
            try:
                figures.extend(measure(name, given.rounds, address, Path(temporary)))
            except BenchmarkError as error:
                print(error, file=sys.stderr)
                failed = True
    return max(int(failed), tell(figures, given.json))


if __name__ == "__main__":
    print(json.dumps(crawl(sys.argv[1], KINDS[sys.argv[2]], *sys.argv[3:])))
