"""The configuration that a fetcher sends to the coordinator, and whether it fits the crawl.

It travels as JSON. A fetcher is admitted whose spider, topic and version are those of the crawl.
"""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

from frontier.config import CrawlConfig
from frontier.duplicates.finder import DuplicatePolicy
from frontier.enough import Enough
from frontier.errors import ExchangeError
from frontier.exchange.wire import WIRE_VERSION
from frontier.pagerules.policy import PagePolicy
from frontier.refresh.policy import RefreshPolicy
from frontier.traps.limits import TrapLimits
from frontier.urls.rules import UrlRules
from ranking.errors import LinkRankError

_PARTS: dict[str, type[Any]] = {
    "page_policy": PagePolicy,
    "url_rules": UrlRules,
    "duplicates": DuplicatePolicy,
    "traps": TrapLimits,
    "refresh": RefreshPolicy,
    "enough": Enough,
}


def config_as_json(config: CrawlConfig) -> dict[str, Any]:
    """Return a configuration without its directory, as JSON has it."""
    values = asdict(config)
    del values["directory"]
    values["url_rules"] = config.url_rules.as_json
    return values


def config_from_json(values: Any) -> CrawlConfig:
    """Return the configuration of `config_as_json`; ExchangeError for any other value."""
    try:
        parts = {name: _part(kind, values[name]) for name, kind in _PARTS.items()}
        names = (field.name for field in fields(CrawlConfig))
        known = {name: values[name] for name in names if name in values}
        return CrawlConfig(**{**known, **parts})
    except (KeyError, TypeError, AttributeError) as error:
        raise ExchangeError(
            f"Expected the settings of a crawl from a fetcher, got something else ({error}). Run "
            f"the same version of scrapy-linkrank everywhere."
        ) from error


def _part(kind: type[Any], values: dict[str, Any]) -> Any:
    return UrlRules.stored(values) if kind is UrlRules else kind(**values)


class FetcherCheck:
    """Holds the configurations of fetchers against that of the crawl."""

    def __init__(self, config: CrawlConfig) -> None:
        self._identity = config.identity
        self._spider = ""
        """Name of the first admitted fetcher's spider."""

    def verdict(self, info: dict[str, Any]) -> str:
        """Return "" for a fetcher that is admitted, else why it is refused."""
        if info.get("wire") != WIRE_VERSION:
            return other_version(info)
        try:
            identity = config_from_json(info.get("config")).identity
        except LinkRankError as error:
            return str(error)
        differs = [
            f"{name} is {self._identity[name]!r} there and {value!r} here"
            for name, value in identity.items()
            if self._identity.get(name) != value
        ]
        spider = str(info.get("spider", ""))
        if self._spider and spider != self._spider:
            differs.insert(0, f"the spider is {self._spider!r} there and {spider!r} here")
        if differs:
            return (
                f"The crawl that this exchange serves is another one: {'; '.join(differs)}. Start "
                f"the fetcher with the same spider, arguments and settings, or give it another "
                f"exchange."
            )
        self._spider = spider
        return ""


def other_version(info: dict[str, Any]) -> str:
    """Why a fetcher of another version is refused."""
    return (
        f"Expected a fetcher that speaks version {WIRE_VERSION} of the exchange, got "
        f"{info.get('wire')}. Run the same version of scrapy-linkrank everywhere."
    )
