"""The file of a crawl: `Store` for the crawl that runs, `StoreReader` for inspection."""

from frontier.store.loading import Loaded
from frontier.store.reader import StoreReader
from frontier.store.rows import PLAIN, UNSAVED, LeaseRow, UrlRow
from frontier.store.store import Store

__all__ = ["PLAIN", "UNSAVED", "LeaseRow", "Loaded", "Store", "StoreReader", "UrlRow"]
