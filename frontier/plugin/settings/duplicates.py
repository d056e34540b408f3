"""Settings of what is the same URL, and of what is the same page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.duplicates.policy import DUPLICATES
from frontier.plugin.settings.declare import Setting, values
from frontier.urls.rules import BY_W3LIB, CLEANED, TRACKING, UrlRules

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

SETTINGS = (
    Setting(
        "FRONTIER_CANONICAL_URLS",
        False,
        "True or False",
        "True: URLs that differ in what selects no content (session ids, tracking parameters, "
        "repeated slashes ...) are one URL, fetched once; see docs/duplicates.md. False: only "
        "those that w3lib calls the same, as in Scrapy: what a spider asks for is fetched. The "
        "focused crawler of this repository uses True. A crawl keeps what it was started with.",
    ),
    Setting(
        "FRONTIER_TRACKING_PARAMETERS",
        TRACKING,
        "names, `utm_*` for all that begin so, as a list or separated by commas",
        "Arguments that tell where a visitor came from and select content on no site. The list "
        "replaces the default one; empty: no argument is dropped for its name but session ids. "
        "Used where `FRONTIER_CANONICAL_URLS` is True.",
    ),
    Setting(
        "FRONTIER_DUPLICATE_SIMILARITY",
        DUPLICATES.similarity,
        "Jaccard similarity of three-word shingles, 0.7 to 1, or 0",
        "Similarity from which a page is a near-duplicate: it is stored and marked, its relevance "
        "is 0 and its links carry no weight. Pages from one template reach 0.8, versions of a "
        "document 0.9, mirrors 0.95. 0: off, for exact duplicates too.",
    ),
    Setting(
        "FRONTIER_DUPLICATE_PAGES",
        DUPLICATES.remembered,
        "pages",
        "Pages that are remembered for near-duplicate search, 350 bytes each; beyond them the "
        "oldest is forgotten.",
    ),
)


def url_rules(settings: BaseSettings) -> UrlRules:
    """What the settings say of spellings of URLs."""
    said = values(settings, SETTINGS)
    if not said["canonical_urls"]:
        return BY_W3LIB
    return UrlRules(CLEANED, tuple(said["tracking_parameters"]))
