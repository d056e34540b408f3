"""One crawl by several fetchers: all its processes, from their start to their end."""

from __future__ import annotations

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.children import BenchmarkError, Usage, run
from benchmarks.crawls import OURS, crawl
from benchmarks.exchange.cpu import cpu_of

if TYPE_CHECKING:
    from pathlib import Path

    from crawler.private_postgres import PrivatePostgres


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
    pages: int = 0,
) -> Spent:
    """Crawl from `seeds` with so many fetchers, each started with `options`, until it is over.

    `directory` is the JOBDIR, `pages` how many to fetch (0: all). Each process may take `limit`
    seconds. Raises BenchmarkError.
    """
    from crawler.private_postgres import PrivatePostgres

    with PrivatePostgres() as postgres, ThreadPoolExecutor(fetchers + 1) as pool:
        assert postgres.pid is not None
        before = cpu_of(postgres.pid)
        serve = pool.submit(_serve, directory, postgres.dsn(), limit, pages)
        _wait_for_tables(postgres)
        # The last one: a fetcher keeps nothing of the crawl.
        told = *options, "-s", f"FRONTIER_EXCHANGE={postgres.dsn()}", "-s", "JOBDIR="
        fetching = [
            pool.submit(
                crawl,
                OURS,
                seeds,
                folder,
                limit,
                *told,
                http_proxy=proxy,
                no_proxy="",
            )
            for folder in folders_of(directory, fetchers)
        ]
        fetched, frontier = [one.result() for one in fetching], serve.result()
        spent = cpu_of(postgres.pid) - before
    return Spent(sum(one.cpu for one in fetched), frontier.cpu, spent)


def folders_of(directory: Path, fetchers: int) -> list[Path]:
    """What each fetcher calls its files by."""
    return [directory.with_name(f"{directory.name}-fetcher-{at}") for at in range(fetchers)]


def _serve(directory: Path, dsn: str, limit: float, pages: int) -> Usage:
    command = [sys.executable, "-m", "scrapy", "frontier", "serve", str(directory)]
    command += ["--exchange", dsn, "-L", "WARNING"]
    command += ["--pages", str(pages)] if pages else []
    log = directory.with_name(f"{directory.name}.log")
    return run(command, log, limit, SCRAPY_SETTINGS_MODULE="crawler.settings")


def _wait_for_tables(postgres: PrivatePostgres) -> None:
    from frontier.exchange import schema
    from frontier.exchange.connection import connect

    with connect(postgres.dsn(), "benchmark") as connection:
        schema.create(connection)
        ends = time.monotonic() + 60
        while connection.execute("SELECT FROM frontier.brain").fetchone() is None:
            if time.monotonic() > ends:
                raise BenchmarkError("scrapy frontier serve did not start within a minute")
            time.sleep(0.1)
