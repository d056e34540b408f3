"""What it costs to watch a crawl: `python -m benchmarks watch`; medians.

CPU is that of the crawl's process, in turns with `scrapy frontier watch` and one listener beside it
and without. Clicks, paint, in Chromium, and memory are those of a large crawl, written into its
store.
"""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from urllib.parse import quote

from benchmarks import web
from benchmarks.children import cpu_of, resident, run_module, serving
from benchmarks.crawls import OURS, crawl
from benchmarks.frontiers import url_of
from benchmarks.report import AT_MOST, Figure, tell
from frontier.store.open import FILE_NAME

if TYPE_CHECKING:
    from collections.abc import Iterator

PAINTS, CLICKS = 9, 9
UNSAVED = 0.02
"""Share of a large crawl that came since its scores were saved: as much as they are old at most."""
_PAINT = "performance.getEntriesByType('paint').map((one) => one.startTime)[0]"


@contextmanager
def watching(directory: Path) -> Iterator[tuple[int, str]]:
    """The process id and the address of `scrapy frontier watch`."""
    command = [sys.executable, "-m", "scrapy", "frontier", "watch", str(directory), "--port", "0"]
    with subprocess.Popen([*command, "--json"], stdout=subprocess.PIPE) as watcher:
        try:
            assert watcher.stdout is not None
            yield watcher.pid, json.loads(watcher.stdout.readline())["url"]
        finally:
            watcher.send_signal(signal.SIGINT)


def _listen(directory: Path, ended: threading.Event, costs: list[float]) -> None:
    """Watch a crawl as soon as there is one, until it has ended."""
    while not (directory / FILE_NAME).exists():
        time.sleep(0.1)
    time.sleep(1)
    with watching(directory) as (pid, address):
        before, began = cpu_of(pid), time.monotonic()
        with urllib.request.urlopen(address.replace("/?", "/events?"), timeout=60) as events:
            while not ended.is_set():
                events.readline()  # a heartbeat, at the latest
        costs.append((cpu_of(pid) - before) / (time.monotonic() - began))


def watched(pages: int, rounds: int, folder: Path) -> list[Figure]:
    """CPU of crawls that are watched and of others."""
    cpu: dict[bool, list[float]] = {False: [], True: []}
    costs: list[float] = []
    with serving("benchmarks.web", ["--pages", str(pages)]) as address:
        for number in range(2 * rounds):
            directory, ended = folder / str(number), threading.Event()
            is_watched = number % 4 in (1, 2)
            with ThreadPoolExecutor(1) as listener:
                if is_watched:
                    listener.submit(_listen, directory, ended, costs)
                used = crawl(OURS, f"{address}{web.page_path(0)}", directory, 600)
                cpu[is_watched].append(used.cpu)
                ended.set()
            shutil.rmtree(directory)
    both = median(cpu[True]), median(cpu[False])
    return [
        Figure(f"CPU of a crawl of {pages:,} pages, watched or not", "s", *both, AT_MOST, 1.02),
        Figure("CPU of the watcher, of a core", "%", 100 * median(costs)),
    ]


def clicks(address: str, urls: int) -> list[float]:
    """Milliseconds from a click on a URL to why it has its place, of fetched and queued ones."""
    times = []
    for number in range(CLICKS):
        clicked = quote(url_of(number * (urls // CLICKS)), safe="")
        began = time.perf_counter()
        with urllib.request.urlopen(f"{address.replace('/?', '/url?')}&url={clicked}") as answer:
            assert json.load(answer)["url"]
        times.append(1000 * (time.perf_counter() - began))
    return times


def clicking(directory: Path, urls: int) -> list[Figure]:
    """What a click takes in a large crawl, and the memory of the watcher after it."""
    with watching(directory) as (pid, address):
        first, *later = clicks(address, urls)
        held = resident(pid)
    where = f"at {urls:,} URLs"
    return [
        Figure(f"first click on a URL {where}", "ms", first, None, AT_MOST, 500, on_ratio=False),
        Figure(f"later clicks {where}", "ms", median(later), None, AT_MOST, 500, on_ratio=False),
        Figure("memory of the watcher after them", "MiB", held, None, AT_MOST, 80, on_ratio=False),
    ]


def large(directory: Path, urls: int) -> list[Figure]:
    """Paint and memory of a large crawl that is watched."""
    from playwright.sync_api import sync_playwright

    from tests.support.browser import BROWSER, QUIET

    with watching(directory) as (pid, address), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=list(QUIET))
        paints = []
        for _ in range(PAINTS):
            page = browser.new_context().new_page()  # without a cache
            page.goto(address)
            page.wait_for_selector("main:not([hidden])")
            paints.append(page.evaluate(_PAINT))
        page.wait_for_timeout(60_000)  # in which all answers are read
        held = resident(pid)
    where = f"at {urls:,} URLs"
    return [
        Figure(f"first paint {where}", "ms", median(paints), None, AT_MOST, 300, on_ratio=False),
        Figure(f"memory of the watcher {where}", "MiB", held, None, AT_MOST, 80, on_ratio=False),
    ]


def _grown(directory: Path, urls: int, log: Path) -> Path:
    grow = ["grow", "--directory", str(directory), "--urls", str(urls), "--pages", str(urls // 10)]
    run_module("benchmarks.stored", [*grow, "--unsaved", str(UNSAVED)], log, 1800)
    return directory


def main(arguments: list[str]) -> int:
    """Measure; 1 if a promise was missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks watch", description=__doc__)
    add = parser.add_argument
    add("--pages", type=int, default=10_000, help="of each crawl")
    add("--rounds", type=int, default=3, help="crawls of each kind; 0: none")
    add("--urls", type=int, default=1_000_000, help="of the large one; 0: none")
    add("--no-paint", dest="paint", action="store_false", help="for want of a browser")
    given = parser.parse_args(arguments)
    with TemporaryDirectory(prefix="benchmark-") as folder:
        place = Path(folder)
        figures = watched(given.pages, given.rounds, place) if given.rounds else []
        if given.urls:
            job = _grown(place / "job", given.urls, place / "log")
            figures += clicking(job, given.urls)
            if given.paint:
                figures += large(job, given.urls)
        return tell(figures)
