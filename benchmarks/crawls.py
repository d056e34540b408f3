"""One crawl in a process of its own: the focused one, or one of plain Scrapy."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks import web
from benchmarks.children import BenchmarkError, Usage, run

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
    "frontier.plugin.extensions.basics.FailWithoutPages": null
}"""


def crawl(
    which: str,
    seeds: str,
    directory: Path,
    timeout: float,
    *options: str,
    module: str = "scrapy",
    **environment: object,
) -> Usage:
    """Crawl from `seeds`, URLs with commas between.

    `directory` is the JOBDIR, and beside it lies what else is written; `module` is what runs as
    `scrapy`; names in `environment` are written in capitals.
    """
    spider = ["focused", "-a", f"topic={web.TOPIC}"] if which == OURS else [which]
    command = [sys.executable, "-m", module, "crawl", *spider, "-a", f"seeds={seeds}"]
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
