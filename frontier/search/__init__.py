"""Search over the fetched pages: a full-text index in files beside the store.

`SearchIndex` has the files, `syncing.sync` adds data from the store, `search` queries them.
"""

from frontier.search.answers import SearchReport, read_weights, search
from frontier.search.index import IndexedPage, SearchIndex
from frontier.search.syncing import sync

__all__ = ["IndexedPage", "SearchIndex", "SearchReport", "read_weights", "search", "sync"]
