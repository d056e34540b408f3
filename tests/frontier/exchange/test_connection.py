"""Connections to PostgreSQL, and which of two errors comes of what goes wrong."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from crawler.private_postgres import PrivatePostgres
from frontier.errors import ExchangeError, ExchangeLostError
from frontier.exchange import connection as module
from frontier.exchange.connection import Connection, connect, place, translated

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
        names = "SELECT array_agg(application_name ORDER BY application_name) FROM pg_stat_activity "
        assert value(other, names + f"WHERE datname = '{one.info.dbname}'") == [
            "fetcher 7",
            "other",
        ]


def test_a_connection_string_may_say_what_is_a_default_otherwise(dsn: str) -> None:
    with connect(but(dsn, application_name="mine", connect_timeout="3"), "ours") as connection:
        told = connection.info.get_parameters()
    assert told["application_name"] == "mine"
    assert told["connect_timeout"] == "3"
    assert told["keepalives_idle"] == str(module.DEFAULTS["keepalives_idle"])


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


def test_a_server_that_is_too_old_is_named_with_what_is_needed(
    dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "OLDEST", 99)
    with raised(lost=False) as caught:
        connect(dsn, "test")
    assert "PostgreSQL 99 or newer" in str(caught.value)
    assert place(dsn) in str(caught.value)


@pytest.mark.parametrize("mode", ["fast", "immediate"])
def test_a_restart_loses_the_connection_and_the_next_one_finds_what_was_committed(
    postgres: PrivatePostgres, dsn: str, mode: Any
) -> None:
    with connect(dsn, "test") as connection:
        run(connection, "CREATE TABLE kept AS SELECT 7 AS x")
        postgres.restart(mode)
        for _ in range(2):
            with raised(lost=True):
                run(connection, "SELECT 1")
    with connect(dsn, "test") as again:
        assert value(again, "SELECT x FROM kept") == 7


def test_while_the_server_is_stopped_connecting_is_worth_another_try(
    postgres: PrivatePostgres, dsn: str
) -> None:
    postgres.stop()
    with raised(lost=True):
        connect(dsn, "test")
    postgres.start()
    connect(dsn, "test").close()


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


def test_a_statement_that_takes_too_long_may_be_tried_again(dsn: str) -> None:
    with connect(dsn, "test") as connection:
        run(connection, "SET statement_timeout = 20")
        with raised(lost=True):
            run(connection, "SELECT pg_sleep(30)")
        run(connection, "SELECT 1")


def test_a_lock_that_another_holds_may_be_tried_again(dsn: str) -> None:
    with connect(dsn, "one") as one, connect(dsn, "two") as two:
        run(one, "CREATE TABLE feed AS SELECT 1 AS x")
        with one.transaction():
            run(one, "SELECT * FROM feed FOR UPDATE")
            with raised(lost=True):
                run(two, "SELECT * FROM feed FOR UPDATE NOWAIT")


def test_of_two_that_deadlock_one_may_try_again(dsn: str) -> None:
    lost: list[ExchangeLostError] = []

    def lock(connection: Connection, *rows: int) -> None:
        try:
            with connection.transaction():
                for row in rows:
                    run(connection, f"SELECT * FROM feed WHERE x = {row} FOR UPDATE")
                    if row == rows[0]:
                        both.wait()
        except ExchangeLostError as error:
            lost.append(error)

    both = threading.Barrier(2, timeout=30)
    with connect(dsn, "one") as one, connect(dsn, "two") as two:
        run(one, "CREATE TABLE feed AS SELECT generate_series(1, 2) AS x")
        other = threading.Thread(target=lock, args=(two, 2, 1))
        other.start()
        lock(one, 1, 2)
        other.join(60)
    assert ["40P01" in str(error) for error in lost] == [True]


def test_our_own_mistakes_are_errors_that_no_try_mends(dsn: str) -> None:
    with connect(dsn, "test") as connection:
        with raised(lost=False) as caught:
            run(connection, "SELCT 1")
        assert "42601" in str(caught.value)
        cursor = connection.cursor()
        cursor.close()
        with raised(lost=False), translated():
            cursor.execute("SELECT 1")


def test_what_is_not_of_postgresql_passes_untouched() -> None:
    with pytest.raises(KeyError), translated():
        raise KeyError


def test_without_psycopg_the_error_says_what_to_install() -> None:
    code = "import sys; sys.modules['psycopg'] = None\nimport frontier.exchange.connection"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    told = done.stderr.splitlines()[-1]
    assert told.startswith("frontier.errors.ExchangeError: ")
    assert told.endswith("pip install scrapy-linkrank[shared]")
