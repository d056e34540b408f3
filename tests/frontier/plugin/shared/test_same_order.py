"""One fetcher with one request at a time fetches what an embedded crawl does, in the same order."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from crawler import demonstration
from crawler.demonstration import QUICK, demonstration_web
from crawler.process import Process

PAGES, COMPARED = 120, 100
"""Pages that are read; of some there is no item, and either crawl may end one page later."""
ONE_AT_A_TIME = (
    *QUICK,
    "CONCURRENT_REQUESTS=1",
    "FRONTIER_WAIT_FOR_BEST=0",
    "FRONTIER_PROGRESS=False",
)
SECONDS = 120.0


@pytest.fixture(autouse=True)
def quick_web(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demonstration, "LATENCY", "0")


@contextmanager
def process(name: str, arguments: Sequence[str], folder: Path, **more: str) -> Iterator[Process]:
    started = Process(name, arguments, folder / f"{name}.log", more)
    try:
        yield started
    finally:
        started.kill()


def ended(one: Process) -> None:
    """Wait until a process has ended well."""
    ends = time.monotonic() + SECONDS
    while one.running and time.monotonic() < ends:
        time.sleep(0.05)
    assert one.code == 0, one.log.read_text()[-3000:]


def fetch(name: str, folder: Path, *settings: str) -> list[str]:
    """Crawl a demonstration web of its own: it answers some URLs otherwise for a second time."""
    items = folder / f"{name}.jsonl"
    with demonstration_web() as web:
        arguments = ["crawl", "focused", "-a", f"seeds={web.seeds}", "-a", f"topic={web.topic}"]
        for one in (*ONE_AT_A_TIME, *settings):
            arguments += ["-s", one]
        arguments += ["-o", f"{items}:jsonlines"]
        with process(name, arguments, folder, **web.environment) as crawl:
            ended(crawl)
    return [json.loads(line)["url"] for line in items.read_text().splitlines()]


def wait_for_tables(dsn: str, serve: Process) -> None:
    from frontier.exchange.connection import connect

    made = "SELECT FROM pg_tables WHERE tablename = 'coordinator'"
    ends = time.monotonic() + SECONDS
    with connect(dsn, "test") as connection:
        while connection.execute(made).fetchone() is None:
            assert serve.running, serve.log.read_text()[-3000:]
            assert time.monotonic() < ends
            time.sleep(0.05)


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_one_fetcher_that_is_offered_one_url_at_a_time_keeps_the_order_of_an_embedded_crawl(
    tmp_path: Path, dsn: str
) -> None:
    embedded = fetch(
        "embedded", tmp_path, f"JOBDIR={tmp_path / 'own'}", f"CLOSESPIDER_PAGECOUNT={PAGES}"
    )

    arguments = ["frontier", "serve", str(tmp_path / "served"), "--exchange", dsn]
    with process("serve", [*arguments, "--pages", str(PAGES)], tmp_path, **os.environ) as serve:
        wait_for_tables(dsn, serve)
        one_url = "FRONTIER_MAX_IN_FLIGHT=1"  # and a hundredth of the pages, that is one as well
        shared = fetch("fetcher", tmp_path, f"FRONTIER_EXCHANGE={dsn}", one_url)
        ended(serve)

    assert len(embedded) >= COMPARED
    assert shared[:COMPARED] == embedded[:COMPARED]
