"""What `make crawl-shared` starts ends: by itself, with Ctrl-C, and when it is killed.

A stand-in for `scrapy` plays the frontier and its fetchers, on a real PostgreSQL.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from crawler.private_postgres import versions
from crawler.shared import KILLED_AFTER
from tests.support.told import tells

pytestmark = pytest.mark.skipif(not versions(), reason="no PostgreSQL on this machine")

ROOT = Path(__file__).resolve().parents[2]
STAND_IN = """
import os, sys, time
from pathlib import Path
import psycopg

here, told = Path(os.environ["STAND_IN"]), sys.argv[1:]
(here / f"{os.getpid()}.pid").touch()

def after(word):
    return next(one for at, one in enumerate(told) if told[at - 1] == word)

def serve():
    directory, dsn, pages = Path(told[2]), after("--exchange"), int(after("--pages"))
    (here / "dsn").write_text(dsn)
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("CREATE TABLE coordinator AS SELECT false AS finished")
        fetched = lambda: sum(len(one.read_bytes().split()) for one in directory.glob("*.jsonl"))
        while fetched() < pages:
            time.sleep(0.02)
        connection.execute("UPDATE coordinator SET finished = true")
        others = "SELECT FROM pg_stat_activity WHERE application_name = 'fetcher'"
        while connection.execute(others).fetchone():
            time.sleep(0.02)
    print("The summary:", pages, "pages or more", flush=True)
    if os.environ.get("FAILS") == "to end":
        time.sleep(600)

def fetch():
    items = Path(after("-o").partition(":")[0])
    if items.name == os.environ.get("FAILS"):
        sys.exit("2026 [scrapy] CRITICAL: cannot fetch anything")
    dsn = next(one for one in told if one.startswith("FRONTIER_EXCHANGE=")).partition("=")[2]
    with psycopg.connect(dsn, autocommit=True, application_name="fetcher") as connection:
        while not connection.execute("SELECT finished FROM coordinator").fetchone()[0]:
            with items.open("a") as file:
                file.write("{}\\n")
            time.sleep(0.02)

try:
    if told[0] == "web":
        print("Serving a web on http://127.0.0.1:9", flush=True)
        time.sleep(600)
    elif os.environ.get("FAILS") == told[1]:
        sys.exit("2026 [scrapy] CRITICAL: cannot serve anything")
    else:
        serve() if told[1] == "serve" else fetch()
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


class Place(NamedTuple):
    folder: Path
    job: Path

    def start(self, pages: int, **environment: str) -> subprocess.Popen[str]:
        (self.folder / "scrapy.py").write_text(STAND_IN)
        given = {"PYTHONPATH": str(self.folder), "STAND_IN": str(self.folder)}
        return subprocess.Popen(
            [sys.executable, "-m", "crawler.shared", "--dir", self.job, "--pages", str(pages)],
            cwd=ROOT,
            env=os.environ | given | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def is_at_work(self) -> bool:
        """Whether all three fetchers have fetched something."""
        return len([one for one in self.job.glob("pages-*.jsonl") if one.stat().st_size]) == 3

    def is_left(self) -> bool:
        """Whether nothing runs any more, and the server's directory is gone."""
        pids = [int(path.stem) for path in self.folder.glob("*.pid")]
        assert pids
        server = [path.read_text() for path in self.folder.glob("dsn")]
        folders = [Path(dsn.partition("host=")[2].partition("&")[0]) for dsn in server]
        return not any(map(runs, pids)) and not any(folder.exists() for folder in folders)


def runs(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_for(fact: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not fact() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert fact()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path, tmp_path / "job")


def test_a_crawl_survives_the_fetcher_that_is_killed_and_leaves_nothing(place: Place) -> None:
    with place.start(pages=400) as crawl:
        out, _ = crawl.communicate(timeout=100)
    assert crawl.returncode == 0, out
    (killed,) = re.findall(r"fetcher-(\d) is killed \(SIGKILL\)", out)
    assert "The summary: 400 pages" in out
    counts = [(place.job / f"pages-{at}.jsonl").read_text().count("\n") for at in (1, 2, 3)]
    assert counts[int(killed) - 1] >= KILLED_AFTER
    assert sum(counts) >= 400
    assert tells(out, *(f"fetcher-{at}: {count}" for at, count in enumerate(counts, 1)))
    assert place.is_left()


@pytest.mark.slow
def test_ctrl_c_ends_all_in_order(place: Place) -> None:
    with place.start(pages=10**6) as crawl:
        wait_for(place.is_at_work)
        os.killpg(crawl.pid, signal.SIGINT)
        out, _ = crawl.communicate(timeout=100)
    assert crawl.returncode == 0, out
    assert "interrupted" in out
    logs = [(place.job / f"fetcher-{at}.log").read_text() for at in (1, 2, 3)]
    assert "interrupted" in "".join(logs), logs  # one may be in the middle of something
    assert "Traceback" not in out
    assert place.is_left()


@pytest.mark.slow
def test_what_it_started_ends_when_it_is_killed(place: Place) -> None:
    with place.start(pages=10**6) as crawl:
        wait_for(place.is_at_work)
        crawl.kill()
    wait_for(place.is_left)
