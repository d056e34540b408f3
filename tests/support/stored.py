"""All rows of a crawl's file, as records."""

from __future__ import annotations

from frontier.records import PageRow
from frontier.store import UrlRow
from frontier.store.queries import Queries
from frontier.store.rows import page_of_columns
from frontier.store.schema import COLUMNS


def stored_urls(crawl: Queries) -> list[UrlRow]:
    """All URLs by id."""
    return list(crawl.fetch_urls(range(crawl.count_urls())).values())


def stored_pages(crawl: Queries) -> list[PageRow]:
    """All answers in their order, also those that a later one replaced."""
    with crawl.reading():
        rows = crawl._cursor.execute(
            f"SELECT {', '.join(COLUMNS['pages'])} FROM pages ORDER BY seq"
        )
        return [page_of_columns(row) for row in rows]
