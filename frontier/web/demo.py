"""The demonstration web: a few hundred made-up pages to try a focused crawl on.

Eleven hosts under ``.example`` and five topics, recorded in demo.warc.gz beside this file, with
what real webs are full of: redirects that move for good, for now and twice, pages that are
missing or gone, a calendar of three years, pages that robots.txt forbids, a guestbook whose links
say nofollow, text that is no HTML, and HTML that is not UTF-8.
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
