"""A crawl and its follower, real processes that are killed: the index is never wrong."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from frontier.follow.events import event_id
from tests.support.bulk_server import BulkServer, bulk_server
from tests.support.followed import replayed
from tests.support.scrapy_forks import Forked, shared_forks
from tests.support.scrapy_runs import ROOT

LOTS = random.Random(7)


class Pair:
    """A crawl that writes, and a follower that hands it on, both started again when they end."""

    def __init__(self, folder: Path, address: str, answers: int, pages: int) -> None:
        self.job, self._output = folder / "job", folder / "out"
        self._address, self._answers, self._pages = address, str(answers), str(pages)
        self.crawl = self._crawl()
        while not (self.job / "frontier.sqlite").exists():
            assert self.crawl.poll() is None
            time.sleep(0.01)
        self.follower: Forked | None = self._follower("--forever")

    def _crawl(self) -> subprocess.Popen[bytes]:
        program = ("-m", "tests.support.follow_writer", str(self.job), self._answers, self._pages)
        return subprocess.Popen([sys.executable, *program], cwd=ROOT)

    def _follower(self, *more: str) -> Forked:
        arguments = ("frontier", "follow", str(self.job), "--to", self._address, *more)
        return shared_forks().start(arguments, self._output)

    def kill_follower(self) -> None:
        self.stop_follower()
        self.follower = self._follower("--forever")

    def stop_follower(self) -> None:
        if self.follower is not None:
            self.follower.kill()
        self.follower = None

    def kill_crawl(self) -> None:
        self.crawl.kill()
        self.crawl.wait(60)
        self.crawl = self._crawl()

    def end(self) -> None:
        """Let the crawl come to its end, and the follower to the crawl's."""
        assert self.crawl.wait(600) == 0
        self.stop_follower()
        assert self._follower().wait(600) == 0, self._output.read_text()

    def close(self) -> None:
        self.crawl.kill()
        self.crawl.wait(60)
        self.stop_follower()


@contextmanager
def running(folder: Path, address: str, answers: int, pages: int) -> Iterator[Pair]:
    pair = Pair(folder, address, answers, pages)
    try:
        yield pair
    finally:
        pair.close()


def check(server: BulkServer, job: Path) -> None:
    """The index holds what the crawl does, row by row, and never held an older event."""
    assert server.resurrected == []
    known = {
        url: (page["id"], page["title"], page["content_hash"]) for url, page in server.pages.items()
    }
    assert known == {
        url: (event_id(url), title, content_hash)
        for url, (title, content_hash) in replayed(job).items()
    }


def run(folder: Path, answers: int, pages: int, kills: int, pause: float) -> None:
    with (
        bulk_server(takes=5.0, busy=0.02, trouble=0.1) as (server, address),
        running(folder, address, answers, pages) as pair,
    ):
        for kill in range(kills):
            time.sleep(LOTS.uniform(0, pause))
            pair.kill_crawl() if kill % 3 == 2 else pair.kill_follower()
        pair.end()
        check(server, pair.job)


@pytest.mark.timeout(200)
def test_nothing_is_missing_or_resurrected_whichever_side_is_killed(tmp_path: Path) -> None:
    run(tmp_path, answers=8000, pages=400, kills=9, pause=0.5)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_million_answers_and_a_hundred_kills(tmp_path: Path) -> None:
    run(tmp_path, answers=1_000_000, pages=50_000, kills=100, pause=1.5)
