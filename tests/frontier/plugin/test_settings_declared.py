"""A setting is declared once, and its value is read as its declaration says."""

from __future__ import annotations

import pytest
from scrapy.settings import Settings

from frontier.config import CrawlConfig
from frontier.errors import SettingsError
from frontier.plugin.settings.registry import SETTINGS, config_from, value


def test_without_settings_every_value_is_the_declared_default() -> None:
    for setting in SETTINGS:
        read = setting.read(Settings())
        assert (tuple(read) if isinstance(read, list) else read) == setting.default, setting.name
        assert type(read) in (type(setting.default), list), setting.name


@pytest.mark.parametrize(
    ("name", "given", "read"),
    [
        ("FRONTIER_MAX_LINKS", "70", 70),
        ("FRONTIER_PATIENCE", "0.5", 0.5),
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
        ("FRONTIER_MAX_LINKS", 0, "a number between 1 and 1e"),
        ("FRONTIER_ORDER_PATIENCE", "nan", "a number between 0 and 3600"),
        ("FRONTIER_RERANK_PAGES", "many", "a whole number"),
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
