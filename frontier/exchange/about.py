"""What a crawl is about, as JSON: fetchers tell it to the owner of the order."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

from frontier.config import CrawlConfig
from frontier.duplicates.finder import DuplicatePolicy
from frontier.errors import ExchangeError
from frontier.pagerules.policy import PagePolicy
from frontier.traps.limits import TrapLimits
from frontier.urls.rules import UrlRules

_PARTS: dict[str, type[Any]] = {
    "page_policy": PagePolicy,
    "url_rules": UrlRules,
    "duplicates": DuplicatePolicy,
    "traps": TrapLimits,
}


def config_as_json(config: CrawlConfig) -> dict[str, Any]:
    """Return a configuration without its directory, as JSON has it."""
    said = asdict(config)
    del said["directory"]
    said["url_rules"] = config.url_rules.as_json
    return said


def config_of(said: Any) -> CrawlConfig:
    """Return the configuration that `config_as_json` gave; ExchangeError for what is none."""
    try:
        parts = {name: _part(kind, said[name]) for name, kind in _PARTS.items()}
        known = {one.name: said[one.name] for one in fields(CrawlConfig) if one.name in said}
        return CrawlConfig(**{**known, **parts})
    except (KeyError, TypeError, AttributeError) as error:
        raise ExchangeError(
            f"Expected the settings of a crawl from a fetcher, got something else ({error}). Run "
            f"the same version of scrapy-linkrank everywhere."
        ) from error


def _part(kind: type[Any], said: dict[str, Any]) -> Any:
    return UrlRules.stored(said) if kind is UrlRules else kind(**said)
