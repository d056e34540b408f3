"""Settings of what reading one page may cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.parsing.reader import ReadingLimits
from frontier.plugin.settings.declare import Setting, values

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

_MIB = 1024 * 1024
_USUAL = ReadingLimits()

SETTINGS = (
    Setting(
        "FRONTIER_MAX_BODY",
        _USUAL.body,
        "bytes, unpacked",
        "A few kilobytes may unpack to gigabytes. What is unpacked by then is read and the page "
        "marked as truncated. Four times of what is downloaded at most: markup packs to a fifth.",
        (1, 2**40),
    ),
    Setting(
        "FRONTIER_PAGE_SECONDS",
        _USUAL.seconds,
        "seconds",
        "Pages above 512 KiB are read by a process of their own, which is ended after that time: "
        "no page stops the crawl for longer. An honest page of 5 MB takes half a second.",
        (0.01, 3600.0),
    ),
    Setting(
        "FRONTIER_PAGE_MEMORY",
        _USUAL.memory,
        "bytes",
        "What that process may have, all in all. A page that needs more fails, the crawl goes on.",
        (64 * _MIB, 2**45),
    ),
    Setting(
        "FRONTIER_MAX_LINKS",
        _USUAL.links,
        "links a page",
        "Links that are read of one page: a page of a million links must not fill the frontier.",
        (1, 10**7),
    ),
    Setting(
        "FRONTIER_MAX_HOSTS",
        _USUAL.hosts,
        "hosts a page",
        "Hosts that one page may link to; links to more are dropped and counted. The largest link "
        "directories name some hundred.",
        (1, 10**7),
    ),
)


def limits_from(settings: BaseSettings) -> ReadingLimits:
    """What the settings say; raises SettingsError for a value out of its range."""
    said = values(settings, SETTINGS)
    return ReadingLimits(
        body=said["max_body"],
        seconds=said["page_seconds"],
        memory=said["page_memory"],
        links=said["max_links"],
        hosts=said["max_hosts"],
    )
