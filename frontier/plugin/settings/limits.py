"""Groups of settings as the values that a part of the plugin works with.

Each function raises SettingsError for a value that is none or out of its range.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from frontier.parsing.reader import ReadingLimits
from frontier.plugin.settings.table import ALLOW, value
from frontier.urls.addresses import parse_networks

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from frontier.urls.addresses import Network


@dataclass(frozen=True)
class RobotsLimits:
    """What is done to get a robots.txt.

    `seconds` of 0 are those of any download. Where it is `lenient`, what cannot be reached forbids
    nothing.
    """

    seconds: float
    lenient: bool
    patience: float
    retries: int
    rest: float
    lifetime: float
    stale: float
    size: int


def robots_limits(settings: BaseSettings) -> RobotsLimits:
    """How a robots.txt is asked for."""
    return RobotsLimits(
        seconds=value(settings, "FRONTIER_ROBOTS_TIMEOUT"),
        lenient=value(settings, "FRONTIER_ROBOTS_UNREACHABLE") == ALLOW,
        patience=value(settings, "FRONTIER_ROBOTS_PATIENCE"),
        retries=value(settings, "FRONTIER_ROBOTS_RETRIES"),
        rest=value(settings, "FRONTIER_ROBOTS_BACKOFF"),
        lifetime=value(settings, "FRONTIER_ROBOTS_LIFETIME"),
        stale=value(settings, "FRONTIER_ROBOTS_STALE"),
        size=value(settings, "FRONTIER_ROBOTS_MAXSIZE"),
    )


def reading_limits(settings: BaseSettings) -> ReadingLimits:
    """What reading one page may cost."""
    return ReadingLimits(
        body=value(settings, "FRONTIER_MAX_BODY"),
        seconds=value(settings, "FRONTIER_PAGE_SECONDS"),
        memory=value(settings, "FRONTIER_PAGE_MEMORY"),
        links=value(settings, "FRONTIER_MAX_LINKS"),
        hosts=value(settings, "FRONTIER_MAX_HOSTS"),
    )


def allowed_networks(settings: BaseSettings) -> tuple[Network, ...]:
    """FRONTIER_ALLOW_NETWORKS, a list or its parts separated by commas."""
    return parse_networks([str(one) for one in value(settings, "FRONTIER_ALLOW_NETWORKS")])
