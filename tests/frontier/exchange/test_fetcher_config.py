"""Which fetchers are admitted to a crawl, and what they tell of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from frontier.config import CrawlConfig
from frontier.errors import ExchangeError
from frontier.exchange.fetcher_config import FetcherCheck, config_as_json, config_from_json
from frontier.exchange.wire import WIRE_VERSION
from frontier.traps.limits import TrapLimits

CONFIG = CrawlConfig(topic="lighthouses", random_seed=7, traps=TrapLimits(budget=3))


def about(config: CrawlConfig = CONFIG, **said: Any) -> dict[str, Any]:
    told = {"wire": WIRE_VERSION, "spider": "s", "config": config_as_json(config), **said}
    crossed: dict[str, Any] = json.loads(json.dumps(told))
    return crossed


def test_a_configuration_crosses_as_json_without_its_directory() -> None:
    here = CrawlConfig(directory=Path("/here"), topic="lighthouses", wait_for_best=0.5)
    there = CrawlConfig(topic="lighthouses", wait_for_best=0.5)
    assert config_from_json(about(here)["config"]) == there


@pytest.mark.parametrize("said", [{}, {"page_policy": 3}, {"url_rules": None}])
def test_what_is_no_configuration_is_an_exchange_error(said: dict[str, Any]) -> None:
    with pytest.raises(ExchangeError, match="same version"):
        config_from_json(said)


def test_the_first_fetcher_decides_which_spider_it_is() -> None:
    admission = FetcherCheck(CONFIG)
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
    admission = FetcherCheck(CONFIG)
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
    assert "same version" in FetcherCheck(CONFIG).verdict(said)
