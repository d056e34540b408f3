"""The tables of the exchange, in a schema of their own, and what each of them is for.

::

    brain     one row: which process owns the order (epoch), and what fetchers are told of the crawl
    fetchers  who fetches, until when that is known, and what each of them wants
    parts     64 partitions of hosts: who may ask them, until when, how often they changed hands
    feed      the head of the order: URLs that were leased for fetchers, taken by one or not yet
    inbox     answers, and whatever else fetchers say
    notes     robots.txt, politeness, the topic model: read by whoever needs them

URLs, pages, links and priorities are not here: they are in the SQLite file of the crawl. All of
this can be emptied at any time: what was leased is then offered again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.errors import ExchangeError

if TYPE_CHECKING:
    from frontier.exchange.connection import Connection

PARTITIONS = 64
"""Fetchers of one crawl at most; a few rows for each heartbeat."""
VERSION = 3
"""To be raised with any change of what is in the tables; fetchers of another one are refused."""
SCHEMA = "frontier"
TABLES = f"""
CREATE SCHEMA IF NOT EXISTS {SCHEMA};
CREATE TABLE IF NOT EXISTS {SCHEMA}.brain (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    version integer NOT NULL,
    crawl text NOT NULL,
    epoch bigint NOT NULL,
    name text NOT NULL,
    alive timestamptz NOT NULL,
    told jsonb NOT NULL
);
CREATE TABLE IF NOT EXISTS {SCHEMA}.fetchers (
    id text PRIMARY KEY,
    name text NOT NULL,
    about jsonb NOT NULL,
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
    about jsonb NOT NULL,
    value bytea,
    PRIMARY KEY (kind, name)
);
ALTER TABLE {SCHEMA}.feed ALTER COLUMN url SET STORAGE EXTERNAL;
ALTER TABLE {SCHEMA}.inbox ALTER COLUMN body SET STORAGE EXTERNAL;
ALTER TABLE {SCHEMA}.notes ALTER COLUMN value SET STORAGE EXTERNAL;
INSERT INTO {SCHEMA}.parts (part) SELECT generate_series(0, {PARTITIONS - 1})
    ON CONFLICT DO NOTHING;
"""
"""Made in one transaction. Bodies are compressed by who writes them."""
_LOCK = 0x6C72
"""Number of the advisory lock under which the tables are made: one process at a time."""
_FOUND = "SELECT version FROM frontier.brain"
_EXISTS = "SELECT to_regclass('frontier.brain') IS NOT NULL"
FEED, INBOX = "frontier_feed", "frontier_inbox"
"""Channels on which fetchers, and the owner of the order, are told that there is something new."""


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
    """Make all tables anew; errors as of `create`. Inside a transaction nobody sees them gone."""
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
    row = connection.execute(_FOUND).fetchone()
    if row is not None and row[0] != VERSION:
        raise ExchangeError(
            f"The tables of the exchange have version {row[0]}, this library has {VERSION}. Run "
            f"the same version of scrapy-linkrank everywhere, or let `scrapy frontier serve` make "
            f"them anew with --wipe."
        )


def _is_there(connection: Connection) -> bool:
    row = connection.execute(_EXISTS).fetchone()
    return bool(row and row[0])
