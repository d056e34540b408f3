"""What cannot be served, or fetched for, is refused: why, what to do, and exit code 1."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from psycopg.conninfo import make_conninfo

from frontier.exchange import schema
from frontier.exchange.connection import connect
from frontier.store import Store
from tests.support.scrapy_forks import Forked, shared_forks
from tests.support.shared_crawls import PATIENCE, SharedCrawl, Web


@pytest.fixture
def crawl(tmp_path: Path, dsn: str) -> SharedCrawl:
    """One whose web answers nothing: nobody may ask."""
    return SharedCrawl(shared_forks(), Web(1, 1, 0.0, port=9), dsn, tmp_path)


@pytest.fixture
def served(crawl: SharedCrawl) -> Iterator[SharedCrawl]:
    serve = crawl.serve()
    yield crawl
    serve.kill()


def refused(crawl: SharedCrawl, who: str, process: Forked, *why: str) -> None:
    assert process.wait(PATIENCE) == 1, crawl.log(who)
    said(crawl.log(who), *why)


def said(log: str, *why: str) -> None:
    for one in why:
        assert one in log
    assert "Traceback" not in log


def serving(crawl: SharedCrawl, dsn: str = "", who: str = "serve", *more: str) -> Forked:
    """`scrapy frontier serve` that is not waited for."""
    arguments = ["frontier", "serve", str(crawl.job), "--exchange", dsn or crawl.dsn, *more]
    return crawl.forks.start(arguments, crawl.folder / f"{who}.log")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"dbname": "nowhere"}, 'database "nowhere" does not exist'),
        ({"host": "127.0.0.1", "port": "9"}, "Check that the server runs"),
    ],
)
def test_an_address_that_leads_nowhere(
    crawl: SharedCrawl, change: dict[str, str], why: str
) -> None:
    wrong = make_conninfo(crawl.dsn, **change, password="secret")
    both = {"serve": serving(crawl, wrong), "fetcher": crawl.fetch("fetcher", dsn=wrong)}
    for who, process in both.items():
        refused(crawl, who, process, why, "Cannot connect to PostgreSQL at")
        assert "secret" not in crawl.log(who).replace(wrong, "")  # Scrapy prints all settings


def test_a_fetcher_where_nobody_has_served_yet(crawl: SharedCrawl) -> None:
    refused(crawl, "early", crawl.fetch("early"), "found none", "scrapy frontier serve JOBDIR")


def test_a_user_who_may_not_make_tables(crawl: SharedCrawl) -> None:
    crawl.rows("CREATE ROLE frontier_test_reader LOGIN")
    try:
        dsn = make_conninfo(crawl.dsn, user="frontier_test_reader")
        refused(crawl, "serve", serving(crawl, dsn), "permission denied", "grant it")
    finally:
        crawl.rows("DROP ROLE frontier_test_reader")


def test_a_user_who_may_not_fetch(served: SharedCrawl) -> None:
    served.rows("CREATE ROLE frontier_test_guest LOGIN")
    served.rows("GRANT USAGE ON SCHEMA frontier TO frontier_test_guest")
    served.rows("GRANT SELECT ON frontier.coordinator TO frontier_test_guest")
    try:
        dsn = make_conninfo(served.dsn, user="frontier_test_guest")
        refused(served, "guest", served.fetch("guest", dsn=dsn), "permission denied", "grant it")
    finally:
        served.rows("DROP OWNED BY frontier_test_guest")
        served.rows("DROP ROLE frontier_test_guest")


def test_a_jobdir_in_which_another_process_crawls(crawl: SharedCrawl) -> None:
    with Store.open(crawl.job):
        refused(crawl, "serve", serving(crawl), f"{crawl.job} is crawled by process")


def test_an_exchange_of_another_crawl_unless_it_is_emptied(
    served: SharedCrawl, tmp_path: Path
) -> None:
    other = SharedCrawl(served.forks, served.web, served.dsn, tmp_path / "other")
    other.folder.mkdir()
    refused(other, "serve", serving(other), "belongs to another crawl", "--wipe")


def test_tables_of_another_version(crawl: SharedCrawl) -> None:
    with connect(crawl.dsn, "tests") as connection:
        schema.create(connection)
    crawl.rows(
        "INSERT INTO frontier.coordinator (version, crawl, epoch, name, alive, state) "
        "VALUES (99, 'newer', 1, 'newer', now(), '{}')"
    )
    both = {"serve": serving(crawl), "fetcher": crawl.fetch("fetcher")}
    for who, process in both.items():
        refused(crawl, who, process, "have version 99", "the same version of scrapy-linkrank")
