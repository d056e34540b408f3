"""Settings of what is the same URL, and of what is the same page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.plugin.setting import Setting
from frontier.urlrules import CLEANED, TRACKING, W3LIB_ALONE, UrlRules

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

SETTINGS = (
    Setting(
        "FRONTIER_CANONICAL_URLS",
        True,
        "True or False",
        "URLs that differ in what selects no content (session ids, tracking parameters, repeated "
        "slashes ...) are one URL, fetched once; see docs/duplicates.md. False: only those that "
        "w3lib calls the same. A crawl keeps what it was started with.",
    ),
    Setting(
        "FRONTIER_TRACKING_PARAMETERS",
        TRACKING,
        "names, `utm_*` for all that begin so, as a list or separated by commas",
        "Arguments that tell where a visitor came from and select content on no site. The list "
        "replaces the default one; empty: no argument is dropped for its name but session ids.",
    ),
)


def url_rules(settings: BaseSettings) -> UrlRules:
    """What the settings say of spellings of URLs."""
    if not settings.getbool("FRONTIER_CANONICAL_URLS", True):
        return UrlRules(W3LIB_ALONE, ())
    return UrlRules(CLEANED, tuple(settings.getlist("FRONTIER_TRACKING_PARAMETERS", [*TRACKING])))
