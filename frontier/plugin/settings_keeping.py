"""Settings of what keeps a crawl whole: its files, and how it goes on."""

from __future__ import annotations

from frontier.plugin.setting import Setting

SETTINGS = (
    Setting(
        "FRONTIER_RESUME_HINT",
        True,
        "true or false",
        "A crawl that stops before its end says in its log how to go on, and a closed terminal "
        "stops it like Ctrl-C. Off: neither.",
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
