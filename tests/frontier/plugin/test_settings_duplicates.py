"""What the settings of duplicates become."""

from __future__ import annotations

import pytest
from scrapy.settings import Settings

from frontier.duplicates.policy import DUPLICATES, OFF, DuplicatePolicy
from frontier.errors import SettingsError
from frontier.plugin.settings.registry import config_from
from frontier.urls.rules import BY_W3LIB, CLEANED, RULES, UrlRules

ON = {"FRONTIER_CANONICAL_URLS": True}


def test_without_settings_requests_differ_as_in_scrapy() -> None:
    config = config_from(Settings())
    assert config.url_rules == BY_W3LIB
    assert config.duplicates == DUPLICATES == DuplicatePolicy(0.8, 200_000)


@pytest.mark.parametrize("names", ["from,t_*", ["from", "t_*"], ("from", "t_*")])
def test_tracking_parameters_are_a_list_also_on_the_command_line(names: object) -> None:
    config = config_from(Settings({**ON, "FRONTIER_TRACKING_PARAMETERS": names}))
    assert config.url_rules == UrlRules(CLEANED, ("from", "t_*"))


def test_no_tracking_parameters_are_none() -> None:
    for nothing in ("", [], ()):
        config = config_from(Settings({**ON, "FRONTIER_TRACKING_PARAMETERS": nothing}))
        assert config.url_rules.tracking == ()


@pytest.mark.parametrize("off", [False, "0", "False"])
def test_canonical_urls_can_be_left_to_w3lib(off: object) -> None:
    assert config_from(Settings({"FRONTIER_CANONICAL_URLS": off})).url_rules == BY_W3LIB


def test_the_ready_made_project_takes_spellings_of_a_url_for_one() -> None:
    house = Settings()
    house.setmodule("crawler.settings")
    assert config_from(house).url_rules == RULES


def test_duplicates_can_be_turned_off_and_adjusted() -> None:
    given = {"FRONTIER_DUPLICATE_SIMILARITY": "0", "FRONTIER_DUPLICATE_PAGES": "500"}
    assert config_from(Settings(given)).duplicates == DuplicatePolicy(OFF, 500)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("FRONTIER_DUPLICATE_SIMILARITY", "0.3"),
        ("FRONTIER_DUPLICATE_SIMILARITY", "much"),
        ("FRONTIER_DUPLICATE_SIMILARITY", "80"),
        ("FRONTIER_DUPLICATE_PAGES", "0"),
        ("FRONTIER_DUPLICATE_PAGES", "1.5"),
    ],
)
def test_a_value_that_cannot_be_used_is_named(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=name):
        config_from(Settings({name: value}))
