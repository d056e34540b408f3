"""From Scrapy's settings to what a crawl is about, a `CrawlConfig`."""

from __future__ import annotations

import os
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from frontier.config import DEFAULT_FOCUSED_STRATEGY, DEFAULT_STRATEGY, CrawlConfig
from frontier.duplicates.finder import DuplicatePolicy
from frontier.errors import SettingsError
from frontier.pagerules.policy import PagePolicy
from frontier.plugin.settings.table import BY_NAME, DROP, PREFIX, SETTINGS, value, values
from frontier.robots.user_agent import product_token
from frontier.traps.limits import TrapLimits
from frontier.urls.addresses import parse_networks
from frontier.urls.rules import BY_W3LIB, CLEANED, UrlRules
from ranking.spelling import or_rather
from ranking.topics.files import names_a_file

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from frontier.urls.addresses import Network


def config_from(settings: BaseSettings) -> CrawlConfig:
    """Read Scrapy's settings into a `CrawlConfig`.

    Raises SettingsError or UnknownOrderError, which name the setting, for a value that cannot be
    used.
    """
    for name in ("FRONTIER_TOPIC", "FRONTIER_EXAMPLES"):
        _require_letters(name, str(settings.get(name) or ""))
    said = values(settings, SETTINGS)
    focused = said["topic"] or said["examples"] or names_a_file(said["topic_model"])
    directory = settings.get("JOBDIR")
    said |= {
        "strategy": said["strategy"] or (DEFAULT_FOCUSED_STRATEGY if focused else DEFAULT_STRATEGY),
        "directory": Path(directory) if directory else None,
        "scores": _absolute(said["scores"]),
        "distrust": _absolute(said["distrust"]),
        "url_rules": UrlRules(CLEANED, tuple(said["tracking_parameters"]))
        if said["canonical_urls"]
        else BY_W3LIB,
        "duplicates": DuplicatePolicy(said["duplicate_similarity"]),
        "page_policy": _page_policy(settings, said),
        "traps": TrapLimits(
            budget=said["trap_budget"],
            url_length=settings.getint("URLLENGTH_LIMIT"),
            drop=said["traps"] == DROP,
        ),
    }
    return CrawlConfig(
        **{one.name: said[one.name] for one in fields(CrawlConfig) if one.name in said}
    )


def _require_letters(name: str, text: str) -> None:
    """A topic that was given and says nothing must not become a crawl without one."""
    if text and not any(map(str.isalnum, text)):
        raise SettingsError(
            f"{name} must hold words, but is {text!r}. Give words of the topic or pages about it, "
            "or leave it out to crawl without a topic."
        )


def _page_policy(settings: BaseSettings, said: dict[str, Any]) -> PagePolicy:
    user_agent = settings.get("ROBOTSTXT_USER_AGENT") or settings.get("USER_AGENT") or ""
    return PagePolicy(
        token=product_token(str(user_agent)),
        robots_meta=said["robots_meta"],
        canonical=said["canonical"],
        nofollow=said["nofollow"],
    )


def allowed_networks(settings: BaseSettings) -> tuple[Network, ...]:
    """FRONTIER_ALLOW_NETWORKS, a list or its parts separated by commas."""
    return parse_networks([str(one) for one in value(settings, "FRONTIER_ALLOW_NETWORKS")])


def unknown_settings(settings: BaseSettings) -> list[str]:
    """A sentence for each FRONTIER_* setting, whoever set it, that does not exist."""
    unknown = {name for name in settings if name.startswith(PREFIX)} - set(BY_NAME)
    return [
        f"There is no setting {name}{or_rather(name, BY_NAME, PREFIX)}: it has no effect. See "
        '"Settings" in the documentation for those that have'
        for name in sorted(unknown)
    ]


def _absolute(path: str) -> str:
    # A crawl is resumed with the same file, from wherever and however it is named. Not resolve():
    # what a shell names /dev/fd/63 would become a name that cannot be opened.
    return os.path.abspath(path) if path else ""  # noqa: PTH100 - absolute() keeps the ".."
