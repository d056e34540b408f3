"""Settings of robots.txt and sitemaps; what the rules are stands in docs/robots.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from frontier.plugin.setting import Setting, number_between
from frontier.robots.answers import DAY
from frontier.robots.lines import LIMIT

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

SETTINGS = (
    Setting(
        "FRONTIER_ROBOTS_TIMEOUT",
        20.0,
        "seconds",
        "A robots.txt that takes longer is unreachable. Shorter than that of pages, for all pages "
        "of its host wait for it.",
    ),
    Setting(
        "FRONTIER_ROBOTS_PATIENCE",
        2.0,
        "seconds",
        "A page waits so long in the downloader for the robots.txt of its host, as a robots.txt "
        "rarely takes longer. Then it is taken back, and others have its place.",
    ),
    Setting(
        "FRONTIER_ROBOTS_RETRIES",
        2,
        "tries after the first",
        "As for pages. While other pages can be crawled, a robots.txt that cannot be reached is "
        "asked for again and again; at the end of a crawl it is given up after so many tries.",
    ),
    Setting(
        "FRONTIER_ROBOTS_BACKOFF",
        2.0,
        "seconds",
        "Pause before the second try. Each further one is four times as long, an hour at most.",
    ),
    Setting(
        "FRONTIER_ROBOTS_LIFETIME",
        DAY,
        "seconds, 0 to 86400",
        "A robots.txt is used for so long, or for less where its Cache-Control says so. RFC 9309 "
        "sets the limit of 24 hours.",
    ),
    Setting(
        "FRONTIER_ROBOTS_STALE",
        30 * DAY,
        "seconds",
        "The last robots.txt of a host holds for so long where there is no new one to be had. RFC "
        "9309 names 30 days.",
    ),
    Setting(
        "FRONTIER_ROBOTS_MAXSIZE",
        LIMIT,
        "bytes, 512000 or more",
        "More of a robots.txt is not read. RFC 9309 asks for 500 KiB at least.",
    ),
    Setting(
        "FRONTIER_SITEMAPS",
        False,
        "true or false",
        "The sitemaps that robots.txt names are read, and what they list is crawled too. Off: a "
        "crawl that follows links finds what is important anyway, and a sitemap lists the rest.",
    ),
    Setting(
        "FRONTIER_SITEMAPS_FILES",
        20,
        "files an origin",
        "More sitemaps are not read in one run.",
    ),
    Setting(
        "FRONTIER_SITEMAPS_URLS",
        5000,
        "URLs an origin",
        "More of what sitemaps list does not enter the frontier in one run.",
    ),
)

SCRAPY = (
    Setting(
        "ROBOTSTXT_OBEY",
        True,
        "true or false",
        "Sites say in robots.txt what crawlers may fetch, and it is kept to as RFC 9309 has it. "
        "False: it is not even asked for.",
    ),
)
"""Settings of Scrapy's own, with the defaults that the add-on gives them."""


@dataclass(frozen=True)
class RobotsLimits:
    """The settings above as values."""

    seconds: float
    patience: float
    retries: int
    rest: float
    lifetime: float
    stale: float
    size: int


def robots_limits(settings: BaseSettings) -> RobotsLimits:
    """Read the limits; raises SettingsError for a value that is none or out of its range."""
    return RobotsLimits(
        seconds=_number(settings, "FRONTIER_ROBOTS_TIMEOUT", 0.1, DAY),
        patience=_number(settings, "FRONTIER_ROBOTS_PATIENCE", 0.0, DAY),
        retries=int(_number(settings, "FRONTIER_ROBOTS_RETRIES", 0, 1000)),
        rest=_number(settings, "FRONTIER_ROBOTS_BACKOFF", 0.01, 3600),
        lifetime=_number(settings, "FRONTIER_ROBOTS_LIFETIME", 0.0, DAY),
        stale=_number(settings, "FRONTIER_ROBOTS_STALE", 0.0, 365 * DAY),
        size=int(_number(settings, "FRONTIER_ROBOTS_MAXSIZE", LIMIT, 1 << 30)),
    )


def _number(settings: BaseSettings, name: str, low: float, high: float) -> float:
    return number_between(settings, name, (low, high), _DEFAULTS[name])


_DEFAULTS = {setting.name: setting.default for setting in SETTINGS}
