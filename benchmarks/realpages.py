"""CPU of the focused crawl on recorded pages, beside Scrapy's `CrawlSpider` and `LinkExtractor`."""

from __future__ import annotations

import shutil
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.children import ROOT, AbsentError, BenchmarkError, serving
from benchmarks.crawls import LINKED, OURS, crawl, items_of
from benchmarks.report import AT_MOST, Figure

NOTE = (
    "The peer is a CrawlSpider that follows all links of a LinkExtractor, with JOBDIR and all "
    "settings of the project but the add-on; it reads no text. A proxy serves a recorded web: all "
    "of it, of which each crawl takes its own first pages, or only the large ones, which both take "
    "all. What the start and the end of a process take is measured by a crawl of nothing and taken "
    "off."
)
WEB = ROOT.parent / "shared/webs/docs.warc.gz"
_LARGE = "--least=100000", "--most=200000"
_SECONDS_A_PAGE = 0.3
_SHARE = 0.4
"""The peer takes two and a half times as much."""
_NOTHING = "http://nowhere.example/"
_ALIKE = 0.95
"""Of the pages that one crawl yields, the other must yield as many: page rules differ a little."""


def measure(recording: Path, pages: int, rounds: int) -> list[Figure]:
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
    limit = 60 + pages * _SECONDS_A_PAGE
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
