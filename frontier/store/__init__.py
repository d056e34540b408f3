"""Everything that must survive a crash: `Store` for the crawl that runs, `StoreReader` to look."""

from frontier.store.link_text import LinkText
from frontier.store.loading import Loaded
from frontier.store.reader import StoreReader
from frontier.store.rows import PLAIN, LeaseRow, Links, PageRow, StoredLesson, UrlRow
from frontier.store.store import Store

__all__ = ["PLAIN", "LeaseRow", "LinkText", "Links", "Loaded", "PageRow"]
__all__ += ["Store", "StoreReader", "StoredLesson", "UrlRow"]
