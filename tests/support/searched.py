"""A crawl of a made-up web, with an index of what its pages say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from frontier.search.updating import IndexReport, ReadPage, update
from tests.support.driven_crawl import DrivenCrawl, Page


def linking(*links: tuple[str, str], title: str = "", text: str | None = None, **said: Any) -> Page:
    """A page with links (URL, text); pages of one text would be copies."""
    return Page(
        {url: 0.5 for url, _ in links},
        said.pop("relevance", 0.5),
        title,
        text=text,
        anchors=dict(links),
        **said,
    )


def crawled(directory: Path, web: dict[str, Page], *seeds: str, **config: Any) -> None:
    """Crawl a web to its end."""
    crawl = DrivenCrawl(directory, web, **{"strategy": "bfs", "topic": "pages", **config})
    crawl.seed(*(seeds or list(web)[:1]))
    crawl.run()
    crawl.close()


def indexed(directory: Path, web: dict[str, Page], *seeds: str, **config: Any) -> IndexReport:
    """Crawl a web to its end and index it."""
    crawled(directory, web, *seeds, **config)
    return update(directory, pages_of(web))


def pages_of(web: dict[str, Page]) -> list[ReadPage]:
    """What the pages of a web say."""
    return [
        ReadPage(url, page.title or "", page.text or "")
        for url, page in web.items()
        if page.redirect is None and page.error is None
    ]
