"""The demonstration web: a few hundred made-up pages to try a focused crawl on.

It has eleven hosts under ``.example`` and five topics, is recorded in demo.warc.gz beside this
file, and holds the oddities of real webs: permanent, temporary and double redirects, missing pages,
a calendar of three years, pages that robots.txt forbids, a guestbook with nofollow links, text that
is no HTML, and HTML that is not UTF-8.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from frontier.web.recorded_web import RecordedWeb

DEMO_SEEDS: Final = ("http://observatory.example/", "http://portal.example/")
"""Where a crawl starts: one page on the topic, and the portal."""
DEMO_TOPIC: Final = "astronomy telescopes planets stars galaxies"
"""The topic a demonstration crawls for, as a person would ask for it."""


def demo_web() -> RecordedWeb:
    """Open the demonstration web."""
    return RecordedWeb([Path(__file__).with_name("demo.warc.gz")])
