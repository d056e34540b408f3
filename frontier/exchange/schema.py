"""The tables of the exchange, in a PostgreSQL schema of their own.

::

    coordinator  one row: the process that owns the order (epoch), and the state of the crawl
    fetchers     the fetchers, until when each is known to live, and the work it wants
    parts        64 partitions of hosts: owner, until when, how often they changed hands (fence)
    feed         the head of the order: URLs leased for fetchers, taken by one of them or not yet
    inbox        answers and other messages of fetchers
    notes        robots.txt, politeness, the topic model: read by the processes that need them

URLs, pages, links and priorities are not here: they are in the SQLite file of the crawl. All of
this can be emptied at any time: leased URLs are then offered again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.errors import ExchangeError

if TYPE_CHECKING:
    from frontier.exchange.connection import Connection

PARTITIONS = 64
"""Of hosts, and so the most fetchers of a crawl; few enough that a heartbeat writes a few rows."""
VERSION = 4
"""To be raised with any change of the tables; fetchers of another version are refused."""
SCHEMA = "frontier"
TABLES = f"""
CREATE SCHEMA IF NOT EXISTS {SCHEMA};
CREATE TABLE IF NOT EXISTS {SCHEMA}.coordinator (
    single boolean PRIMARY KEY DEFAULT true CHECK (single),
    version integer NOT NULL,
    crawl text NOT NULL,
    epoch bigint NOT NULL,
    name text NOT NULL,
    alive timestamptz NOT NULL,
    state jsonb NOT NULL
);
CREATE TABLE IF NOT EXISTS {SCHEMA}.fetchers (
    id text PRIMARY KEY,
    name text NOT NULL,
    info jsonb NOT NULL,
    until timestamptz NOT NULL,
    places integer NOT NULL,
    wants integer NOT NULL DEFAULT 0,
    seen bigint NOT NULL DEFAULT 0,
    idle boolean NOT NULL DEFAULT false,
    verdict text
);
CREATE TABLE IF NOT EXISTS {SCHEMA}.parts (
    part integer PRIMARY KEY,
    owner text,
    last text,
    fence bigint NOT NULL DEFAULT 0,
    until timestamptz NOT NULL DEFAULT '-infinity'
) WITH (fillfactor = 50);
CREATE TABLE IF NOT EXISTS {SCHEMA}.feed (
    seq bigint PRIMARY KEY,
    part integer NOT NULL,
    host text NOT NULL,
    class bigint NOT NULL,
    priority double precision NOT NULL,
    topic integer NOT NULL,
    url bytea NOT NULL,
    owner text,
    fence bigint
) WITH (fillfactor = 50);
CREATE TABLE IF NOT EXISTS {SCHEMA}.inbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    token text NOT NULL,
    fetcher text NOT NULL,
    seq bigint,
    kind text NOT NULL,
    head jsonb NOT NULL,
    body bytea NOT NULL,
    at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE IF NOT EXISTS {SCHEMA}.notes (
    kind text NOT NULL,
    name text NOT NULL,
    version bigint GENERATED ALWAYS AS IDENTITY,
    at timestamptz NOT NULL DEFAULT now(),
    data jsonb NOT NULL,
    body bytea,
    PRIMARY KEY (kind, name)
);
ALTER TABLE {SCHEMA}.feed ALTER COLUMN url SET STORAGE EXTERNAL;
ALTER TABLE {SCHEMA}.inbox ALTER COLUMN body SET STORAGE EXTERNAL;
ALTER TABLE {SCHEMA}.notes ALTER COLUMN body SET STORAGE EXTERNAL;
INSERT INTO {SCHEMA}.parts (part) SELECT generate_series(0, {PARTITIONS - 1})
    ON CONFLICT DO NOTHING;
"""
"""Made in one transaction. Bodies come compressed."""
_LOCK = 0x6C72
"""Number of the advisory lock under which the tables are made: by one process at a time."""
_VERSION = "SELECT version FROM frontier.coordinator"
_EXISTS = "SELECT to_regclass('frontier.coordinator') IS NOT NULL"
FEED, INBOX = "frontier_feed", "frontier_inbox"
"""Channels that wake fetchers, and the coordinator, when there is something new."""


def create(connection: Connection) -> None:
    """Make the tables that are missing.

    Raises ExchangeError where that is not permitted, or where they are of another version.
    """
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        if not _is_there(connection):
            connection.execute(TABLES)
    check(connection)


def renew(connection: Connection) -> None:
    """Make all tables anew; errors as of `create`. In a transaction no process sees them gone."""
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        connection.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")
        create(connection)


def check(connection: Connection) -> None:
    """Raise ExchangeError where the tables are missing or of another version."""
    if not _is_there(connection):
        raise ExchangeError(
            "Expected the tables of a frontier in this database, found none. Start "
            "`scrapy frontier serve JOBDIR --exchange ...` with the same address first."
        )
    row = connection.execute(_VERSION).fetchone()
    if row is not None and row[0] != VERSION:
        raise ExchangeError(
            f"The tables of the exchange have version {row[0]}, this library has {VERSION}. Run "
            f"the same version of scrapy-linkrank everywhere, or let `scrapy frontier serve` make "
            f"them anew with --wipe."
        )


def _is_there(connection: Connection) -> bool:
    row = connection.execute(_EXISTS).fetchone()
    return bool(row and row[0])
