"""The tables of an exchange are made once, and only used by their own version."""

from __future__ import annotations

import pytest

from frontier.errors import ExchangeError
from frontier.exchange import schema
from frontier.exchange.connection import connect
from frontier.exchange.offering import PARTITIONS
from frontier.exchange.owner_side import OwnerExchange


def test_tables_are_made_once_and_kept_when_made_again(dsn: str) -> None:
    with connect(dsn, "test") as connection:
        schema.create(connection)
        OwnerExchange(connection, "me").own("crawl")
        schema.create(connection)
        assert connection.execute("SELECT crawl FROM frontier.brain").fetchall() == [("crawl",)]
        parts = connection.execute("SELECT part FROM frontier.parts ORDER BY part").fetchall()
        assert parts == [(n,) for n in range(PARTITIONS)]


def test_an_empty_database_is_told_how_to_be_filled(dsn: str) -> None:
    with connect(dsn, "test") as connection, pytest.raises(ExchangeError, match="frontier serve"):
        schema.check(connection)


def test_tables_of_another_version_are_refused_until_they_are_dropped(dsn: str) -> None:
    with connect(dsn, "test") as connection:
        schema.create(connection)
        OwnerExchange(connection, "me").own("crawl")
        connection.execute("UPDATE frontier.brain SET version = version + 1")
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
