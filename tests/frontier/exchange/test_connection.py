"""Connections to PostgreSQL, and which of two errors comes of what goes wrong."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from crawler.private_postgres import PrivatePostgres
from frontier.errors import ExchangeError, ExchangeLostError
from frontier.exchange import schema
from frontier.exchange.connection import Connection, connect, place, translated
from frontier.exchange.feed_policy import PARTITIONS
from frontier.exchange.owner_side import OwnerExchange

SECRET = "tell3nobody"


@contextmanager
def raised(lost: bool) -> Iterator[pytest.ExceptionInfo[ExchangeError]]:
    with pytest.raises(ExchangeError) as caught:
        yield caught
    assert isinstance(caught.value, ExchangeLostError) is lost, caught.value


def run(connection: Connection, statement: str) -> None:
    with translated():
        connection.execute(statement.encode())


def value(connection: Connection, statement: str) -> Any:
    row = connection.execute(statement.encode()).fetchone()
    assert row is not None
    return row[0]


def but(dsn: str, **changes: str) -> str:
    return psycopg.conninfo.make_conninfo(dsn, **changes)


def test_every_statement_is_committed_and_no_statement_runs_for_ever(dsn: str) -> None:
    with connect(dsn, "fetcher 7") as one, connect(dsn, "other") as other:
        one.execute("CREATE TABLE kept AS SELECT 1 AS x")
        assert value(other, "SELECT x FROM kept") == 1
        assert value(one, "SHOW statement_timeout") == "1min"
        names = "SELECT array_agg(application_name) FROM pg_stat_activity "
        found = value(other, names + f"WHERE datname = '{one.info.dbname}'")
        assert sorted(found) == ["fetcher 7", "other"]


@pytest.mark.parametrize(
    "unreadable",
    [
        f"postgresql://me:{SECRET}@[::1/crawl",
        f"postgresql://me:half/{SECRET}@host/crawl",
        f"postgresql://me:12/{SECRET}@host/crawl",
        f"host=here password=half {SECRET}",
        f"postgresql://me@host/crawl?passwort={SECRET}",
    ],
)
def test_a_connection_string_that_cannot_be_read_is_not_shown(unreadable: str) -> None:
    for use in (place, lambda dsn: connect(dsn, "test")):
        with raised(lost=False) as caught:
            use(unreadable)
        assert "half" not in str(caught.value)
        assert SECRET not in str(caught.value)
        # Nor by a traceback, which shows the error before it too.
        assert caught.value.__cause__ is None
        assert caught.value.__context__ is None


@pytest.mark.parametrize(
    "dsn",
    [
        f"postgresql://me:{SECRET}@host:5433/crawl?sslpassword={SECRET}",
        f"host=host port=5433 user=me dbname=crawl password={SECRET}",
    ],
)
def test_a_place_is_shown_without_its_passwords(dsn: str) -> None:
    shown = psycopg.conninfo.conninfo_to_dict(place(dsn))
    assert shown == {"host": "host", "port": "5433", "dbname": "crawl", "user": "me"}


@pytest.mark.parametrize("change", [{"dbname": "nowhere"}, {"user": "stranger"}])
def test_a_wrong_name_is_refused_with_the_place_and_without_the_password(
    dsn: str, change: dict[str, str]
) -> None:
    wrong = but(dsn, **change, password=SECRET)
    with raised(lost=False) as caught:
        connect(wrong, "test")
    assert place(wrong) in str(caught.value)
    assert SECRET not in str(caught.value)
    assert SECRET not in str(caught.value.__cause__)


def test_a_server_that_is_not_there_is_lost(dsn: str, tmp_path: Any) -> None:
    for change in ({"host": str(tmp_path)}, {"host": "127.0.0.1", "port": "9"}):
        with raised(lost=True) as caught:
            connect(but(dsn, **change, password=SECRET), "test")
        assert SECRET not in str(caught.value)


def test_a_server_that_takes_no_writes_is_lost(dsn: str) -> None:
    with connect(dsn, "test") as owner:
        run(owner, f"ALTER DATABASE {owner.info.dbname} SET default_transaction_read_only = on")
    with raised(lost=True):
        connect(dsn, "test")


def test_a_restart_loses_the_connection_and_the_next_one_finds_what_was_committed(
    postgres: PrivatePostgres, dsn: str
) -> None:
    with connect(dsn, "test") as connection:
        run(connection, "CREATE TABLE kept AS SELECT 7 AS x")
        postgres.restart("immediate")
        for _ in range(2):
            with raised(lost=True):
                run(connection, "SELECT 1")
    with connect(dsn, "test") as again:
        assert value(again, "SELECT x FROM kept") == 7


def test_tables_that_have_gone_may_come_back_with_the_frontier(dsn: str) -> None:
    with connect(dsn, "test") as connection:
        for statement in ("SELECT * FROM feed", "CREATE TABLE crawl.feed (x int)"):
            with raised(lost=True) as caught:
                run(connection, statement)
            assert "scrapy frontier serve" in str(caught.value)


def test_what_a_user_may_not_do_is_no_matter_of_trying_again(dsn: str) -> None:
    with connect(dsn, "test") as connection:
        run(connection, "CREATE TABLE feed (x int)")
        # A role of the transaction: it is gone with it, whatever happens.
        with raised(lost=False) as caught, connection.transaction():
            run(connection, "CREATE ROLE frontier_test_guest")
            run(connection, "SET LOCAL ROLE frontier_test_guest")
            run(connection, "SELECT * FROM feed")
    assert "permission denied" in str(caught.value)


def test_without_psycopg_the_error_says_what_to_install() -> None:
    code = "import sys; sys.modules['psycopg'] = None\nimport frontier.exchange.connection"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    told = done.stderr.splitlines()[-1]
    assert told.startswith("frontier.errors.ExchangeError: ")
    assert told.endswith("pip install scrapy-linkrank[shared]")


def test_tables_are_made_once_and_kept_when_made_again(dsn: str) -> None:
    with connect(dsn, "test") as connection:
        schema.create(connection)
        OwnerExchange(connection, "me").own("crawl")
        schema.create(connection)
        assert connection.execute("SELECT crawl FROM frontier.coordinator").fetchall() == [
            ("crawl",)
        ]
        parts = connection.execute("SELECT part FROM frontier.parts ORDER BY part").fetchall()
        assert parts == [(n,) for n in range(PARTITIONS)]


def test_an_empty_database_is_told_how_to_be_filled(dsn: str) -> None:
    with connect(dsn, "test") as connection, pytest.raises(ExchangeError, match="frontier serve"):
        schema.check(connection)


def test_tables_of_another_version_are_refused_until_they_are_dropped(dsn: str) -> None:
    with connect(dsn, "test") as connection:
        schema.create(connection)
        OwnerExchange(connection, "me").own("crawl")
        connection.execute("UPDATE frontier.coordinator SET version = version + 1")
        with pytest.raises(ExchangeError, match="--wipe"):
            schema.create(connection)
        schema.renew(connection)
        schema.check(connection)


def test_an_exchange_belongs_to_one_crawl(dsn: str) -> None:
    with connect(dsn, "test") as connection:
        schema.create(connection)
        owner = OwnerExchange(connection, "me")
        owner.own("crawl")
        first = owner.epoch
        owner.own("crawl")
        assert owner.epoch == first + 1
        with pytest.raises(ExchangeError, match="another crawl"):
            OwnerExchange(connection, "me").own("other")
