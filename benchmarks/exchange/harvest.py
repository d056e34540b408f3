"""What several fetchers cost the order: harvest beside the embedded crawl, equally concurrent.

What fetchers were offered cannot be repriced, so a served crawl orders by what was known a little
earlier. How much that costs is measured on a recorded web with labels; see `scored`.
"""

from __future__ import annotations

import math
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchmarks.children import serving
from benchmarks.crawls import OURS, crawl
from benchmarks.exchange.together import crawl_together
from benchmarks.report import AT_LEAST, Figure

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.exchange.scored import ScoredWeb
    from frontier.lab.replay.records import Task
    from frontier.lab.report.metrics import Trace

FETCHERS = 4
AT_ONCE = 16
"""Requests of all processes of a crawl."""
LATENCY = 200
NOTE = (
    f"The focused crawl of recorded webs, whose pages are scattered over 64 domains, by topics of "
    f"their labels: embedded with {AT_ONCE} requests at once, twice, and with {FETCHERS} fetchers "
    f"of {AT_ONCE // FETCHERS}. Each answer takes {LATENCY} ms, no delay between requests. nAUC is "
    "that of the lab, over the requests in the order in which the server got them. The two "
    "embedded crawls of a topic differ by timing alone; their mean is what the served one is "
    "compared with."
)
WORST = -0.02
_MORE = 32
"""Pages that are fetched beyond those that count: how a crawl ends is not what is measured."""
_SECONDS_A_PAGE = 0.3
_AS_FAST_AS_IT_GOES = {
    "CONCURRENT_REQUESTS_PER_DOMAIN": AT_ONCE,
    "FRONTIER_DOMAIN_CONCURRENCY": AT_ONCE,
    "FRONTIER_RANDOM_SEED": 0,
}


@dataclass(frozen=True)
class Worth:
    """What came of one crawl: nAUC, and requests a second."""

    nauc: float
    speed: float


@dataclass(frozen=True)
class Compared:
    """A topic, crawled embedded twice and served once."""

    topic: str
    embedded: Worth
    again: Worth
    served: Worth

    @property
    def usual(self) -> float:
        """Of an embedded crawl, nAUC."""
        return fmean((self.embedded.nauc, self.again.nauc))

    @property
    def difference(self) -> float:
        """How much better the served crawl was."""
        return self.served.nauc - self.usual


def measure(
    webs: Path, names: Sequence[str], pages: int, topics: int, settings: Sequence[str]
) -> list[Figure]:
    """Crawl for so many topics of each web; `settings` are those of the served crawls.

    Raises AbsentError without the recorded webs, and BenchmarkError.
    """
    from benchmarks.exchange.scored import WEBS, ScoredWeb

    found = []
    for name in names:
        with (
            ScoredWeb(WEBS[name], webs, pages, topics) as web,
            TemporaryDirectory(prefix="benchmark-") as temporary,
            crawling(web, Path(temporary), pages) as crawls,
        ):
            found += [_compared(crawls, task, settings) for task in web.tasks]
    return figures(found)


def _compared(crawls: Crawls, task: Task, settings: Sequence[str]) -> Compared:
    """Crawl for one topic."""
    oracle = crawls.web.oracle(task)
    one = Compared(
        task.topic,
        crawls.embedded(task, oracle),
        crawls.embedded(task, oracle),
        crawls.served(task, oracle, settings),
    )
    told = (one.embedded.nauc, one.again.nauc, one.served.nauc, one.difference)
    said = "embedded {:.3f} and {:.3f}, served {:.3f}: {:+.3f}".format(*told)
    print(f"{one.topic}: {said}", file=sys.stderr, flush=True)
    return one


@contextmanager
def crawling(web: ScoredWeb, folder: Path, pages: int) -> Iterator[Crawls]:
    """Serve a web, scattered, for crawls of so many pages that count."""
    log = folder / "requests.jsonl"
    told = [str(web.recording), f"--latency={LATENCY}", f"--log={log}"]
    with serving("benchmarks.exchange.scattered", told) as proxy:
        yield Crawls(web, proxy, log, pages)


class Crawls:
    """Crawls of a web that is served; each is scored by what it added to the server's log."""

    def __init__(self, web: ScoredWeb, proxy: str, log: Path, pages: int) -> None:
        self.web = web
        self._proxy = proxy
        self._log = log
        self._pages = pages
        self._read = 0
        self._limit = 120 + pages * _SECONDS_A_PAGE

    def embedded(self, task: Task, oracle: Trace) -> Worth:
        """One process."""
        directory, seeds = self._directory(), ",".join(self.web.seeds(task))
        options = *_options(task, AT_ONCE), "-s", f"CLOSESPIDER_PAGECOUNT={self._pages + _MORE}"
        crawl(OURS, seeds, directory, self._limit, *options, http_proxy=self._proxy, no_proxy="")
        return self._worth(task, oracle)

    def served(self, task: Task, oracle: Trace, settings: Sequence[str]) -> Worth:
        """Several fetchers."""
        directory, seeds = self._directory(), ",".join(self.web.seeds(task))
        options = _options(task, AT_ONCE // FETCHERS, *settings)
        pages = self._pages + _MORE
        crawl_together(self._proxy, seeds, directory, self._limit, FETCHERS, *options, pages=pages)
        return self._worth(task, oracle)

    def _directory(self) -> Path:
        return self._log.with_name(f"crawl-{self._read}")

    def _worth(self, task: Task, oracle: Trace) -> Worth:
        from benchmarks.exchange.scored import read_log, speed

        entries, self._read = read_log(self._log, self._read)
        return Worth(self.web.nauc(task, oracle, entries), speed(entries, self._pages))


def _options(task: Task, at_once: int, *settings: str) -> list[str]:
    """Of each process of a crawl."""
    fast = {"CONCURRENT_REQUESTS": at_once, **_AS_FAST_AS_IT_GOES}
    told = [*(f"{name}={value}" for name, value in fast.items()), *settings]
    return ["-a", f"topic={task.topic_words}", *(part for one in told for part in ("-s", one))]


def figures(found: Sequence[Compared]) -> list[Figure]:
    """Means over the topics, and how sure they are."""
    usual, differences = [one.usual for one in found], [one.difference for one in found]
    served = fmean(one.served.nauc for one in found)
    slow = fmean((*(one.embedded.speed for one in found), *(one.again.speed for one in found)))
    what = f"harvest, {FETCHERS} fetchers"
    return [
        Figure("harvest, embedded", "nAUC", fmean(usual)),
        Figure("harvest, two embedded crawls, difference by timing", "nAUC", by_timing(found)),
        Figure(what, "nAUC", served, fmean(usual)),
        Figure(
            f"{what}, more than embedded",
            "nAUC",
            fmean(differences),
            None,
            AT_LEAST,
            WORST,
            on_ratio=False,
        ),
        Figure(f"{what}, standard error of that", "nAUC", standard_error(differences)),
        Figure(what, "requests/s", fmean(one.served.speed for one in found), slow),
    ]


def standard_error(values: Sequence[float]) -> float:
    """Of their mean; not a number for fewer than two."""
    return stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan


def by_timing(found: Sequence[Compared]) -> float:
    """Root mean square of how much two embedded crawls for one topic differ."""
    return math.sqrt(fmean((one.embedded.nauc - one.again.nauc) ** 2 for one in found))
