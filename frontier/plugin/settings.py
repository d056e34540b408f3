"""Every setting of the plugin, with its default and range, and what settings become.

docs/settings.md has purpose, unit and reason of each default. A `CrawlConfig` is the part that the
core needs. Components are added to a project's settings beside the project's own.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.settings import get_settings_priority
from scrapy.utils.python import global_object_name

from frontier.config import (
    DEFAULT_FOCUSED_STRATEGY,
    DEFAULT_STRATEGY,
    DEFAULT_TOPIC_MODEL,
    CrawlConfig,
)
from frontier.duplicates.finder import DUPLICATES, DuplicatePolicy
from frontier.enough import Enough
from frontier.errors import SettingsError
from frontier.pagerules.policy import DISCOVER, NOFOLLOW_WAYS, PagePolicy
from frontier.refresh.blocks import NUMBERS
from frontier.refresh.policy import OFF, REFRESH, WAYS, RefreshPolicy, shares
from frontier.render import AUTO
from frontier.robots.parser import product_token
from frontier.texts import ALL, MAIN
from frontier.traps.limits import TRAP_LIMITS, TrapLimits
from frontier.urls.addresses import parse_networks
from frontier.urls.rules import BY_W3LIB, CLEANED, TRACKING, UrlRules
from ranking.spelling import or_rather

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from scrapy.settings import BaseSettings

    from frontier.urls.addresses import Network

PREFIX = "FRONTIER_"


@dataclass(frozen=True)
class Setting:
    """A setting of the plugin. Its type is that of `default`; None: an optional whole number."""

    name: str
    default: object
    bounds: tuple[float, float] | None = None
    """Least and greatest number; None: the reader of the value checks it."""
    words: tuple[str, ...] = ()
    """The allowed words, in any letter case; empty: any text. Of a dict its names, each with an
    example."""

    def read(self, settings: BaseSettings) -> Any:
        """Return the value: a bool, number, text, list or dict; raises SettingsError."""
        given: Any = settings.get(self.name, self.default)
        if self.default is None and given in (None, ""):
            return None
        if isinstance(self.default, bool):
            usual = self.default
            return self._checked(lambda: settings.getbool(self.name, usual), given, "true or false")
        if isinstance(self.default, tuple):
            return settings.getlist(self.name, list(self.default))
        if isinstance(self.default, dict):
            example = f"a dict of numbers, or text such as {' '.join(self.words)!r}"
            return self._checked(lambda: self._numbers(given), given, example)
        if isinstance(self.default, str):
            return self._word(str(given or self.default).strip())
        kind = float if isinstance(self.default, float) else int
        if self.bounds is None:
            wanted = "a whole number" if kind is int else "a number"
            return self._checked(lambda: kind(given), given, wanted)
        return kind(self._between(given, *self.bounds))

    def _between(self, given: Any, low: float, high: float) -> float:
        wanted = f"a number between {low:g} and {high:g}"
        value: float = self._checked(lambda: float(given), given, wanted)
        if not low <= value <= high:
            raise self._wrong(given, wanted)
        return value

    def _word(self, given: str) -> str:
        if not self.words:
            return given
        if given.lower() not in self.words:
            raise self._wrong(given, " or ".join(map(repr, self.words)))
        return given.lower()

    def _numbers(self, given: Any) -> dict[str, float]:
        """Numbers by name, from a dict or a text; raises ValueError."""
        if isinstance(given, str):
            text = re.sub(r"\s*=\s*", "=", given).replace(",", " ")
            is_json = text.startswith("{")
            given = json.loads(given) if is_json else dict(pair.split("=") for pair in text.split())
        numbers = {name: float(number) for name, number in dict(given or {}).items()}
        if not numbers.keys() <= {word.partition("=")[0] for word in self.words}:
            raise ValueError
        return {
            name: int(number) if number.is_integer() else number for name, number in numbers.items()
        }

    def _checked(self, read: Callable[[], Any], given: object, wanted: str) -> Any:
        try:
            return read()
        except (TypeError, ValueError, OverflowError):
            raise self._wrong(given, wanted) from None

    def _wrong(self, given: object, wanted: str) -> SettingsError:
        return SettingsError(
            f"{self.name} must be {wanted}, but is {given!r}. Correct it, or leave it out for the "
            f"default {self.default}."
        )


ALLOW, DISALLOW = "allow", "disallow"
LAST, DROP = "last", "drop"

POLITENESS = (
    Setting("FRONTIER_CRAWL_DELAY_CAP", 0.0),
    Setting("FRONTIER_RETRY_AFTER_CAP", 0.0),
    Setting("FRONTIER_BACKOFF", 0.0),
    Setting("FRONTIER_DOMAIN_CONCURRENCY", 0),
    Setting("FRONTIER_DEAD_AFTER", 0),
)
"""Each is a field of `frontier.politeness.Limits`, in capital letters.

The defaults add nothing to a project's own settings, so that a project is as fast with the frontier
as without. `frontier/plugin/focus/settings.py` has those of a polite crawl.
"""

SETTINGS = (
    Setting("FRONTIER_TOPIC", ""),
    Setting("FRONTIER_EXAMPLES", ""),
    Setting("FRONTIER_NOT_EXAMPLES", ""),
    Setting("FRONTIER_STRATEGY", ""),
    Setting("FRONTIER_SCORES", ""),
    Setting("TOPIC_MODEL", DEFAULT_TOPIC_MODEL),
    Setting("FRONTIER_VECTORS", CrawlConfig.vectors),
    Setting("FRONTIER_DAMPING", CrawlConfig.damping),
    Setting("FRONTIER_MAX_IN_FLIGHT", CrawlConfig.max_in_flight),
    Setting("FRONTIER_WAIT_FOR_BEST", CrawlConfig.wait_for_best),
    Setting("FRONTIER_RANDOM_SEED", CrawlConfig.random_seed),
    Setting("FRONTIER_ACCEPT_CHANGES", False),
    Setting("FRONTIER_ENOUGH", {}, words=("last=500", "share=0.02", "left=50")),
    Setting("FRONTIER_PROGRESS", False),
    Setting("FRONTIER_SUMMARY", False),
    Setting("FRONTIER_METRICS_PORT", None, bounds=(0, 65535)),
    Setting("WARC_FILE", ""),
    Setting("FRONTIER_INDEX", False),
    Setting("FRONTIER_RENDER", OFF, words=(OFF, AUTO, ALL)),
    Setting("FRONTIER_TEXT", CrawlConfig.text, words=(OFF, ALL, MAIN)),
    Setting("FRONTIER_TEXT_MB", CrawlConfig.text_mb, bounds=(1, 1e9)),
    # Several processes that crawl for one frontier.
    Setting("FRONTIER_EXCHANGE", ""),
    # Revisits.
    Setting("FRONTIER_REFRESH", OFF, words=WAYS),
    Setting("FRONTIER_REFRESH_SHARE", (str(REFRESH.least_share), str(REFRESH.most_share))),
    Setting("FRONTIER_REFRESH_MIN", REFRESH.least),
    Setting("FRONTIER_REFRESH_MAX", REFRESH.most),
    Setting("FRONTIER_REFRESH_NUMBERS", REFRESH.numbers, words=NUMBERS),
    # robots.txt.
    Setting("FRONTIER_ROBOTS_UNREACHABLE", ALLOW, words=(ALLOW, DISALLOW)),
    # Robots meta elements, nofollow, canonical addresses.
    Setting("FRONTIER_ROBOTS_META", True),
    Setting("FRONTIER_NOFOLLOW", DISCOVER, words=tuple(NOFOLLOW_WAYS)),
    Setting("FRONTIER_CANONICAL", True),
    # URLs and pages that are the same.
    Setting("FRONTIER_CANONICAL_URLS", False),
    Setting("FRONTIER_TRACKING_PARAMETERS", TRACKING),
    Setting("FRONTIER_DUPLICATE_SIMILARITY", DUPLICATES.similarity),
    # Crawler traps and bad pages.
    Setting("FRONTIER_TRAPS", LAST, words=(LAST, DROP)),
    Setting("FRONTIER_TRAP_BUDGET", TRAP_LIMITS.budget),
    Setting("FRONTIER_DISTRUST", ""),
    # Addresses that may be connected to.
    Setting("FRONTIER_ALLOW_NETWORKS", ()),
    Setting("FRONTIER_UNGUARDED_HANDLERS", ()),
    *POLITENESS,
)
BY_NAME = {setting.name: setting for setting in SETTINGS}


def value(settings: BaseSettings, name: str) -> Any:
    """Return the value of a setting; raises SettingsError if it is not valid."""
    return BY_NAME[name].read(settings)


def values(settings: BaseSettings, declared: Iterable[Setting]) -> dict[str, Any]:
    """Return the values of settings by their names in small letters, without FRONTIER_."""
    return {
        setting.name.removeprefix(PREFIX).lower(): setting.read(settings) for setting in declared
    }


def config_from(settings: BaseSettings) -> CrawlConfig:
    """Read Scrapy's settings into a `CrawlConfig`.

    Raises SettingsError or UnknownOrderError, which name the setting, for an invalid value.
    """
    for name in ("FRONTIER_TOPIC", "FRONTIER_EXAMPLES"):
        _require_letters(name, str(settings.get(name) or ""))
    given = values(settings, SETTINGS)
    focused = given["topic"] or given["examples"]
    directory = settings.get("JOBDIR")
    given |= {
        "strategy": given["strategy"]
        or (DEFAULT_FOCUSED_STRATEGY if focused else DEFAULT_STRATEGY),
        "directory": Path(directory) if directory else None,
        "scores": _absolute(given["scores"]),
        "distrust": _absolute(given["distrust"]),
        "url_rules": UrlRules(CLEANED, tuple(given["tracking_parameters"]))
        if given["canonical_urls"]
        else BY_W3LIB,
        "duplicates": DuplicatePolicy(given["duplicate_similarity"]),
        "page_policy": _page_policy(settings, given),
        # The index is made of texts.
        "text": ALL if given["index"] and given["text"] == OFF else given["text"],
        "enough": _enough(given["enough"], focused=bool(focused)),
        "refresh": RefreshPolicy(
            given["refresh"],
            *shares(given["refresh_share"]),
            least=given["refresh_min"],
            most=given["refresh_max"],
            numbers=given["refresh_numbers"],
        ),
        "traps": TrapLimits(
            budget=given["trap_budget"],
            url_length=settings.getint("URLLENGTH_LIMIT"),
            drop=given["traps"] == DROP,
        ),
    }
    return CrawlConfig(
        **{field.name: given[field.name] for field in fields(CrawlConfig) if field.name in given}
    )


def _require_letters(name: str, text: str) -> None:
    """Refuse a topic without words, which would silently be a crawl without a topic."""
    if text and not any(map(str.isalnum, text)):
        raise SettingsError(
            f"{name} must hold words, but is {text!r}. Give words of the topic or pages about it, "
            "or leave it out to crawl without a topic."
        )


def _enough(given: dict[str, Any], *, focused: bool) -> Enough:
    enough = Enough(**given)
    if given and not enough.is_set:
        raise SettingsError(
            f"FRONTIER_ENOUGH must hold share or left, but is {given!r}. Add one of them, as in "
            "'last=500 share=0.02', or leave it out to crawl until nothing is left."
        )
    if given and not focused:
        raise SettingsError(
            f"FRONTIER_ENOUGH counts relevant pages, and is {given!r} in a crawl without a topic. "
            "Set FRONTIER_TOPIC or FRONTIER_EXAMPLES, or take CLOSESPIDER_PAGECOUNT in its place."
        )
    return enough


def _page_policy(settings: BaseSettings, given: dict[str, Any]) -> PagePolicy:
    user_agent = settings.get("ROBOTSTXT_USER_AGENT") or settings.get("USER_AGENT") or ""
    return PagePolicy(
        token=product_token(str(user_agent)),
        robots_meta=given["robots_meta"],
        canonical=given["canonical"],
        nofollow=given["nofollow"],
    )


def allowed_networks(settings: BaseSettings) -> tuple[Network, ...]:
    """The networks of FRONTIER_ALLOW_NETWORKS."""
    return parse_networks([str(network) for network in value(settings, "FRONTIER_ALLOW_NETWORKS")])


def unknown_settings(settings: BaseSettings) -> list[str]:
    """A sentence for each FRONTIER_* setting that does not exist."""
    unknown = {name for name in settings if name.startswith(PREFIX)} - set(BY_NAME)
    return [
        f"There is no setting {name}{or_rather(name, BY_NAME, PREFIX)}: it has no effect. See "
        '"Settings" in the documentation for those that have'
        for name in sorted(unknown)
    ]


def _absolute(path: str) -> str:
    # A crawl is resumed with the same file from another directory, too. Not resolve(): of a
    # shell's /dev/fd/63 it makes a name that cannot be opened.
    return os.path.abspath(path) if path else ""  # noqa: PTH100 - absolute() keeps the ".."


def add(settings: BaseSettings, name: str, components: Mapping[str, int]) -> None:
    """Add components to a component dict, at the priority of the project's setting."""
    present = paths_of(settings.getwithbase(name))
    missing = {path: order for path, order in components.items() if path not in present}
    if missing:
        priority = priority_of(settings, name)
        settings.set(name, {**dict(settings[name]), **missing}, priority)


def replace(settings: BaseSettings, name: str, base: str, path: str) -> None:
    """Replace a component of Scrapy, unless the project has removed it."""
    order = settings.getwithbase(name).get(base)
    if order is not None:
        changed = {**dict(settings[name]), base: None, path: order}
        settings.set(name, changed, priority_of(settings, name))


def paths_of(components: Iterable[Any]) -> set[str]:
    """The import paths of components, which a project may give as classes.

    Scrapy would load a component twice that is listed by path and as a class.
    """
    return {
        component if isinstance(component, str) else global_object_name(component)
        for component in components
    }


def priority_of(settings: BaseSettings, name: str) -> int:
    """The priority of a setting, so that a project's value is replaced; at least add-ons'."""
    return max(settings.getpriority(name) or 0, get_settings_priority("addon"))
