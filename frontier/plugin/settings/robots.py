"""Settings of robots.txt and sitemaps; what the rules are stands in docs/robots.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from frontier.plugin.settings.declare import Setting, values
from frontier.robots.parser import LIMIT
from frontier.robots.response import DAY

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

ALLOW, DISALLOW = "allow", "disallow"

SETTINGS = (
    Setting(
        "FRONTIER_ROBOTS_TIMEOUT",
        0.0,
        "seconds",
        "A robots.txt that takes longer is unreachable. 0: DOWNLOAD_TIMEOUT, as in Scrapy. The "
        "focused crawler uses 20, for all pages of a host wait for it.",
        (0.0, DAY),
    ),
    Setting(
        "FRONTIER_ROBOTS_PATIENCE",
        2.0,
        "seconds",
        "A page waits so long in the downloader for the robots.txt of its host, as a robots.txt "
        "rarely takes longer. Then it is taken back, and others have its place.",
        (0.0, DAY),
    ),
    Setting(
        "FRONTIER_ROBOTS_RETRIES",
        2,
        "tries after the first",
        "As for pages. While other pages can be crawled, a robots.txt that cannot be reached is "
        "asked for again and again; at the end of a crawl it is given up after so many tries.",
        (0, 1000),
    ),
    Setting(
        "FRONTIER_ROBOTS_BACKOFF",
        2.0,
        "seconds",
        "Pause before the second try. Each further one is four times as long, an hour at most.",
        (0.01, 3600.0),
    ),
    Setting(
        "FRONTIER_ROBOTS_UNREACHABLE",
        ALLOW,
        "`allow` or `disallow`",
        "What a robots.txt says that cannot be reached: a 5xx, a timeout, a connection refused. "
        "`allow`: nothing, as in Scrapy; it is retried as RETRY_TIMES says, then the pages are "
        "fetched, and fail by themselves where their host does not answer. `disallow`: nothing may "
        "be fetched for the time being, as RFC 9309 has it; the focused crawler of this repository "
        "uses that.",
        words=(ALLOW, DISALLOW),
    ),
    Setting(
        "FRONTIER_ROBOTS_LIFETIME",
        DAY,
        "seconds, 0 to 86400",
        "A robots.txt is used for so long, or for less where its Cache-Control says so. RFC 9309 "
        "sets the limit of 24 hours.",
        (0.0, DAY),
    ),
    Setting(
        "FRONTIER_ROBOTS_STALE",
        30 * DAY,
        "seconds",
        "The last robots.txt of a host holds for so long where there is no new one to be had. RFC "
        "9309 names 30 days.",
        (0.0, 365 * DAY),
    ),
    Setting(
        "FRONTIER_ROBOTS_MAXSIZE",
        LIMIT,
        "bytes, 512000 or more",
        "More of a robots.txt is not read. RFC 9309 asks for 500 KiB at least.",
        (LIMIT, 1 << 30),
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


@dataclass(frozen=True)
class RobotsLimits:
    """The settings above as values.

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
    """Read the limits; raises SettingsError for a value that is none or out of its range."""
    said = values(settings, SETTINGS)
    return RobotsLimits(
        seconds=said["robots_timeout"],
        lenient=said["robots_unreachable"] == ALLOW,
        patience=said["robots_patience"],
        retries=said["robots_retries"],
        rest=said["robots_backoff"],
        lifetime=said["robots_lifetime"],
        stale=said["robots_stale"],
        size=said["robots_maxsize"],
    )
