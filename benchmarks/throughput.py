"""The focused crawl beside plain Scrapy: same pages, server, reader and concurrency, in turns."""

from __future__ import annotations

import shutil
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchmarks import web
from benchmarks.children import Usage, serving
from benchmarks.crawls import OURS, PLAIN, check_items, crawl
from benchmarks.report import AT_LEAST, AT_MOST, Figure

if TYPE_CHECKING:
    from collections.abc import Callable

NOTE = (
    "Plain Scrapy with JOBDIR and all settings of the project but the add-on, 16 requests at once, "
    "no delay, robots.txt obeyed. Both read pages with frontier.parsing.html.read_page and write "
    "the same items (the peer's without relevance, score and anchor); ours prints its summary at "
    "the end. Start and end of the process are included."
)
_SECONDS_A_PAGE = 0.05  # ten times what a page takes: a limit for crawls that hang


def measure(pages: int, rounds: int) -> list[Figure]:
    """Crawl `pages` pages with both in turns, `rounds` times; medians."""
    used: dict[str, list[Usage]] = {PLAIN: [], OURS: []}
    with (
        TemporaryDirectory(prefix="benchmark-") as temporary,
        serving("benchmarks.web", ["--pages", str(pages)]) as address,
    ):
        seed = f"{address}{web.page_path(0)}"
        for number in range(rounds):
            for which, usages in used.items():
                directory = Path(temporary) / f"{which}-{number}"
                limit = 60 + pages * _SECONDS_A_PAGE
                usages.append(crawl(which, seed, directory, limit))
                check_items(directory, pages)
                shutil.rmtree(directory)
    ours, plain = used[OURS], used[PLAIN]

    def both(of: Callable[[Usage], float]) -> tuple[float, float]:
        return median(map(of, ours)), median(map(of, plain))

    speed = both(lambda one: pages / one.seconds)
    cpu = both(lambda one: 1000 * one.cpu / pages)
    peak = both(lambda one: one.peak)
    return [
        Figure(f"crawl of {pages:,} pages", "pages/s", *speed, AT_LEAST, 1.0),
        Figure(f"crawl of {pages:,} pages, CPU", "ms/page", *cpu, AT_MOST, 1.0),
        Figure(f"crawl of {pages:,} pages, peak memory", "MiB", *peak, AT_MOST, 1.3),
    ]
