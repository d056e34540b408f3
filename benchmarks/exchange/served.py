"""One crawl with several fetchers, beside the embedded one: same pages, same cores."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchmarks.children import BenchmarkError, serving
from benchmarks.crawls import OURS, crawl, items_of
from benchmarks.exchange.together import crawl_together, folders_of
from benchmarks.report import AT_LEAST, AT_MOST, Figure

if TYPE_CHECKING:
    from collections.abc import Sequence

NOTE = (
    "The focused crawl of the generated web on 256 hosts, each process with 16 requests at once, "
    "no delay, robots.txt obeyed. Pages/s from the first page to the last. The frontier, "
    "PostgreSQL, all fetchers and the web share the cores; PostgreSQL writes nothing through to "
    "the disk (fsync=off). What the start and the end of the processes take is measured by a crawl "
    "of nothing with as many of them, and taken off the CPU."
)
_SECONDS_A_PAGE = 0.1
_ENOUGH_CORES = 4
_TWO = 2
_NOTHING = "http://nowhere.test/"


@dataclass(frozen=True)
class Served:
    """Pages a second, and milliseconds of CPU a page by who took them."""

    speed: float
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
        serving("benchmarks.exchange.hosts", ["--pages", str(pages)]) as told,
    ):
        proxy, seed = told.split()
        embedded, cpu = _embedded(proxy, seed, Path(temporary) / "embedded", pages)
        found = {
            n: _served(proxy, seed, Path(temporary) / f"served-{n}", pages, n, settings)
            for n in fetchers
        }
    figures = [Figure("embedded", "pages/s", embedded), Figure("embedded, CPU", "ms/page", cpu)]
    for n, one in found.items():
        figures += _figures(n, one, embedded, cpu)
    return figures


def _figures(n: int, one: Served, embedded: float, cpu: float) -> list[Figure]:
    what = f"{n} fetcher{'s' * (n > 1)}"
    promised = (AT_LEAST, 1.5) if n == _TWO else ("", None)
    return [
        Figure(what, "pages/s", one.speed, embedded, *promised),
        Figure(f"{what}, CPU of fetchers", "ms/page", one.fetchers, cpu),
        Figure(f"{what}, CPU of the frontier", "ms/page", one.frontier),
        Figure(f"{what}, CPU of PostgreSQL", "ms/page", one.postgres),
        Figure(f"{what}, both", "ms/page", one.of_order, None, AT_MOST, 1.2, on_ratio=False),
        Figure(f"{what}, 4 cores at most", "pages/s", one.speed_with(_ENOUGH_CORES), embedded),
    ]


def _embedded(proxy: str, seed: str, directory: Path, pages: int) -> tuple[float, float]:
    """Pages a second, and CPU a page."""
    limit = _limit(pages)
    idle, used = (
        crawl(OURS, seeds, folder, limit, http_proxy=proxy, no_proxy="").cpu
        for seeds, folder in ((_NOTHING, _idle(directory)), (seed, directory))
    )
    _check([items_of(directory)], pages)
    return _speed(directory), 1000 * (used - idle) / pages


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
    return Served(_speed(directory), *a_page)


def _idle(directory: Path) -> Path:
    """Where the crawl of nothing goes, beside the other one."""
    return directory.with_name(f"{directory.name}-nothing")


def _speed(directory: Path) -> float:
    with closing(sqlite3.connect(directory / "frontier.sqlite")) as store:
        counts = "SELECT count(*), min(fetched), max(fetched) FROM pages"
        count, first, last = store.execute(counts).fetchone()
    return float((count - 1) / (last - first))


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
