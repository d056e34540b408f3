"""A setting is declared once, its value is read so, and what several of them become."""

from __future__ import annotations

import re

import pytest
from scrapy.settings import Settings

from frontier.config import CrawlConfig
from frontier.duplicates.finder import OFF, DuplicatePolicy
from frontier.enough import NEVER, Enough
from frontier.errors import SettingsError
from frontier.plugin.settings import SETTINGS, config_from, value
from frontier.urls.rules import CLEANED, RULES, UrlRules

ON = {"FRONTIER_CANONICAL_URLS": True}


def test_without_settings_every_value_is_the_declared_default() -> None:
    for setting in SETTINGS:
        read = setting.read(Settings())
        assert (tuple(read) if isinstance(read, list) else read) == setting.default, setting.name
        assert type(read) in (type(setting.default), list), setting.name


@pytest.mark.parametrize(
    ("name", "given", "read"),
    [
        ("FRONTIER_RANDOM_SEED", "70", 70),
        ("FRONTIER_WAIT_FOR_BEST", "0.5", 0.5),
        ("FRONTIER_CANONICAL", "False", False),
        ("FRONTIER_TRAPS", " Drop ", "drop"),
        ("FRONTIER_TRAPS", "", "last"),
        ("FRONTIER_TOPIC", " stars ", "stars"),
        ("FRONTIER_ALLOW_NETWORKS", "10.0.0.0/8,::1", ["10.0.0.0/8", "::1"]),
    ],
)
def test_a_value_is_read_as_its_default_is(name: str, given: str, read: object) -> None:
    assert value(Settings({name: given}), name) == read


@pytest.mark.parametrize(
    ("name", "given", "wanted"),
    [
        ("FRONTIER_RANDOM_SEED", "many", "a whole number"),
        ("FRONTIER_SUMMARY", "maybe", "true or false"),
        ("FRONTIER_TRAPS", "keep", "'last' or 'drop'"),
    ],
)
def test_what_a_setting_cannot_be_is_refused_by_its_name(
    name: str, given: object, wanted: str
) -> None:
    with pytest.raises(SettingsError, match=f"{name} must be {wanted}"):
        config_from(Settings({name: given}))


def test_a_crawl_without_settings_is_asked_for_what_the_library_does_by_itself() -> None:
    config, usual = config_from(Settings()), CrawlConfig()
    assert (config.parameters, config.identity) == (usual.parameters, usual.identity)


@pytest.mark.parametrize("names", ["from,t_*", ["from", "t_*"], ("from", "t_*")])
def test_tracking_parameters_are_a_list_also_on_the_command_line(names: object) -> None:
    config = config_from(Settings({**ON, "FRONTIER_TRACKING_PARAMETERS": names}))
    assert config.url_rules == UrlRules(CLEANED, ("from", "t_*"))


def test_the_ready_made_project_takes_spellings_of_a_url_for_one() -> None:
    house = Settings()
    house.setmodule("crawler.settings")
    assert config_from(house).url_rules == RULES


def test_duplicates_can_be_turned_off_and_adjusted() -> None:
    given = {"FRONTIER_DUPLICATE_SIMILARITY": "0"}
    assert config_from(Settings(given)).duplicates == DuplicatePolicy(OFF)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("FRONTIER_DUPLICATE_SIMILARITY", "0.3"),
        ("FRONTIER_DUPLICATE_SIMILARITY", "much"),
        ("FRONTIER_DUPLICATE_SIMILARITY", "80"),
        ("FRONTIER_TRAP_BUDGET", "-1"),
        ("FRONTIER_TRAP_BUDGET", "1.5"),
    ],
)
def test_a_value_that_cannot_be_used_is_named(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=name):
        config_from(Settings({name: value}))


def test_how_much_is_offered_to_other_processes_is_bounded() -> None:
    assert config_from(Settings({"FRONTIER_MAX_IN_FLIGHT": "64"})).max_in_flight == 64
    with pytest.raises(SettingsError, match="FRONTIER_MAX_IN_FLIGHT"):
        config_from(Settings({"FRONTIER_MAX_IN_FLIGHT": 0}))


@pytest.mark.parametrize(
    "given",
    [
        {"last": 500, "share": 0.02, "left": 50},
        "last=500 share=.02 left=50",
        "last = 500, share = 2e-2, left=50",
        '{"last": 500, "share": 0.02, "left": 50}',
    ],
)
def test_when_enough_was_found_is_a_dict_or_text(given: object) -> None:
    settings = Settings({"FRONTIER_TOPIC": "stars", "FRONTIER_ENOUGH": given})
    assert config_from(settings).enough == Enough(500, share=0.02, left=50)


def test_the_ready_made_project_decides_for_nobody_what_is_enough() -> None:
    house = Settings({"FRONTIER_TOPIC": "stars"})
    house.setmodule("crawler.settings")
    assert config_from(house).enough == NEVER
    assert house.get("FRONTIER_METRICS_PORT") is None


@pytest.mark.parametrize("given", [None, "", {}])
def test_without_it_a_crawl_goes_on_to_its_end(given: object) -> None:
    assert config_from(Settings({"FRONTIER_ENOUGH": given})).enough == NEVER


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (given, f"FRONTIER_ENOUGH must be a dict of numbers, or .*'last=500 .*{re.escape(given)}")
        for given in ("500", "share", "share=2%", "least=5", "share=.1=.2", '{"share": .1', "[1]")
    ]
    + [
        ({"share": "few"}, "must be a dict of numbers, or text"),
        (0.02, "must be a dict of numbers, or text"),
        ("last=500", "must hold share or left"),
        ("share=2", "share in FRONTIER_ENOUGH must be a share above 0"),
        ("last=5 share=.1", "last in FRONTIER_ENOUGH must be a whole number of pages, 20 or more"),
        ("left=0", "left in FRONTIER_ENOUGH must be a number of pages, 1 or more, but is 0"),
    ],
)
def test_what_enough_cannot_be_is_named_with_what_to_do(given: object, said: str) -> None:
    settings = Settings({"FRONTIER_TOPIC": "stars", "FRONTIER_ENOUGH": given})
    with pytest.raises(SettingsError, match=said):
        config_from(settings)
