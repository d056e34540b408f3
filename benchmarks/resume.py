"""From the start of a process to its first page request: a resumed crawl beside a fresh one."""

from __future__ import annotations

import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks import web
from benchmarks.children import BenchmarkError, run_module, serving
from benchmarks.crawls import OURS, PLAIN, crawl
from benchmarks.report import AT_MOST, Figure

NOTE = (
    "The peer starts a new crawl of plain Scrapy with an empty JOBDIR. Both read robots.txt before "
    "the first page."
)
_TIMEOUT = 120.0


def measure(urls: int, rounds: int) -> list[Figure]:
    """Resume a crawl of `urls` known URLs, a tenth of them fetched; medians."""
    seconds: dict[str, list[float]] = {PLAIN: [], OURS: []}
    with (
        TemporaryDirectory(prefix="benchmark-") as temporary,
        serving("benchmarks.web", ["--pages", "100"]) as address,
    ):
        job = Path(temporary) / OURS
        arguments = ["job", "--urls", str(urls), "--directory", str(job), "--address", address]
        run_module("benchmarks.frontiers", arguments, Path(temporary) / "job.log", 600)
        for number in range(rounds):
            for which, of_it in seconds.items():
                directory = job if which == OURS else Path(temporary) / f"{PLAIN}-{number}"
                of_it.append(_first_request(which, address, directory))
    figures = median(seconds[OURS]), median(seconds[PLAIN])
    return [
        Figure(f"resume at {urls:,} URLs", "s", *figures, AT_MOST, 2.0, on_ratio=False),
    ]


def _first_request(which: str, address: str, directory: Path) -> float:
    web.first_request(address)
    began = time.time()
    crawl(which, address, directory, _TIMEOUT, "-s", "CLOSESPIDER_PAGECOUNT=1")
    first = web.first_request(address)
    if first < began:
        raise BenchmarkError(f"{directory.name} asked for no page")
    return first - began
