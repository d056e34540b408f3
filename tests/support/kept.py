"""A small site whose crawl is killed or starved, and what must hold of it afterwards."""

from __future__ import annotations

import functools
import json
import random
import shutil
import sqlite3
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from frontier.store import StoreReader
from tests.support.scrapy_forks import HERE, Forked, Forks, forking, settings
from tests.support.sites import Site, links, serving
from tests.support.states import states_of
from tests.support.stored import stored_urls

AT_ONCE = 4
"""Requests in flight at most: what one kill may have fetched again."""

AT_A_TIME = 2
"""Crawls that are disturbed side by side."""

TURNS = (1, 64)
"""Answers in a turn at most, from the first one on."""

Graph = dict[str, tuple[str, Sequence[str], Sequence[int]]]


def site_of(n_pages: int) -> dict[str, object]:
    """Pages of a tree with links across; all can be reached from page 0."""

    def page(number: int) -> str:
        near = (2 * number + 1, 2 * number + 2, number * 7 % n_pages)
        targets = [f"/{one}" for one in near if one < n_pages]
        chance = random.Random(number)
        words = " ".join(str(chance.randrange(10**6)) for _ in range(30))
        return links(*targets, text=f"page {number} {words}")

    return {f"/{number}": page(number) for number in range(n_pages)}


@functools.cache
def shim() -> Path:
    """Return the library of faults, compiled; skips where that cannot be."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or not Path("/proc/self/fd").is_dir():
        pytest.skip("faults are made by a library in C: that takes Linux and a C compiler")
    library = Path(tempfile.mkdtemp(prefix="faults-")) / "faults.so"
    command = [compiler, "-shared", "-fPIC", "-O1", "-o", library, HERE / "faults.c", "-ldl"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"the library of faults cannot be compiled here: {done.stderr[-200:]}")
    return library


@dataclass(frozen=True)
class Whole:
    """What a crawl that nothing disturbs leaves behind; `writes` are those of its files."""

    paths: frozenset[str]
    graph: Graph
    items: frozenset[str]
    writes: int


@dataclass
class Kept:
    """One crawl of a site of its own, by as many processes as it takes."""

    forks: Forks
    site: Site
    job: Path
    more: tuple[str, ...] = ()
    runs: int = 0

    @property
    def feed(self) -> Path:
        return self.job.with_suffix(".jsonl")

    @property
    def recording(self) -> Path:
        return self.job.with_suffix(".warc.gz")

    @property
    def log(self) -> str:
        """What the last run printed."""
        return self._log(self.runs).read_text()

    def _log(self, run: int) -> Path:
        return self.job.with_name(f"run{run}-of-{self.job.name}.log")

    def arguments(self) -> list[str]:
        """Return those of `scrapy`."""
        quick = settings(
            JOBDIR=self.job,
            # Which of many pages that look alike are refused depends on the order they come in.
            FRONTIER_TRAP_BUDGET=100_000,
            CONCURRENT_REQUESTS=AT_ONCE,
            CONCURRENT_REQUESTS_PER_DOMAIN=AT_ONCE,
            **{"frontier.config:CrawlConfig.rerank_min_pages": 2},
        )
        seeds = ["-a", f"seeds={self.site.url}/0", "-a", "strategy=ppr"]
        record = ["-s", f"WARC_FILE={self.recording}"]
        return ["crawl", "focused", *seeds, "-o", str(self.feed), *quick, *record, *self.more]

    def start(self, **environment: str) -> Forked:
        """Start a process that goes on with the crawl."""
        self.runs += 1
        return self.forks.start(self.arguments(), self._log(self.runs), **environment)

    def fault(self, kind: str, at: int, **more: str) -> int:
        """Run with a fault from the `at`-th write of the crawl's files on; return the exit code."""
        fault = {"FAULT_KIND": kind, "FAULT_PATH": str(self.job), "FAULT_AT": str(at)}
        return self.start(**fault, **more).wait()

    def finish(self) -> None:
        """Go on to the end; no run before may leave anything that disturbs it."""
        assert self.start().wait() == 0, self.log
        assert "Spider closed (finished)" in self.log, self.log
        for trouble in ("Traceback", " CRITICAL: ", " ERROR: "):
            assert trouble not in self.log, self.log

    def whole(self) -> Whole:
        """Crawl undisturbed and count the writes."""
        count = self.job.with_suffix(".writes")
        assert self.fault("count", 0, FAULT_COUNT=str(count)) == 0, self.log
        writes = int(count.read_text()) if count.exists() else 0
        return Whole(
            frozenset(self.site.paths), graph_of(self.job), frozenset(self.items()), writes
        )

    def check(self, whole: Whole, interruptions: int) -> None:
        """Everything is there as in a crawl that nothing disturbed."""
        assert set(self.site.paths) == whole.paths
        again = Counter(self.site.paths) - Counter(whole.paths)
        assert again.total() <= interruptions * AT_ONCE
        assert graph_of(self.job) == whole.graph
        assert frozenset(self.items()) == whole.items
        assert self.recorded() == whole.paths
        with closing(sqlite3.connect(self.job / "frontier.sqlite")) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            twice = "SELECT count(*) FROM urls GROUP BY fp HAVING count(*) > 1"
            assert connection.execute(twice).fetchall() == []
            assert connection.execute("SELECT count(*) FROM leases").fetchone() == (0,)

    def recorded(self) -> frozenset[str]:
        """Paths of the responses in the recording, every record of which is whole."""
        with self.recording.open("rb") as file:
            records = [
                _path(record.rec_headers.get_header("WARC-Target-URI"))
                for record in ArchiveIterator(file)
                if record.rec_type == "response" and record.content_stream().read()
            ]
        return frozenset(records)

    def items(self) -> list[str]:
        """Paths of the items in the feed, every line of which is one."""
        lines = self.feed.read_text().splitlines() if self.feed.exists() else []
        return [_path(json.loads(line)["url"]) for line in lines]


@contextmanager
def keeping(folder: Path, n_pages: int, *more: str, **environment: str) -> Iterator[Kept]:
    """Yield a crawl to disturb, of a site that nobody else asks."""
    folder.mkdir(parents=True, exist_ok=True)
    with serving(site_of(n_pages)) as site, forking(**environment) as forks:
        yield Kept(forks, site, folder / "job", more)


def anew(kept: Kept, name: str) -> Kept:
    """Return another crawl of the same site, which forgets what it was asked."""
    kept.site.asked.clear()
    return Kept(kept.forks, kept.site, kept.job.with_name(name), kept.more)


def in_turns_of(answers: int) -> list[str]:
    """Return options of `scrapy` for turns of so many answers."""
    return settings(
        **{
            "frontier.config:CrawlConfig.turn": answers,
            "frontier.config:CrawlConfig.turn_growth": 1000,
        }
    )


def in_two(work: Callable[[int], None]) -> None:
    """Do work 0 and 1 at the same time."""
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        list(pool.map(work, range(AT_A_TIME)))


def graph_of(job: Path) -> Graph:
    """State, out-links and their flags of every URL in a crawl, by path."""
    with StoreReader.open(job) as reader:
        path = {row.url_id: _path(row.url) for row in stored_urls(reader)}
        states = states_of(reader)
        graph = {}
        for number, name in path.items():
            row = reader.page_row(number)
            found = None if row is None else row.links
            targets = () if found is None else [path[one] for one in found.targets.tolist()]
            flags = () if found is None else found.flags.tolist()
            graph[name] = (states[number].name, targets, flags)
        return graph


def _path(url: str) -> str:
    return "/" + url.rpartition("/")[2]
