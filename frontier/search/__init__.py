"""Searching what a crawl fetched: a full-text index in a file of its own beside the store.

`SearchIndex` is the file, `syncing.sync` fills in what the store knows, `search` asks.
"""

from frontier.search.answers import SearchReport, read_weights, search
from frontier.search.index import IndexedPage, SearchIndex
from frontier.search.syncing import sync

__all__ = ["IndexedPage", "SearchIndex", "SearchReport", "read_weights", "search", "sync"]
