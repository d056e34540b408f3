"""A crawl whose file cannot be read any more stops at once, says why, and changes no state."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from scrapy import version_info

from frontier.store.schema import COLUMNS
from tests.support.kept import Kept, keeping, shim, site_of
from tests.support.scrapy_forks import Forks, forking
from tests.support.scrapy_runs import QUICK, ROOT, run_spider
from tests.support.sites import Asked, Page, Site, serving

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
def forks() -> Iterator[Forks]:
    with forking() as found:
        yield found


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
        "UPDATE robots SET body = 'text'",
        "UPDATE urls SET url = x'00'",
        "UPDATE urls SET depth = 'deep'",
        "INSERT INTO attempts SELECT id, 'often' FROM urls",
        "INSERT INTO attempts VALUES (100000, 1)",
        "INSERT INTO politeness VALUES ('127.0.0.1', 'noon', 'long', NULL)",
        "INSERT INTO refusals VALUES ('too deep', '127.0.0.1', 'many', 7)",
        "REPLACE INTO samples VALUES (1, 0.5, x'00')",
        "REPLACE INTO samples VALUES (1, 'little', x'789c030000000001')",
        "REPLACE INTO signatures VALUES (1, 'text')",
        "UPDATE crawl SET value = '{' WHERE key = 'identity'",
        "UPDATE crawl SET value = '7'",
        "UPDATE arrays SET data = x'00'",
        "DELETE FROM arrays WHERE name LIKE 'scores:%' AND name NOT LIKE '%pages_seen'",
        "UPDATE arrays SET epoch = 'x'",
        "INSERT INTO leases VALUES (1, 'x', 'y', 1.0, 1, 0.5, NULL, NULL, NULL)",
        "INSERT INTO leases VALUES (100000, NULL, 9, 1.0, 1, 0.5, NULL, NULL, NULL)",
        "UPDATE pages SET title = x'00', final_url = 7",
        "UPDATE pages SET features = x'00'",
        "UPDATE hosts SET name = x'00'",
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


TWO_CRAWLS = """
import sys
from scrapy.crawler import CrawlerProcess
from spider_file import Guest

settings = dict(one.split("=", 1) for one in sys.argv[1].split("|"))
process = CrawlerProcess({**settings, "ADDONS": {"frontier.plugin.LinkRankAddon": 500}})
for job in sys.argv[2:]:
    process.crawl(type("Other", (Guest,), {"custom_settings": {"JOBDIR": job}}))
process.start()
"""


@pytest.mark.skipif(version_info < (2, 14), reason="with this Scrapy the process does not end")
def test_each_of_several_crawls_in_a_process_tells_of_its_own_trouble(
    site: Site, tmp_path: Path
) -> None:
    code = GUEST.format(url=site.url)
    everything = (*QUICK, "ROBOTSTXT_OBEY=1")
    jobs = [tmp_path / "a", tmp_path / "b"]
    for job in jobs:
        run_spider(tmp_path, code, *everything, f"JOBDIR={job}", "CLOSESPIDER_PAGECOUNT=5")
        junk_in(job, "robots")
    before = [said(job) for job in jobs]
    done = subprocess.run(
        [sys.executable, "-c", TWO_CRAWLS, "|".join(everything), *map(str, jobs)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT}"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    told = [line for line in done.stderr.splitlines() if " CRITICAL: " in line]
    assert len(told) == 2, done.stderr
    assert sorted(str(job) in line for line in told for job in jobs) == [False, False, True, True]
    assert "Traceback" not in done.stderr, done.stderr
    assert [said(job) for job in jobs] == before


def test_what_comes_back_after_the_failure_counts_for_nothing(tmp_path: Path) -> None:
    """Not even its items, for the page is fetched again."""

    html = str(site_of(30)["/2"])

    def slow(asked: Asked) -> Page:
        time.sleep(1.5 if asked.count == 1 else 0)
        return 200, {"Content-Type": "text/html"}, html.encode()

    with keeping(tmp_path, 30, LD_PRELOAD=str(shim())) as kept:
        kept.site.pages["/2"] = slow
        fault = {"FAULT_KIND": "error", "FAULT_PATH": f"{kept.job}/", "FAULT_AT": "150"}
        assert kept.start(**fault).wait() == 1
        assert "/2" in kept.site.paths
        assert len(kept.items()) >= 3
        assert "/2" not in kept.items()
        kept.finish()
        assert sorted(set(kept.items())) == sorted(kept.site.pages)
