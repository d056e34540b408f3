"""One frontier and several fetchers, each a Scrapy process of its own, and what they did."""

from __future__ import annotations

import json
import os
import signal
import textwrap
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.support.both_worlds import Seen, failures
from tests.support.scrapy_forks import Forked, shared_forks
from tests.support.scrapy_runs import ADDONS, QUICK, ROOT, Run, run_spider
from tests.support.sites import Answer, serving

SECONDS = 40.0
"""Within which a crawl of a few pages ends, on a machine that does much else."""
EACH = (
    *QUICK,
    ADDONS,
    "CONCURRENT_REQUESTS=4",
    "CONCURRENT_REQUESTS_PER_DOMAIN=4",
    "ROBOTSTXT_OBEY=0",
    "STATS_CLASS=tests.support.stats_file.FileStats",
)


@dataclass(frozen=True)
class Together:
    """What a frontier and its fetchers left behind."""

    job: Path
    frontier: Run
    fetchers: list[Run]

    @property
    def failures(self) -> Counter[str]:
        """Stats about what went wrong, of all fetchers."""
        counted: Counter[str] = Counter()
        for run in self.fetchers:
            counted.update({name: int(str(n)) for name, n in failures(run).items()})
        return counted

    @property
    def reasons(self) -> set[str]:
        """Why the fetchers ended."""
        return {run.stats.get("finish_reason", run.log[-2000:]) for run in self.fetchers}


def crawl_together(
    folder: Path, dsn: str, code: str, *settings: str, endless: bool = False
) -> Together:
    """Crawl with the spider in `code` (dedented), one frontier and two fetchers.

    The frontier of an endless crawl is stopped after its fetchers.
    """
    folder.mkdir()
    job = folder / "job"
    serve = _start(folder, "frontier", ["serve", str(job), "--exchange", dsn])
    for _ in range(600):
        if (folder / "err").exists() and "Waiting for" in (folder / "err").read_text():
            break
        time.sleep(0.05)
    everything = [*EACH, f"FRONTIER_EXCHANGE={dsn}", *settings]
    started = [_fetcher(folder / str(n), code, everything) for n in range(2)]
    runs = [_ended(folder / str(n), one) for n, one in enumerate(started)]
    if endless:
        serve.send(signal.SIGINT)
    return Together(job, _ended(folder, serve), runs)


def _fetcher(folder: Path, code: str, settings: list[str]) -> Forked:
    folder.mkdir()
    (folder / "spider_file.py").write_text(textwrap.dedent(code))
    arguments = ["spider_file.py", "-O", str(folder / "items.jsonl")]
    for setting in (*settings, f"STATS_FILE={folder / 'stats.json'}"):
        arguments += ["-s", setting]
    return _start(folder, "runspider", arguments)


def _start(folder: Path, command: str, arguments: list[str]) -> Forked:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    files = folder / "out", folder / "err"
    return shared_forks().start_in(folder, [command, *arguments], files, environment)


def _ended(folder: Path, process: Forked) -> Run:
    status = process.wait(SECONDS)
    items, stats = folder / "items.jsonl", folder / "stats.json"
    return Run(
        status,
        (folder / "err").read_text(),
        (folder / "out").read_text(),
        [json.loads(line) for line in items.read_text().splitlines()] if items.exists() else [],
        json.loads(stats.read_text()) if stats.exists() else {},
    )


def alike_together(
    tmp_path: Path,
    dsn: str,
    pages: Callable[[], dict[str, Answer]],
    code: str,
    *settings: str,
) -> tuple[Seen, Together]:
    """Crawl in one process and with two fetchers, demand the same, and return both.

    `@URL@` in the code is the site's address. Every lease must have been answered.
    """
    with serving(pages()) as site:
        given = "CONCURRENT_REQUESTS_PER_DOMAIN=4", *settings
        written = code.replace("@URL@", site.url)
        alone = Seen.of(run_spider(tmp_path, written, *given, concurrency=4), site)
    with serving(pages()) as site:
        written = code.replace("@URL@", site.url)
        together = crawl_together(tmp_path / "shared", dsn, written, *settings)
        items = [item for run in together.fetchers for item in run.items]
        all_of_them = Run(0, "", "", items, {})
        shared = Seen.of(all_of_them, site)
    assert together.reasons == {alone.run.stats["finish_reason"]}
    assert shared.requests == alone.requests
    lacking, extra = _unlike(alone.items, shared.items)
    assert not lacking, (lacking, extra)
    assert not extra, extra
    assert together.failures == failures(alone.run)
    assert together.frontier.returncode == 0, together.frontier.log[-3000:]
    return alone, together


def _unlike(alone: Counter[str], shared: Counter[str]) -> tuple[list[str], list[str]]:
    """What is yielded by the one only, and by the other only."""
    return sorted((alone - shared).elements()), sorted((shared - alone).elements())
