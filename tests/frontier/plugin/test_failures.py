"""A crawl whose file cannot be read any more stops at once, says why, and changes no state."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from frontier.store.schema import COLUMNS
from tests.support.kept import Kept, site_of
from tests.support.scrapy_forks import Forks, shared_forks
from tests.support.scrapy_runs import run_spider
from tests.support.sites import Site, serving

PAGES = 40
NAME = "frontier.sqlite"
SAID = ("SELECT id, url FROM urls", "SELECT seq, id, state FROM pages", "SELECT * FROM requests")
"""What the state of a URL follows from: a lease, which ends with its process, makes it queued."""


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    pages = site_of(PAGES)
    pages["/robots.txt"] = (200, {"Content-Type": "text/plain"}, b"User-agent: *\nAllow: /\n")
    with serving(pages) as found:
        yield found


@pytest.fixture(scope="module")
def forks() -> Forks:
    return shared_forks()


@pytest.fixture(scope="module")
def half(site: Site, forks: Forks, tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """A crawl with robots.txt, stopped when a third of it was done."""
    more = ("-s", "ROBOTSTXT_OBEY=1", "-s", "CLOSESPIDER_PAGECOUNT=12", "-a", "topic=page")
    kept = Kept(forks, site, tmp_path_factory.mktemp("half") / "job", more)
    assert kept.start().wait() == 0, kept.log
    return kept


def copy_of(half: Kept, job: Path) -> Kept:
    """Return a copy of a crawl, to be gone on with to its end."""
    shutil.copytree(half.job, job)
    return Kept(half.forks, half.site, job, ("-s", "ROBOTSTXT_OBEY=1", "-a", "topic=page"))


def said(job: Path) -> list[object]:
    """What the file says of every URL, as far as it can be read."""
    found: list[object] = []
    with closing(sqlite3.connect(f"file:{job / NAME}?mode=ro", uri=True)) as connection:
        for statement in SAID:
            try:
                found.append(connection.execute(statement).fetchall())
            except sqlite3.DatabaseError as error:
                found.append(str(error))
    return found


def execute(job: Path, *statements: str) -> None:
    with closing(sqlite3.connect(job / NAME)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def junk_in(job: Path, table: str) -> None:
    """Overwrite the pages of a table, and of the index of its keys."""
    path = job / NAME
    with closing(sqlite3.connect(path)) as connection:
        query = "SELECT rootpage FROM sqlite_master WHERE tbl_name = ?"
        roots = [row[0] for row in connection.execute(query, (table,))]
        size = connection.execute("PRAGMA page_size").fetchone()[0]
    data = bytearray(path.read_bytes())
    for root in roots:
        data[(root - 1) * size : root * size] = b"\xa5" * size
    path.write_bytes(data)


def stopped_in_order(kept: Kept) -> None:
    """One message that says what to do, an exit code, and nothing that looks like a crash."""
    log = kept.log
    assert log.count(" CRITICAL: ") == 1, log
    assert "Traceback" not in log, log
    assert " ERROR: " not in log, log
    assert "Unhandled" not in log, log
    message = next(line for line in log.splitlines() if " CRITICAL: " in line)
    assert str(kept.job) in message
    assert "--salvage" in message


def goes_on_or_stops_in_order(kept: Kept) -> None:
    """The crawl ends as a healthy one, or with one message and every state as it was."""
    before = said(kept.job)
    ended = kept.start().wait()
    if ended == 0:
        assert "Spider closed (finished)" in kept.log, kept.log
        assert "Traceback" not in kept.log, kept.log
        return
    assert ended == 1
    stopped_in_order(kept)
    assert said(kept.job) == before


@pytest.mark.parametrize("table", sorted(COLUMNS))
def test_a_table_of_junk_stops_the_crawl_or_does_no_harm(
    half: Kept, tmp_path: Path, table: str
) -> None:
    kept = copy_of(half, tmp_path / "job")
    junk_in(kept.job, table)
    goes_on_or_stops_in_order(kept)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE robots SET fetched = 'noon'",
        "UPDATE urls SET url = x'00'",
        "INSERT INTO attempts SELECT id, 'often' FROM urls",
        "INSERT INTO politeness VALUES ('127.0.0.1', 'noon', 'long', NULL)",
        "REPLACE INTO samples VALUES (1, 'little', x'789c030000000001')",
        "UPDATE crawl SET value = '{' WHERE key = 'identity'",
        "UPDATE arrays SET data = x'00'",
        "DELETE FROM arrays WHERE name LIKE 'scores:%' AND name NOT LIKE '%pages_seen'",
        "INSERT INTO leases VALUES (1, 'x', 'y', 1.0, 1, 0.5, NULL, NULL, NULL)",
        "UPDATE pages SET title = x'00', final_url = 7",
    ],
)
def test_values_that_do_not_belong_there_are_damage_and_change_no_state(
    half: Kept, tmp_path: Path, statement: str
) -> None:
    kept = copy_of(half, tmp_path / "job")
    execute(kept.job, statement)
    goes_on_or_stops_in_order(kept)


def test_damage_that_is_met_later_stops_the_crawl_all_the_same(half: Kept, tmp_path: Path) -> None:
    # Which pages were fetched by then is a matter of moments; the file has those as they are.
    kept = copy_of(half, tmp_path / "job")
    execute(kept.job, "UPDATE urls SET url = x'00' WHERE id > 20")
    _, before, _ = said(kept.job)
    assert kept.start().wait() == 1
    stopped_in_order(kept)
    _, after, _ = said(kept.job)
    assert isinstance(before, list)
    assert isinstance(after, list)
    assert after[: len(before)] == before


GUEST = """
import scrapy

class Guest(scrapy.Spider):
    name = "guest"

    async def start(self):
        for number in range(20):
            yield scrapy.Request({url!r} + f"/{{number}}", errback=self.failed)

    def parse(self, response):
        yield {{"url": response.url}}

    def failed(self, failure):
        yield {{"failed": repr(failure.value)}}
"""


def test_no_errback_of_a_project_hears_of_a_failure_of_the_store(
    site: Site, tmp_path: Path
) -> None:
    """For the URL is not answered: it is fetched when the crawl can go on."""
    job = tmp_path / "job"
    everything = f"JOBDIR={job}", "ROBOTSTXT_OBEY=1"
    code = GUEST.format(url=site.url)
    run_spider(tmp_path, code, *everything, "CLOSESPIDER_PAGECOUNT=5")
    junk_in(job, "robots")
    before = said(job)
    run = run_spider(tmp_path, code, *everything)
    assert run.returncode == 1
    assert run.items == []
    assert run.stats["finish_reason"] == "storage_failed"
    assert run.log.count(" CRITICAL: ") == 1, run.log
    for sign in ("Traceback", " ERROR: ", "Unhandled"):
        assert sign not in run.log, run.log
    assert said(job) == before
