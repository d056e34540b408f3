"""Crawls without Scrapy of pages written as HTML: parsed, judged and ordered as in a crawl.

What `driven_crawl` is told of a page, its relevance and what its links promise, is worked out here
by the default topic model, from the page's bytes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from frontera.core.manager import FrontierManager
from lxml import html

from frontier.backend.backend import LinkRankBackend
from frontier.backend.components import frontera_settings
from frontier.config import CrawlConfig
from frontier.parsing.html import read_page
from frontier.records import HandedOut, UrlRecord, VisibleText
from frontier.states import State
from frontier.topic.relevance import describe, judgement, plain_link
from frontier.urls.canonical import canonical_url, fingerprint
from ranking.topics import default_topic_model
from tests.support.answers import complete
from tests.support.driven_crawl import FETCHED, AtOnce

Pages = dict[str, str]
"""HTML by URL; everything else is a 404."""


class WrittenCrawl:
    """A crawl of written pages, one at a time."""

    def __init__(self, pages: Pages, topic: str = "", directory: Path | None = None, **config: Any):
        config = {"strategy": "apprentice" if topic else "ppr", **config}
        self.config = CrawlConfig(topic=topic, directory=directory, **config)
        self._manager = FrontierManager.from_settings(frontera_settings(self.config, AtOnce()))
        self.backend: LinkRankBackend = self._manager.backend
        self._pages = pages
        self._topic = default_topic_model() if topic else None
        if self._topic is not None:
            self._topic.fit(topic, [])
        self.fetched: list[str] = []
        self.relevance: dict[str, float] = {}

    def seed(self, *urls: str) -> None:
        for url in urls:
            seed = self._record(url, 0)
            seed.seed = True
            self._manager.add_seeds([seed])

    def run(self, steps: int) -> list[str]:
        """Fetch so many pages, or all there are; returns URLs in the order fetched."""
        for _ in range(steps):
            batch = self._manager.get_next_requests(1)
            if not batch:
                break
            self._answer(batch[0])
        return self.fetched

    def close(self) -> None:
        self._manager.stop()

    def _answer(self, handed: HandedOut) -> None:
        now = FETCHED + len(self.fetched)
        self.fetched.append(handed.url)
        body = self._pages.get(handed.url)
        if body is None:
            complete(handed, State.ERROR, now, status=404, error="HTTP 404")
            self._manager.request_error(handed, "HTTP 404")
            return
        content = read_page(html.document_fromstring(body), handed.url)
        found = judgement(content, self._topic)
        complete(
            *(handed, State.CRAWLED, now),
            status=200,
            final_url=handed.url,
            title=content.title or None,
            length=len(body),
            relevance=None if found is None else found.relevance,
            similarity=None if found is None else found.similarity,
            text=VisibleText(content.text),
        )
        self.relevance[handed.url] = 0.0 if found is None else found.relevance
        depth = handed.depth + 1
        links = [(self._record(link.url, depth), link) for link in content.links]
        described = describe(links, self._topic)
        self._manager.links_extracted(handed, described)

    def _record(self, url: str, depth: int) -> UrlRecord:
        canonical = canonical_url(url)
        identity = fingerprint(canonical, self.config.fingerprint_key)
        return plain_link(url, identity, canonical, depth)
