"""Settings of what keeps a crawl whole: its files, and how it goes on."""

from __future__ import annotations

from frontier.config import CrawlConfig
from frontier.plugin.settings.declare import Setting

SETTINGS = (
    Setting(
        "FRONTIER_ITEMS_SECONDS",
        600.0,
        "seconds",
        "A page counts as fetched when its last item is through the pipelines, so that a process "
        "that dies before fetches it again. After this long it counts all the same, with a "
        "warning. 0: it counts when its callback has ended.",
        (0.0, 1e9),
    ),
    Setting(
        "FRONTIER_DEATHS",
        CrawlConfig.deaths,
        "deaths of the process, 0 to 1000",
        "A URL that was in flight at so many deaths is fetched last and alone, and given up as an "
        "error if the process dies of it as often again, see docs/recovery.md. One death proves "
        "nothing; two, and a page that kills the process costs four starts in all. 0: the best "
        "URLs are fetched first, whatever they do.",
    ),
    Setting(
        "FRONTIER_RESUME_HINT",
        True,
        "true or false",
        "Log how to resume when a crawl stops before its end, and stop gracefully when the "
        "terminal closes (SIGHUP). Off: neither.",
    ),
    Setting(
        "FRONTIER_RESUME_COMMAND",
        "",
        "a command for a shell",
        "The command shown for resuming, for crawls that another program starts, as `make crawl` "
        "does. Empty: the command line of the crawl itself.",
    ),
    Setting(
        "FRONTIER_WHOLE_FEEDS",
        True,
        "true or false",
        "Items reach their file before their page counts as fetched, a line that a killed process "
        "cut off is taken away before lines are appended, and a feed that cannot be written stops "
        "the crawl. Off: feeds are as Scrapy writes them.",
    ),
)
