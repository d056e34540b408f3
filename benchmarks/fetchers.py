"""Several fetchers for one frontier, beside the embedded crawl: `python -m benchmarks exchange`.

Same pages, same cores: pages a second, and the CPU of fetchers, frontier and PostgreSQL.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchmarks.children import BenchmarkError, Usage, cpu_of, run, serving
from benchmarks.crawls import OURS, crawl, items_of
from benchmarks.report import AT_LEAST, AT_MOST, Figure, tell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawler.private_postgres import PrivatePostgres

NOTE = (
    "The focused crawl of the generated web on 256 hosts, each process with 16 requests at once, "
    "no delay, robots.txt obeyed. Pages/s from the first page to the last; harvest is the share of "
    "relevant pages in the first third: what is on offer cannot be repriced. The frontier, "
    "PostgreSQL, all fetchers and the web share the cores; PostgreSQL writes nothing through to "
    "the disk (fsync=off). What the start and the end of the processes take is measured by a crawl "
    "of nothing with as many of them, and taken off the CPU."
)
_SECONDS_A_PAGE = 0.1
_TWO = 2
_NOTHING = "http://nowhere.test/"
_HOSTS = 256
_RELEVANT = 0.5


@dataclass(frozen=True)
class Served:
    """What came of a crawl, and milliseconds of CPU a page by who took them."""

    speed: float
    harvest: float
    fetchers: float
    frontier: float
    postgres: float

    @property
    def of_order(self) -> float:
        """What a page costs beside who fetches it."""
        return self.frontier + self.postgres

    def speed_with(self, cores: int) -> float:
        """Pages a second at most, were there so many cores and as many fetchers as they can feed.

        The frontier is one process: it bounds the speed whatever the cores are.
        """
        everything = self.fetchers + self.of_order
        return min(1000 * cores / everything, 1000 / self.frontier)


def measure(pages: int, fetchers: Sequence[int], settings: Sequence[str]) -> list[Figure]:
    """Crawl `pages` pages embedded, and then with each number of fetchers."""
    with (
        TemporaryDirectory(prefix="benchmark-") as temporary,
        serving("benchmarks.web", [f"--pages={pages}", f"--hosts={_HOSTS}"]) as told,
    ):
        proxy, seed = told.split()
        embedded = _embedded(proxy, seed, Path(temporary) / "embedded", pages)
        found = {
            n: _served(proxy, seed, Path(temporary) / f"served-{n}", pages, n, settings)
            for n in fetchers
        }
    figures = []
    for n, one in found.items():
        figures += _figures(n, one, embedded)
    return figures


def _figures(n: int, one: Served, embedded: Served) -> list[Figure]:
    what = f"{n} fetcher" if n == 1 else f"{n} fetchers"
    promised = (AT_LEAST, 1.5) if n == _TWO else ("", None)
    return [
        Figure(what, "pages/s", one.speed, embedded.speed, *promised),
        Figure(f"{what}, harvest of the first third", "of 1", one.harvest, embedded.harvest),
        Figure(f"{what}, CPU of fetchers", "ms/page", one.fetchers, embedded.fetchers),
        Figure(f"{what}, CPU of the frontier", "ms/page", one.frontier),
        Figure(f"{what}, CPU of PostgreSQL", "ms/page", one.postgres),
        Figure(f"{what}, both", "ms/page", one.of_order, None, AT_MOST, 1.2, on_ratio=False),
        Figure(f"{what}, 4 cores at most", "pages/s", one.speed_with(4), embedded.speed),
    ]


def _embedded(proxy: str, seed: str, directory: Path, pages: int) -> Served:
    limit = _limit(pages)
    idle, used = (
        crawl(OURS, seeds, folder, limit, http_proxy=proxy, no_proxy="").cpu
        for seeds, folder in ((_NOTHING, _idle(directory)), (seed, directory))
    )
    _check([items_of(directory)], pages)
    return Served(*_course(directory), 1000 * (used - idle) / pages, 0.0, 0.0)


def _served(
    proxy: str, seed: str, directory: Path, pages: int, n: int, settings: Sequence[str]
) -> Served:
    limit, options = _limit(pages), [part for one in settings for part in ("-s", one)]
    idle, used = (
        crawl_together(proxy, seeds, folder, limit, n, *options)
        for seeds, folder in ((_NOTHING, _idle(directory)), (seed, directory))
    )
    _check([items_of(folder) for folder in folders_of(directory, n)], pages)
    a_page = [1000 * more / pages for more in used.beyond(idle)]
    return Served(*_course(directory), *a_page)


def _idle(directory: Path) -> Path:
    """Where the crawl of nothing goes, beside the other one."""
    return directory.with_name(f"{directory.name}-nothing")


def _course(directory: Path) -> tuple[float, float]:
    """Pages a second, and which share of the first third of them was judged relevant."""
    with closing(sqlite3.connect(directory / "frontier.sqlite")) as store:
        rows = store.execute("SELECT fetched, relevance FROM pages ORDER BY fetched").fetchall()
    early = rows[: len(rows) // 3]
    relevant = sum(relevance >= _RELEVANT for _, relevance in early)
    return (len(rows) - 1) / (rows[-1][0] - rows[0][0]), relevant / len(early)


def _check(files: Sequence[Path], pages: int) -> None:
    """Raise BenchmarkError unless all fetchers together yielded each page once."""
    lines = [line for one in files for line in one.read_text(encoding="utf-8").splitlines()]
    urls = {json.loads(line)["url"] for line in lines}
    if len(lines) != pages or len(urls) != pages:
        raise BenchmarkError(
            f"expected {pages} pages once each, got {len(lines)}, {len(urls)} URLs"
        )


def _limit(pages: int) -> float:
    return 60 + pages * _SECONDS_A_PAGE


@dataclass(frozen=True)
class Spent:
    """Seconds of CPU of a whole crawl, by who took them."""

    fetchers: float
    frontier: float
    postgres: float

    def beyond(self, other: Spent) -> tuple[float, float, float]:
        """How much more that is than what another crawl took."""
        return (
            self.fetchers - other.fetchers,
            self.frontier - other.frontier,
            self.postgres - other.postgres,
        )


def crawl_together(
    proxy: str,
    seeds: str,
    directory: Path,
    limit: float,
    fetchers: int,
    *options: str,
) -> Spent:
    """Crawl from `seeds` with so many fetchers, each started with `options`, until it is over.

    `directory` is the JOBDIR. Each process may take `limit` seconds. Raises BenchmarkError.
    """
    from crawler.private_postgres import PrivatePostgres

    with PrivatePostgres() as postgres, ThreadPoolExecutor(fetchers + 1) as pool:
        assert postgres.pid is not None
        before = cpu_of(postgres.pid)
        serve = pool.submit(_serve, directory, postgres.dsn(), limit)
        _wait_for_tables(postgres)
        # The last one: a fetcher keeps nothing of the crawl.
        told = *options, "-s", f"FRONTIER_EXCHANGE={postgres.dsn()}", "-s", "JOBDIR="
        fetching = [
            pool.submit(crawl, OURS, seeds, folder, limit, *told, http_proxy=proxy, no_proxy="")
            for folder in folders_of(directory, fetchers)
        ]
        fetched, frontier = [one.result() for one in fetching], serve.result()
        spent = cpu_of(postgres.pid) - before
    return Spent(sum(one.cpu for one in fetched), frontier.cpu, spent)


def folders_of(directory: Path, fetchers: int) -> list[Path]:
    """What each fetcher calls its files by."""
    return [directory.with_name(f"{directory.name}-fetcher-{at}") for at in range(fetchers)]


def _serve(directory: Path, dsn: str, limit: float) -> Usage:
    command = [sys.executable, "-m", "scrapy", "frontier", "serve", str(directory)]
    command += ["--exchange", dsn, "-L", "WARNING"]
    log = directory.with_name(f"{directory.name}.log")
    return run(command, log, limit, SCRAPY_SETTINGS_MODULE="crawler.settings")


def _wait_for_tables(postgres: PrivatePostgres) -> None:
    from frontier.exchange import schema
    from frontier.exchange.connection import connect

    with connect(postgres.dsn(), "benchmark") as connection:
        schema.create(connection)
        ends = time.monotonic() + 60
        while connection.execute("SELECT FROM frontier.coordinator").fetchone() is None:
            if time.monotonic() > ends:
                raise BenchmarkError("scrapy frontier serve did not start within a minute")
            time.sleep(0.1)


def main(arguments: Sequence[str]) -> int:
    """Measure and print; 1 if a promise was missed or a process failed."""
    from crawler.private_postgres import PostgresMissingError
    from ranking.errors import LinkRankError

    given = _parser().parse_args(arguments)
    try:
        figures = measure(given.pages, given.fetchers, given.settings)
    except (BenchmarkError, LinkRankError, PostgresMissingError) as error:
        print(error, file=sys.stderr)
        return 1
    return tell(figures, given.json, [NOTE])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks exchange", description=__doc__)
    add = parser.add_argument
    add("--pages", type=int, default=6000, help="of the web")
    add("--fetchers", type=int, nargs="+", default=[1, 2, 4], metavar="N")
    add("-s", action="append", dest="settings", default=[], help="NAME=VALUE, of the fetchers")
    add("--json", type=Path, metavar="FILE", help="write the figures there too")
    return parser
