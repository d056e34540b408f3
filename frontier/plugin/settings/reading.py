"""Settings of what reading one page may cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.parsing.reader import ReadingLimits
from frontier.plugin.settings.declare import Setting, number_between

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

_MIB = 1024 * 1024

SETTINGS = (
    Setting(
        "FRONTIER_MAX_BODY",
        16 * _MIB,
        "bytes, unpacked",
        "A few kilobytes may unpack to gigabytes. What is unpacked by then is read and the page "
        "marked as truncated. Four times of what is downloaded at most: markup packs to a fifth.",
    ),
    Setting(
        "FRONTIER_PAGE_SECONDS",
        2.0,
        "seconds",
        "Pages above 512 KiB are read by a process of their own, which is ended after that time: "
        "no page stops the crawl for longer. An honest page of 5 MB takes half a second.",
    ),
    Setting(
        "FRONTIER_PAGE_MEMORY",
        512 * _MIB,
        "bytes",
        "What that process may have, all in all. A page that needs more fails, the crawl goes on.",
    ),
    Setting(
        "FRONTIER_MAX_HOSTS",
        500,
        "hosts a page",
        "Links to more hosts are refused, and counted: a page of 200,000 hosts must not fill the "
        "frontier. The largest directories of links name some hundred.",
    ),
)

_RANGES = {
    "FRONTIER_MAX_BODY": (1, 2**40),
    "FRONTIER_PAGE_SECONDS": (0.01, 3600.0),
    "FRONTIER_PAGE_MEMORY": (64 * _MIB, 2**45),
    "FRONTIER_MAX_HOSTS": (1, 10**7),
    "FRONTIER_MAX_LINKS": (1, 10**7),
}
_DEFAULTS = {one.name: one.default for one in SETTINGS} | {"FRONTIER_MAX_LINKS": 5000}


def limits_from(settings: BaseSettings) -> ReadingLimits:
    """What the settings say; raises SettingsError for a value out of its range."""
    return ReadingLimits(
        body=int(_number(settings, "FRONTIER_MAX_BODY")),
        seconds=_number(settings, "FRONTIER_PAGE_SECONDS"),
        memory=int(_number(settings, "FRONTIER_PAGE_MEMORY")),
        links=int(_number(settings, "FRONTIER_MAX_LINKS")),
        hosts=int(_number(settings, "FRONTIER_MAX_HOSTS")),
    )


def _number(settings: BaseSettings, name: str) -> float:
    return number_between(settings, name, _RANGES[name], _DEFAULTS[name])
