"""PostgreSQL for tests: one private server a session, a fresh database for each test.

`FRONTIER_TEST_POSTGRES` names another server (a connection string of somebody who may create
databases there), or the major version of the private one, where there are several.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from crawler.private_postgres import PrivatePostgres

ASKED = os.environ.get("FRONTIER_TEST_POSTGRES", "")
VERSION = int(ASKED) if ASKED.isdigit() else None
ELSEWHERE = "" if ASKED.isdigit() else ASKED


@pytest.fixture(scope="session")
def postgres_or_elsewhere() -> Iterator[PrivatePostgres | None]:
    """The private server of this session, None where tests use one that runs elsewhere."""
    if ELSEWHERE:
        yield None
        return
    from crawler.private_postgres import PostgresMissingError, PrivatePostgres

    try:
        server = PrivatePostgres(VERSION)
    except PostgresMissingError as error:
        pytest.skip(str(error))
    with server:
        yield server


@pytest.fixture
def dsn(postgres_or_elsewhere: PrivatePostgres | None) -> Iterator[str]:
    """The connection string of an empty database, which is dropped after the test."""
    from psycopg.conninfo import make_conninfo

    server = postgres_or_elsewhere
    owner = server.dsn() if server is not None else ELSEWHERE
    name = f"frontier_test_{uuid.uuid4().hex}"
    _run(owner, f"CREATE DATABASE {name} TEMPLATE template0")
    yield server.dsn(name) if server is not None else make_conninfo(ELSEWHERE, dbname=name)
    if server is not None and not server.running:
        server.start()
    others = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
    _run(owner, others, f"DROP DATABASE {name}")


@pytest.fixture
def postgres(postgres_or_elsewhere: PrivatePostgres | None, dsn: str) -> PrivatePostgres:
    """The server of `dsn`, for tests that stop and start it."""
    if postgres_or_elsewhere is None:
        pytest.skip("FRONTIER_TEST_POSTGRES names a server that no test may stop")
    return postgres_or_elsewhere


def _run(dsn: str, *statements: str) -> None:
    from frontier.exchange.connection import connect

    with connect(dsn, "tests") as connection:
        for statement in statements:
            connection.execute(statement.encode())
