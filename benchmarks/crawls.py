"""Crawls in processes of their own, the focused one beside those of plain Scrapy.

throughput   the generated web, same pages, server, reader and concurrency, in turns
realpages    CPU on recorded pages, beside Scrapy's `CrawlSpider` and `LinkExtractor`
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchmarks import web
from benchmarks.children import ROOT, AbsentError, BenchmarkError, Usage, run, serving
from benchmarks.report import AT_LEAST, AT_MOST, Figure

if TYPE_CHECKING:
    from collections.abc import Callable

OURS, PLAIN, LINKED = "ours", "plain", "linked"
"""The last two are spiders of `benchmarks/plain.py`."""
_SETTINGS = {
    "CONCURRENT_REQUESTS": 16,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": False,
    "FRONTIER_ALLOW_NETWORKS": "127.0.0.0/8",
}
_MAY_BE_EMPTY = """{
    "frontier.plugin.extensions.endings.FailWithoutPages": null
}"""


def crawl(
    which: str,
    seeds: str,
    directory: Path,
    timeout: float,
    *options: str,
    **environment: object,
) -> Usage:
    """Crawl from `seeds`, URLs with commas between.

    `directory` is the JOBDIR, and beside it lies what else is written; names in `environment` are
    written in capitals.
    """
    spider = ["focused", "-a", f"topic={web.TOPIC}"] if which == OURS else [which]
    command = [sys.executable, "-m", "scrapy", "crawl", *spider, "-a", f"seeds={seeds}"]
    for name, value in {**_SETTINGS, "JOBDIR": directory}.items():
        command += ["-s", f"{name}={value}"]
    told = {name.upper(): str(value) for name, value in environment.items()}
    told["SCRAPY_SETTINGS_MODULE"] = (
        "crawler.settings" if which == OURS else "benchmarks.plain_settings"
    )
    if which == OURS:  # a crawl of nothing, for the cost of a process, has not failed
        command += ["-s", f"EXTENSIONS={_MAY_BE_EMPTY}"]
    log = directory.with_name(directory.name + ".log")
    command += ["-O", str(items_of(directory)), *options]
    return run(command, log, timeout, **told)


def items_of(directory: Path) -> Path:
    """Where the items of a crawl go."""
    return directory.with_name(directory.name + ".jsonl")


def check_items(directory: Path, pages: int) -> None:
    """Raise BenchmarkError unless the crawl yielded each page once."""
    lines = items_of(directory).read_text(encoding="utf-8").splitlines()
    if len(set(lines)) != pages or len(lines) != pages:
        raise BenchmarkError(
            f"{directory.name} should have yielded {pages} pages once each, but there are "
            f"{len(lines)} items, {len(set(lines))} of them distinct"
        )


THROUGHPUT_NOTE = (
    "Plain Scrapy with JOBDIR and all settings of the project but the add-on, 16 requests at once, "
    "no delay, robots.txt obeyed. Both read pages with frontier.parsing.html.read_page and write "
    "the same items (the peer's without relevance, score and anchor); ours prints its summary at "
    "the end. Start and end of the process are included."
)
_SECONDS_A_PAGE = 0.05  # ten times what a page takes: a limit for crawls that hang


def throughput(pages: int, rounds: int) -> list[Figure]:
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


REALPAGES_NOTE = (
    "The peer is a CrawlSpider that follows all links of a LinkExtractor, with JOBDIR and all "
    "settings of the project but the add-on; it reads no text. A proxy serves a recorded web: all "
    "of it, of which each crawl takes its own first pages, or only the large ones, which both take "
    "all. What the start and the end of a process take is measured by a crawl of nothing and taken "
    "off."
)
WEB = ROOT.parent / "shared/webs/docs.warc.gz"
_LARGE = "--least=100000", "--most=200000"
_SECONDS_A_REAL_PAGE = 0.3
_SHARE = 0.4
"""The peer takes two and a half times as much."""
_NOTHING = "http://nowhere.example/"
_ALIKE = 0.95
"""Of the pages that one crawl yields, the other must yield as many: page rules differ a little."""


def realpages(recording: Path, pages: int, rounds: int) -> list[Figure]:
    """Crawl `pages` pages of a recorded web, and as many of 100 to 200 kB; medians of `rounds`.

    Raises AbsentError without the recording.
    """
    if not recording.exists():
        raise AbsentError(f"no recorded web {recording}")
    figures = []
    served = {"recorded pages": (), "pages of 100 to 200 kB": (*_LARGE, f"--pages={pages}")}
    for what, arguments in served.items():
        with (
            TemporaryDirectory(prefix="benchmark-") as temporary,
            serving("benchmarks.realweb", [str(recording), *arguments]) as told,
        ):
            address, seeds = told.split()
            found = _crawled(address, seeds, Path(temporary), pages, rounds)
        both = median(found[OURS]), median(found[LINKED])
        figures.append(Figure(f"crawl of {what}, CPU", "ms/page", *both, AT_MOST, _SHARE))
    return figures


def _crawled(
    address: str, seeds: str, folder: Path, pages: int, rounds: int
) -> dict[str, list[float]]:
    """Milliseconds of CPU a page, of each round."""
    limit = 60 + pages * _SECONDS_A_REAL_PAGE
    spent: dict[str, list[float]] = {LINKED: [], OURS: []}
    idle, yielded = {}, {}
    for which in spent:
        nothing = folder / f"{which}-nothing"
        idle[which] = crawl(which, _NOTHING, nothing, limit, http_proxy=address).cpu
    for number in range(rounds):
        for which, milliseconds in spent.items():
            directory = folder / f"{which}-{number}"
            enough = "-s", f"CLOSESPIDER_ITEMCOUNT={pages}"
            used = crawl(which, seeds, directory, limit, *enough, http_proxy=address)
            lines = items_of(directory).read_text(encoding="utf-8").splitlines()
            yielded[which] = len(lines)
            milliseconds.append(1000 * (used.cpu - idle[which]) / max(1, len(lines)))
            shutil.rmtree(directory)
    fewest, most = sorted(yielded.values())
    if not fewest or fewest < _ALIKE * min(most, pages):
        raise BenchmarkError(f"should have yielded as many pages, but they are {yielded}")
    return spent
