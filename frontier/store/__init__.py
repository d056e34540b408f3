"""Everything that must survive a crash: `Store` for the crawl that runs, `StoreReader` to look."""

from frontier.store.loading import Loaded, LoadedPages
from frontier.store.opening import FILE_NAME
from frontier.store.reader import InLinks, StoreReader
from frontier.store.rows import (
    NOFOLLOW,
    REDIRECT,
    LeaseRow,
    Links,
    PageRow,
    UrlRow,
    stored_promises,
)
from frontier.store.store import Store

__all__ = [
    "FILE_NAME",
    "NOFOLLOW",
    "REDIRECT",
    "InLinks",
    "LeaseRow",
    "Links",
    "Loaded",
    "LoadedPages",
    "PageRow",
    "Store",
    "StoreReader",
    "UrlRow",
    "stored_promises",
]
