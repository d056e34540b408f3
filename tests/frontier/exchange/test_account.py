"""What the file of a served crawl says of its fetchers."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from frontier.config import CrawlConfig
from frontier.errors import ExchangeError
from frontier.exchange import schema
from frontier.exchange.connection import connect
from frontier.exchange.fetcher_side import FeedAnswer, FetcherExchange
from frontier.exchange.fetchers import Account, Admission, config_as_json, config_of
from frontier.exchange.owner_side import FeedStanding, FetcherRow, Offer, OwnerExchange
from frontier.exchange.wire import WIRE_VERSION
from frontier.inspection import CrawlView
from frontier.inspection.reports import Fetcher, Served
from frontier.store import Store
from frontier.store.schema import SERVED
from frontier.traps.limits import TrapLimits
from tests.support.driven_crawl import WEB, DrivenCrawl

NOW = 1_700_000_000.0
QUIET = FeedStanding(offered=3, in_flight=2, inbox=0, lag=0.0)


class Clock:
    now = NOW

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path) as opened:
        yield opened


def row(fetcher: str, *, live: bool = True, verdict: str | None = "", **said: Any) -> FetcherRow:
    told = {"places": 16, "wants": 0, "partitions": 32, "silent": 0.5} | said
    return FetcherRow(
        id=fetcher,
        name=f"host:{fetcher}",
        about={},
        seen=0,
        idle=False,
        verdict=verdict,
        is_live=live,
        **told,
    )


def written(store: Store) -> Any:
    return store.settings().get(SERVED)


def counts(store: Store) -> dict[str, tuple[str, int]]:
    fetchers = written(store)["fetchers"]
    return {one: (row["state"], row["answers"]) for one, row in fetchers.items()}


def test_what_stands_is_written_with_answers_by_fetcher(store: Store, clock: Clock) -> None:
    account = Account(store, clock)
    account.answered("a")
    account.answered("a")
    account.look("open", [row("a"), row("b", verdict="another spider")], QUIET)
    assert {k: v for k, v in written(store).items() if k != "fetchers"} == {
        "state": "open",
        "at": NOW,
        "offered": 3,
        "in_flight": 2,
        "inbox": 0,
        "lag": 0.0,
    }
    assert counts(store) == {"a": ("fetching", 2), "b": ("refused", 0)}
    assert written(store)["fetchers"]["a"]["heard"] == NOW - 0.5


def test_a_fetcher_that_left_keeps_its_count(store: Store, clock: Clock) -> None:
    account = Account(store, clock)
    account.answered("a")
    account.look("open", [row("a", wants=4)], QUIET)
    account.look("open", [], QUIET)
    assert written(store)["fetchers"]["a"] == {
        "name": "host:a",
        "state": "gone",
        "places": 16,
        "partitions": 0,
        "wants": 0,
        "answers": 1,
        "heard": NOW - 0.5,
    }


def test_counts_go_on_with_the_next_owner(store: Store, clock: Clock) -> None:
    before = Account(store, clock)
    before.answered("a")
    before.look("open", [row("a")], QUIET)
    after = Account(store, clock)
    after.answered("a")
    after.look("open", [row("a")], QUIET)
    assert counts(store) == {"a": ("fetching", 2)}


def test_the_end_is_written_with_the_last_counts(store: Store, clock: Clock) -> None:
    account = Account(store, clock)
    account.look("open", [row("a")], QUIET)
    account.answered("a")
    account.end("away")
    assert (written(store)["state"], counts(store)) == ("away", {"a": ("fetching", 1)})


def test_an_exchange_says_what_is_offered_in_flight_and_not_taken_in(dsn: str) -> None:
    with connect(dsn, "owner") as owners, connect(dsn, "fetcher") as fetchers:
        schema.create(owners)
        owner = OwnerExchange(owners, "owner")
        owner.own("a crawl")
        with owner.turn():
            owner.settle((), [offer(seq) for seq in range(3)], ())
        fetcher = FetcherExchange(fetchers, "f", "host:1", {}, 16, time.monotonic)
        fetchers.execute(
            "UPDATE frontier.parts SET owner = 'f', fence = 7, until = now() + interval '1 h'"
        )
        fetchers.execute("UPDATE frontier.feed SET owner = 'f', fence = 7 WHERE seq < 2")
        assert owner.standing() == FeedStanding(offered=1, in_flight=2, inbox=0, lag=0.0)
        fetcher.trade([FeedAnswer(0, 7, "page", {}, b"")], (), 0, ())
        fetchers.execute("UPDATE frontier.inbox SET at = now() - interval '90 s'")
        standing = owner.standing()
        assert standing[:3] == (1, 1, 1)
        assert standing.lag > 89


def test_a_fetcher_is_told_of_with_its_partitions_and_when_it_was_heard(dsn: str) -> None:
    with connect(dsn, "owner") as owners, connect(dsn, "fetcher") as fetchers:
        schema.create(owners)
        FetcherExchange(fetchers, "f", "host:1", {}, 16, time.monotonic).beat()
        fetchers.execute(
            "UPDATE frontier.parts SET owner = 'f', until = now() + interval '1 h' WHERE part < 9"
        )
        fetchers.execute("UPDATE frontier.parts SET until = now() WHERE part = 0")
        fetchers.execute("UPDATE frontier.fetchers SET until = now() - interval '60 s'")
        (told,) = OwnerExchange(owners, "owner").fetchers()
        assert (told.name, told.is_live, told.partitions) == ("host:1", False, 8)
        assert told.silent > 64


def offer(seq: int) -> Offer:
    return Offer(seq, seq, "a.example", 0, 0.5, 0, b"")


def test_stats_show_what_was_written(tmp_path: Path, clock: Clock) -> None:
    crawl = DrivenCrawl(tmp_path, WEB)
    account = Account(crawl.backend.store, clock)
    account.answered("b")
    account.look("open", [row("b"), row("a", live=False, silent=60.0)], QUIET)
    crawl.close()
    with CrawlView.open(tmp_path) as view:
        served = view.stats().served
    assert served == Served(
        *("open", "2023-11-14T22:13:20Z", 3, 2, 0, 0.0),
        fetchers=(
            Fetcher("host:b", "fetching", 16, 32, 0, 1, "2023-11-14T22:13:19Z"),
            Fetcher("host:a", "gone", 16, 32, 0, 0, "2023-11-14T22:12:20Z"),
        ),
    )


CONFIG = CrawlConfig(topic="lighthouses", random_seed=7, traps=TrapLimits(budget=3))


def about(config: CrawlConfig = CONFIG, **said: Any) -> dict[str, Any]:
    told = {"wire": WIRE_VERSION, "spider": "s", "config": config_as_json(config), **said}
    crossed: dict[str, Any] = json.loads(json.dumps(told))
    return crossed


def test_a_configuration_crosses_as_json_without_its_directory() -> None:
    here = CrawlConfig(directory=Path("/here"), topic="lighthouses", wait_for_best=0.5)
    there = CrawlConfig(topic="lighthouses", wait_for_best=0.5)
    assert config_of(about(here)["config"]) == there


@pytest.mark.parametrize("said", [{}, {"page_policy": 3}, {"url_rules": None}])
def test_what_is_no_configuration_is_an_exchange_error(said: dict[str, Any]) -> None:
    with pytest.raises(ExchangeError, match="same version"):
        config_of(said)


def test_the_first_fetcher_decides_which_spider_it_is() -> None:
    admission = Admission(CONFIG)
    admission.verdict(about(spider="first"))
    assert "the spider is 'first' there and 'other' here" in admission.verdict(
        about(spider="other")
    )


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        (CrawlConfig(topic="ships", random_seed=7), "topic is 'lighthouses' there and 'ships'"),
        (CrawlConfig(topic="lighthouses"), "random seed is '7' there and '0' here"),
    ],
)
def test_a_fetcher_with_another_topic_or_seed_is_refused(config: CrawlConfig, reason: str) -> None:
    admission = Admission(CONFIG)
    assert reason in admission.verdict(about(config))
    assert admission.verdict(about()) == ""


@pytest.mark.parametrize(
    "said",
    [
        {"wire": None},
        {"wire": WIRE_VERSION + 1},
        {},
        {"wire": WIRE_VERSION},
        {"wire": WIRE_VERSION, "config": {}, "spider": "s"},
        {"wire": WIRE_VERSION, "config": 3, "spider": "s"},
    ],
)
def test_a_fetcher_of_another_version_is_refused_whatever_else_it_says(
    said: dict[str, Any],
) -> None:
    assert "same version" in Admission(CONFIG).verdict(said)
