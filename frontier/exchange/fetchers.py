"""Who fetches for a crawl: what fetchers tell of it, and who is admitted.

A fetcher tells the owner of the order what its crawl is about, as JSON. Who has the same spider,
the same topic and the same version is admitted.
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
    given = asdict(config)
    del given["directory"]
    given["url_rules"] = config.url_rules.as_json
    return given


def config_of(given: Any) -> CrawlConfig:
    """Return the configuration that `config_as_json` gave; ExchangeError for what is none."""
    try:
        parts = {name: _part(kind, given[name]) for name, kind in _PARTS.items()}
        known = {each.name: given[each.name] for each in fields(CrawlConfig) if each.name in given}
        return CrawlConfig(**{**known, **parts})
    except (KeyError, TypeError, AttributeError) as error:
        raise ExchangeError(
            f"Expected the settings of a crawl from a fetcher, got something else ({error}). Run "
            f"the same version of scrapy-linkrank everywhere."
        ) from error


def _part(kind: type[Any], given: dict[str, Any]) -> Any:
    return UrlRules.stored(given) if kind is UrlRules else kind(**given)


class Admission:
    """Judges what fetchers say of themselves by what the crawl is about."""

    def __init__(self, config: CrawlConfig, spider: str = "") -> None:
        """`spider` is the name of the one that the crawl has; "": that of the first fetcher."""
        self._identity = config.identity
        self._spider = spider

    def verdict(self, about: dict[str, Any]) -> str:
        """Return "" for a fetcher that is admitted, else why it is not."""
        if about.get("wire") != WIRE_VERSION:
            return other_version(about)
        try:
            identity = config_of(about.get("config")).identity
        except LinkRankError as error:
            return str(error)
        differs = [
            f"{name} is {self._identity[name]!r} there and {value!r} here"
            for name, value in identity.items()
            if self._identity.get(name) != value
        ]
        spider = str(about.get("spider", ""))
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


def other_version(about: dict[str, Any]) -> str:
    """Why a fetcher of another version is refused."""
    return (
        f"Expected a fetcher that speaks version {WIRE_VERSION} of the exchange, got "
        f"{about.get('wire')}. Run the same version of scrapy-linkrank everywhere."
    )
