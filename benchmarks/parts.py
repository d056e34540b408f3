"""Parts of a crawl alone, and large crawls, which would take hours to make.

reading   a large page, beside lxml and Scrapy's `LinkExtractor` on the same bytes in one run
ordering  what the ordering side costs a page, in turns of many answers and of few
large     the memory of a large crawl, and how long until one that is resumed asks for a page
"""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks import web
from benchmarks.children import AbsentError, BenchmarkError, run_module, serving
from benchmarks.crawls import OURS, PLAIN, crawl
from benchmarks.report import AT_MOST, Figure

_TIMEOUT = 3600.0
READING_NOTE = (
    "From bytes to text, links, words and canonical links, parsing included: the mean of the "
    "recorded pages nearest to the size, each the best of its rounds, all readers in turns."
)
_PEERS = {
    "parse": ("lxml parses", None),
    "lxml": ("lxml takes links and text", 1.2),
    "extractor": ("Scrapy's LinkExtractor", None),
}
"""The most that we may take of what a peer takes."""


def reading(recording: Path, size: int, rounds: int) -> list[Figure]:
    """Read pages of about `size` bytes. Raises AbsentError without the recording."""
    if not recording.exists():
        raise AbsentError(f"no recorded web {recording}")
    arguments = [str(recording), "--size", str(size), "--rounds", str(rounds)]
    with TemporaryDirectory(prefix="benchmark-") as temporary:
        took = run_module("benchmarks.readers", arguments, Path(temporary) / "log", _TIMEOUT)
    what, ours = f"reading {took['size'] / 1000:.0f} kB", took["ours"]
    return [
        Figure(f"{what}; {said}", "ms", ours, took[one], AT_MOST, most)
        for one, (said, most) in _PEERS.items()
    ]


ORDERING_NOTE = (
    "CPU of the default order with a topic, from an answer that has been read and judged to the "
    "lease of the next, commits and re-ranks included; 50 links a page, 25 of them new. No "
    "Scrapy, no network."
)
_PROMISES = {64: 0.8, 4: 2.0}


def ordering(urls: int, pages: int) -> list[Figure]:
    """Fill a frontier to `urls` known URLs, then answer `pages` pages, for each length of turn."""
    figures = []
    for turn, most in _PROMISES.items():
        with TemporaryDirectory(prefix="benchmark-") as temporary:
            arguments = ["--urls", str(urls), "--pages", str(pages), "--turn", str(turn)]
            arguments += ["--directory", str(Path(temporary) / "job")]
            log = Path(temporary) / "log"
            spent = run_module("benchmarks.frontiers", arguments, log, _TIMEOUT)
        what = f"ordering at {urls:,} URLs, turns of {turn}"
        figures += [
            Figure(what, "ms/page", spent["all"], None, AT_MOST, most, on_ratio=False),
            Figure(f"{what}, re-ranks' part", "ms/page", spent["reranks"]),
        ]
    return figures


LARGE_NOTE = (
    "Crawls with a topic are written straight into their store, 20 links a page, a tenth of the "
    "URLs fetched. Memory is what is resident once such a crawl goes on: that of a page is the "
    "difference to half as many pages, that of a URL the difference to a small crawl without the "
    "pages'; what is bounded, such as pages held against duplicates, counts for the URLs. Resume "
    "is from the start of a process to its first page request, robots.txt before it; the peer "
    "starts a new crawl of plain Scrapy with an empty JOBDIR."
)
_SMALL = 1000
_FETCHED = 10
"""One URL of so many."""


def large(memory_urls: int, resume_urls: int, rounds: int) -> list[Figure]:
    """Memory at `memory_urls` known URLs, and `rounds` resumes at `resume_urls`, medians.

    Raises BenchmarkError where `resume_urls` is less: it is the same crawl, grown.
    """
    if not _SMALL < memory_urls <= resume_urls:
        raise BenchmarkError(f"{_SMALL} < {memory_urls} <= {resume_urls} URLs does not hold")
    with (
        TemporaryDirectory(prefix="benchmark-") as temporary,
        serving("benchmarks.web", ["--pages", "100"]) as address,
    ):
        job = _Job(Path(temporary), address)
        memory = _memory(job, memory_urls)
        job.grow(resume_urls, resume_urls // _FETCHED)
        seconds: dict[str, list[float]] = {PLAIN: [], OURS: []}
        for number in range(rounds):
            for which, of_it in seconds.items():
                new = Path(temporary) / f"{PLAIN}-{number}"
                of_it.append(
                    _first_request(which, address, job.directory if which == OURS else new)
                )
    both = median(seconds[OURS]), median(seconds[PLAIN])
    what = f"resume at {resume_urls:,} URLs"
    return [*memory, Figure(what, "s", *both, AT_MOST, 40.0, on_ratio=False)]


class _Job:
    """A crawl on disk whose URLs are served at `address`."""

    def __init__(self, folder: Path, address: str) -> None:
        self.directory = folder / "job"
        self._folder = folder
        self._address = address

    def grow(self, urls: int, pages: int) -> None:
        self._run("grow", self.directory, "--urls", str(urls), "--pages", str(pages))

    def resident(self) -> float:
        """Bytes of a process that goes on with a copy."""
        copy = self._folder / "copy"
        shutil.copytree(self.directory, copy)
        found: float = self._run("measure", copy)["bytes"]
        shutil.rmtree(copy)
        return found

    def _run(self, what: str, directory: Path, *options: str) -> dict[str, float]:
        arguments = [what, "--directory", str(directory), "--address", self._address, *options]
        return run_module("benchmarks.stored", arguments, self._folder / "log", _TIMEOUT)


def _memory(job: _Job, urls: int) -> list[Figure]:
    pages = urls // _FETCHED
    held = []
    for size, fetched in ((_SMALL, _SMALL // _FETCHED), (urls, pages // 2), (urls, pages)):
        job.grow(size, fetched)
        held.append(job.resident())
    small, half, whole = held
    a_page = (whole - half) / (pages - pages // 2)
    a_url = (whole - small - a_page * (pages - _SMALL // _FETCHED)) / (urls - _SMALL)
    where = f"at {urls:,} URLs"
    return [
        Figure(f"memory of a known URL {where}", "B", a_url, None, AT_MOST, 110, on_ratio=False),
        Figure(
            f"memory of a fetched page {where}", "B", a_page, None, AT_MOST, 200, on_ratio=False
        ),
        Figure(f"memory {where}", "MiB", whole / 2**20),
    ]


def _first_request(which: str, address: str, directory: Path) -> float:
    web.first_request(address)
    began = time.time()
    seed = f"{address}{web.page_path(0)}"
    crawl(which, seed, directory, _TIMEOUT, "-s", "CLOSESPIDER_PAGECOUNT=1")
    first = web.first_request(address)
    if first < began:
        raise BenchmarkError(f"{directory.name} asked for no page")
    return first - began
