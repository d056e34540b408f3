"""Real Scrapy processes for tests, and what they leave behind."""

from __future__ import annotations

import json
import os
import subprocess
import textwrap
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from crawler import settings as house
from tests.support.scrapy_forks import shared_forks

ROOT = Path(__file__).resolve().parents[2]

WANDERER = """
import scrapy
from frontier.plugin import Links, page_of

class Wanderer(scrapy.Spider):
    name = "wanderer"

    async def start(self):
        yield scrapy.Request({url!r})

    def parse(self, response):
        yield Links(page_of(response, self.crawler).content.links)
"""
"""A spider that follows all links from `url`."""

JUDGED = """
import scrapy
from frontier.plugin import Links, page_of

class ByWord:
    def fit(self, topic, examples): pass
    def relevance(self, text, title=""): return float("wanted" in text)
    def predict(self, anchor, context, url): return 0.5
    def predict_links(self, links): return [0.5] * len(links)
    def state(self): return {{}}
    def restore(self, state): pass

class S(scrapy.Spider):
    name = "s"

    async def start(self):
        yield scrapy.Request({url!r})

    def parse(self, response):
        yield Links(page_of(response, self.crawler).content.links)
"""
"""A spider that follows all links from `url`, and a judge of pages: those with the word "wanted"
are relevant."""
BY_WORD = "FRONTIER_TOPIC=x", "TOPIC_MODEL=spider_file.ByWord", "FRONTIER_STRATEGY=bfs"
"""Settings by which it judges."""


@dataclass(frozen=True)
class Run:
    """What a Scrapy process left behind."""

    returncode: int
    log: str
    stdout: str
    items: list[dict[str, Any]]
    stats: dict[str, Any]


ADDONS = 'ADDONS={"frontier.plugin.LinkRankAddon": 500}'
QUICK = (
    "LOG_LEVEL=INFO",
    "TELNETCONSOLE_ENABLED=0",
    "REMOTE_CONTROL_ENABLED=0",
    "FRONTIER_ALLOW_NETWORKS=127.0.0.0/8",
    "FRONTIER_VECTORS=built-in",
    "DOWNLOAD_DELAY=0",
    "RETRY_TIMES=2",
)
"""Settings of every run: one request at a time unless a test says otherwise, and the same figures
whatever tables of word vectors are installed."""
HOUSE = tuple(
    f"{name}={getattr(house, name)}"
    for name in dir(house)
    if name.startswith("FRONTIER_") and name not in {"FRONTIER_PROGRESS", "FRONTIER_SUMMARY"}
)
"""How the ready-made project asks hosts, for spiders of other projects: what no default does."""


def scrapy(
    *arguments: str, cwd: Path, timeout: float = 1200, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the scrapy command of this environment."""
    paths = str(ROOT), os.environ.get("PYTHONPATH")
    everything = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), **(env or {})}
    with TemporaryDirectory() as folder:
        out, err = Path(folder, "out"), Path(folder, "err")
        forked = shared_forks().start_in(cwd, arguments, (out, err), everything)
        status = forked.wait(timeout)
        return subprocess.CompletedProcess(arguments, status, out.read_text(), err.read_text())


def run_spider(
    folder: Path, code: str, *settings: str, addons: str = ADDONS, concurrency: int = 1
) -> Run:
    """Run the spider in `code` (dedented) with the add-on, in a process of its own."""
    (folder / "spider_file.py").write_text(textwrap.dedent(code))
    everything = (
        *QUICK,
        addons,
        f"CONCURRENT_REQUESTS={concurrency}",
        f"CONCURRENT_REQUESTS_PER_DOMAIN={concurrency}",
        "ROBOTSTXT_OBEY=0",  # one request less to count; it has tests of its own
        "STATS_CLASS=tests.support.stats_file.FileStats",
        *settings,
    )
    return _run(folder, ["runspider", "spider_file.py"], everything)


def run_guest(folder: Path, code: str, *settings: str, line: bool = True) -> Run:
    """Run the spider in `code` with Scrapy's own defaults, as it is or with the one line."""
    (folder / "spider_file.py").write_text(textwrap.dedent(code))
    everything = (*QUICK[:5], "STATS_CLASS=tests.support.stats_file.FileStats", *settings)
    if line:
        everything = (ADDONS, *everything)
    return _run(folder, ["runspider", "spider_file.py"], everything)


def run_focused(
    folder: Path, *arguments: str, proxy: str | None = None, path: Path | None = None
) -> Run:
    """Run `scrapy crawl focused` of this project; results go to `folder`, modules lie in `path`."""
    quick = (
        *QUICK[:5],
        "DOWNLOAD_DELAY=0",
        "AUTOTHROTTLE_ENABLED=0",
        "CONCURRENT_REQUESTS=1",
        "STATS_CLASS=tests.support.stats_file.FileStats",
        f"STATS_FILE={folder / 'stats.json'}",
    )
    env = {"http_proxy": proxy} if proxy else {}
    if path is not None:
        env["PYTHONPATH"] = f"{ROOT}:{path}"
    # Scrapy heeds the last of several values: what a test asks for comes after what all have.
    defaults = [part for one in quick for part in ("-s", one)]
    return _run(folder, ["crawl", "focused", *defaults, *arguments], (), cwd=ROOT, env=env)


def _run(
    folder: Path,
    command: list[str],
    settings: tuple[str, ...],
    cwd: Path | None = None,
    env: dict[str, str] | None = None,
) -> Run:
    items, stats = folder / "items.jsonl", folder / "stats.json"
    for old in (items, stats):
        old.unlink(missing_ok=True)
    arguments = [*command, "-O", str(items)]
    for setting in (f"STATS_FILE={stats}", *settings):
        arguments += ["-s", setting]
    done = scrapy(*arguments, cwd=cwd or folder, env=env)
    return Run(
        done.returncode,
        done.stderr,
        done.stdout,
        [json.loads(line) for line in items.read_text().splitlines()] if items.exists() else [],
        json.loads(stats.read_text()) if stats.exists() else {},
    )
