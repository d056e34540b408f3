"""Everything that must survive a crash: `Store` for the crawl that runs, `StoreReader` to look."""

from frontier.facts import RobotsRow, Sample
from frontier.states import ELSEWHERE, NAMED, NOFOLLOW, REDIRECT, WEIGHTLESS
from frontier.store.link_text import (
    KEPT,
    REPEATED,
    SAID,
    TOPICAL,
    LinkText,
    LinkTexts,
    features_of,
    stored_features,
)
from frontier.store.loading import Loaded, LoadedPages
from frontier.store.open import FILE_NAME
from frontier.store.policy_tables import PolitenessRow, RefusalRow
from frontier.store.reader import InLinks, StoreReader
from frontier.store.rows import (
    PLAIN,
    LeaseRow,
    Links,
    PageRow,
    StoredLesson,
    UrlRow,
    stored_promises,
)
from frontier.store.store import Store

__all__ = [
    "ELSEWHERE",
    "FILE_NAME",
    "KEPT",
    "NAMED",
    "NOFOLLOW",
    "PLAIN",
    "REDIRECT",
    "REPEATED",
    "SAID",
    "TOPICAL",
    "WEIGHTLESS",
    "InLinks",
    "LeaseRow",
    "LinkText",
    "LinkTexts",
    "Links",
    "Loaded",
    "LoadedPages",
    "PageRow",
    "PolitenessRow",
    "RefusalRow",
    "RobotsRow",
    "Sample",
    "Store",
    "StoreReader",
    "StoredLesson",
    "UrlRow",
    "features_of",
    "stored_features",
    "stored_promises",
]
