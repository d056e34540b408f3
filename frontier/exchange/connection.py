"""Connections to PostgreSQL, whose errors become two of ours.

The only module that knows psycopg: no crawl without an exchange imports it.
"""

from __future__ import annotations

import re
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn, TypeAlias

from frontier.errors import ExchangeError, ExchangeLostError

try:
    import psycopg
    from psycopg.conninfo import conninfo_to_dict, make_conninfo
    from psycopg.rows import TupleRow
except ImportError as missing:
    raise ExchangeError(
        f"An exchange needs PostgreSQL's client psycopg, which is not here ({missing}). "
        "Install it: pip install scrapy-linkrank[shared]"
    ) from missing

if TYPE_CHECKING:
    from collections.abc import Iterator

Connection: TypeAlias = psycopg.Connection[TupleRow]

OLDEST = 12
"""The oldest major version of PostgreSQL that is supported."""
STATEMENT_SECONDS = 60
"""Longer than any statement of an exchange takes: a hanging server must not hold a crawl."""
DEFAULTS: dict[str, str | int] = {
    "connect_timeout": 10,
    # A peer that vanished is noticed within a minute, whether data is awaited from it or sent.
    "keepalives_idle": 20,
    "keepalives_interval": 10,
    "keepalives_count": 4,
    "tcp_user_timeout": 60_000,
    # Of several hosts, or after a failover, the host that takes writes.
    "target_session_attrs": "read-write",
    "client_encoding": "utf8",
}
"""Defaults that a connection string may override; by libpq's names and in its units."""

_SHOWN = "host", "hostaddr", "port", "dbname", "user", "service"
_REFUSED = re.compile(
    r"does not exist|authentication failed|no pg_hba\.conf entry|no password|not permitted"
    r"|permission denied|certificate|does not support SSL|invalid",
    re.IGNORECASE,
)
"""libpq's texts where another try ends alike: there is no SQLSTATE before there is a session."""
_AGAIN = re.compile(
    r"08...|57P0.|57014"  # connection, shutdown, statement timeout
    r"|40001|40P01|55P03"  # serialization failure, deadlock, lock not available
    r"|25P0[34]|25006"  # the session was ended; the server became a standby
    r"|53..."  # no connections, memory or disk left
)

_NO_TABLES = "42P01", "3F000"
"""The tables were there at the start: the coordinator makes them again."""
_GATHER, _GATHER_MOST = 0.001, 0.015
"""Seconds for each URL that is out, and in all: few beside those of a request."""


def connect(dsn: str, application: str) -> Connection:
    """Open a connection in autocommit mode.

    dsn: a URL `postgresql://USER@HOST/DATABASE`, or libpq's `key=value` pairs; missing values come
    from libpq's environment variables and files. application: its name in `pg_stat_activity`,
    unless the dsn gives a name.

    Raises ExchangeLostError where the server cannot be reached now, ExchangeError where another
    try would end alike.
    """
    given = _parsed(dsn)
    settings = DEFAULTS | {"fallback_application_name": application} | given
    try:
        connection = psycopg.connect(**settings, autocommit=True)  # type: ignore[arg-type]
    except psycopg.Error as error:
        _raise_unconnected(dsn, error)
    try:
        with translated():
            _prepare(connection, dsn)
    except BaseException:
        connection.close()
        raise
    return connection


def place(dsn: str) -> str:
    """Return where a connection string leads, without passwords: `host=... dbname=... user=...`."""
    given = _parsed(dsn)
    shown = {name: str(given[name]) for name in _SHOWN if name in given}
    return make_conninfo("", **shown) or "libpq's defaults"


@contextmanager
def translated() -> Iterator[None]:
    """Raise ExchangeLostError or ExchangeError in place of psycopg's errors.

    Lost means that the same transaction may succeed later, on this or a new connection.
    """
    try:
        yield
    except psycopg.Error as error:
        raise _translation(error) from error


def gather(urls: int) -> None:
    """Wait a moment, so that messages about so many URLs go into one transaction."""
    time.sleep(min(_GATHER_MOST, _GATHER * urls))


def _parsed(dsn: str) -> dict[str, str | int | None]:
    """Return the parts of a connection string, without psycopg's error, which quotes passwords."""
    try:
        given = conninfo_to_dict(dsn)
    except psycopg.Error:
        given = None
    if given is None or ("://" in dsn and _swallowed_password(given)):
        raise ExchangeError(
            "Expected a connection string as postgresql://USER@HOST/DATABASE or key=value pairs, "
            "found one that libpq cannot read (not shown: it may hold a password). In a URL, write "
            "special characters of a password as %XX: @ is %40, / is %2F; or leave it to ~/.pgpass"
        )
    return given


def _swallowed_password(given: dict[str, str | int | None]) -> bool:
    """Whether a part of an unquoted password has ended up among the shown parts."""
    shown = [str(given.get(name, "")) for name in ("host", "port", "dbname")]
    return "@" in shown[0] + shown[2] or re.fullmatch(r"[\d,]*", shown[1]) is None


def _raise_unconnected(dsn: str, error: psycopg.Error) -> NoReturn:
    # libpq's questions to the reader are indented; its findings are not.
    lines = [line for line in str(error).splitlines() if not line.startswith("\t")]
    reason = " ".join(lines)
    failure = f"Cannot connect to PostgreSQL at {place(dsn)}: {reason}. "
    if _REFUSED.search(reason):
        raise ExchangeError(
            f"{failure}Check user, password and database of the connection string; what it leaves "
            "out comes from libpq's PG... variables and ~/.pgpass"
        ) from error
    raise ExchangeLostError(
        f"{failure}Check that the server runs, accepts connections there and takes writes"
    ) from error


def _prepare(connection: Connection, dsn: str) -> None:
    version = connection.info.server_version // 10_000
    if version < OLDEST:
        raise ExchangeError(
            f"Expected PostgreSQL {OLDEST} or newer, found {version} at {place(dsn)}. Use a newer "
            "server as the exchange"
        )
    # Not in libpq's options, which connection poolers refuse.
    connection.execute(f"SET statement_timeout = '{STATEMENT_SECONDS}s'")
    # Tables change with each statement, and a new plan costs more than the statement's work.
    connection.execute("SET plan_cache_mode = force_generic_plan")


def _translation(error: psycopg.Error) -> ExchangeError:
    state = error.sqlstate
    message = error.diag.message_primary or " ".join(str(error).split())
    if state is None and isinstance(error, psycopg.OperationalError):
        return ExchangeLostError(f"The connection to PostgreSQL is lost: {message}. Connect again")
    if state in _NO_TABLES:
        return ExchangeLostError(
            f"Expected the tables of a crawl in this database, found: {message} ({state}). They "
            "are made by `scrapy frontier serve JOBDIR --exchange ...`"
        )
    if state is not None and _AGAIN.fullmatch(state):
        return ExchangeLostError(f"PostgreSQL cannot do this now: {message} ({state}). Try again")
    return ExchangeError(f"{_expected(state)}, found: {message} ({state or type(error).__name__})")


def _expected(state: str | None) -> str:
    if state == "42501":
        return "Expected a PostgreSQL user who may do this: grant it, or connect as the owner"
    return "Expected PostgreSQL to run the statements of an exchange"
