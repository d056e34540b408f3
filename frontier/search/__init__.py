"""Searching what a crawl fetched: a full-text index in a file of its own beside the store.

Writing, from one thread, beside other processes that write or read::

    with SearchIndex.open(directory, write=True) as index:
        index.add([IndexedPage(url_id, url, title, text)])  # one transaction a call; replaces
        index.remove([url_id])
        sync(index, reader)  # link texts, scores, relevance, twins; drops pages that are gone
        index.merge()  # at the end: a quarter smaller

Searching::

    report = search(directory, "dark matter -axion", n=10, weights={"links": 0.0})
    report.as_dict()

What is no crawl is indexed by `SearchIndex.set_links` and `SearchIndex.set_numbers`, with
`syncing.merged` for the texts.
"""

from frontier.search.answers import WEIGHTS, SearchReport, read_weights, search
from frontier.search.index import IndexedPage, SearchIndex
from frontier.search.syncing import sync

__all__ = [
    "WEIGHTS",
    "IndexedPage",
    "SearchIndex",
    "SearchReport",
    "read_weights",
    "search",
    "sync",
]
