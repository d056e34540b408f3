"""Crawls without Scrapy: a frontier that is told what made-up pages say."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any
from zlib import crc32

from frontier import records
from frontier.backend.backend import LinkRankBackend
from frontier.config import CrawlConfig
from frontier.records import Canonical, Lease, Sample, UrlRecord, VisibleText
from frontier.states import NO_MARKS, NOFOLLOW, Mark, State
from frontier.store import PLAIN, Store
from frontier.topic.relevance import plain_link
from frontier.urls.canonical import canonical_url, fingerprint
from frontier.verdict import Verdict
from tests.support.stored import stored_urls

FETCHED = 1_793_700_000.0
"""2026-11-03T10:00:00Z, the time of the first answer; each later one is a second later."""


@dataclass
class Page:
    """A page of the made-up web: where it leads, how promising each link is, its relevance.

    Links that are in `matches` are weighed; similarity is the relevance unless it is given.
    """

    links: dict[str, float] = field(default_factory=dict)
    relevance: float | None = None
    title: str | None = None
    heading: str | None = None
    nofollow: frozenset[str] = frozenset()
    error: str | None = None
    status: int = 200
    redirect: str | None = None
    redirect_status: int = 301
    state: State = State.CRAWLED
    similarity: float | None = None
    matches: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    text: str | None = None
    canonical: str | None = None
    """What the page names as its canonical address."""
    marks: Mark = NO_MARKS
    anchors: dict[str, str] = field(default_factory=dict)
    """Texts of links; those of others name their URLs."""


class AtOnce(Executor):
    """Does a re-rank before it returns, so that no test depends on a thread's speed."""

    def submit(self, work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(work(*args, **kwargs))
        return future


def zone_of(url: str) -> int:
    """Where links to a URL stand on every page: one of five places."""
    return 2**32 - 1 - crc32(url.encode()) % 5


class DrivenCrawl:
    """A crawl of a made-up web, one lease at a time."""

    def __init__(self, directory: Path | None, web: dict[str, Page], **config: Any) -> None:
        self.config = CrawlConfig(directory=directory, **config)
        self.backend = LinkRankBackend(self.config, AtOnce())
        self.web = web
        self.fetched: list[str] = []
        self._now = FETCHED

    def seed(self, *urls: str) -> None:
        seeds = [self._record(url, 0) for url in urls]
        for one in seeds:
            one.seed = True
        self.backend.add_seeds(seeds)

    def ask(self, url: str, **said: Any) -> None:
        """Add a request of a spider that is no seed."""
        record = replace(self._record(url, 0), body=PLAIN, **said)
        self.backend.add_seeds([record])

    def step(self) -> bool:
        """Fetch the best page; False when nothing is left."""
        lease = self.lease_next()
        if lease is None:
            return False
        self.answer(lease)
        return True

    def run(self, steps: int = 1000) -> None:
        for _ in range(steps):
            if not self.step():
                return

    def lease_next(self) -> Lease | None:
        batch = self.take(1)
        return batch[0] if batch else None

    def take(self, most: int, **how: Any) -> list[Lease]:
        how = {"room": lambda _: most, **how}
        leaving = self.backend.next(most, **how)
        self.backend.commit()
        return leaving

    def answer(self, lease: Lease) -> None:
        self.fetched.append(lease.url)
        page = self.web.get(lease.url, Page(error="HTTP 404", status=404, state=State.ERROR))
        depth = lease.depth + 1
        if page.redirect:
            moved = records.Page(
                state=State.REDIRECTED,
                fetched=self._tick(),
                status=page.redirect_status,
                final_url=page.redirect,
            )
            self.backend.redirected(lease, moved, self._record(page.redirect, depth))
        elif page.status == 0:
            failure = records.Page(state=page.state, fetched=self._tick(), error=page.error)
            self.backend.failed(lease, failure)
        else:
            self._fetched(lease, page, depth)

    def _fetched(self, lease: Lease, page: Page, depth: int) -> None:
        read = records.Page(
            state=page.state,
            fetched=self._tick(),
            status=page.status,
            error=page.error,
            final_url=lease.url,
            title=page.title,
            heading=page.heading,
            hash=_hash_of(page.text),
            length=100,
            relevance=page.relevance,
            similarity=page.similarity if page.similarity is not None else page.relevance,
            marks=page.marks,
            text=None if page.text is None else VisibleText(page.text),
            **self.more_of(lease),
        )
        links = [self._record(url, depth) for url in page.links]
        for link, predicted in zip(links, page.links.values(), strict=True):
            link.anchor = page.anchors.get(link.url, f"to {link.url}")
            link.predicted = predicted
            link.flags = NOFOLLOW if link.url in page.nofollow else 0
            link.zone = zone_of(link.url)
            if link.url in page.matches:
                link.matches = (*page.matches[link.url], 0, 0, 0)  # no meanings
                link.context = f"around {link.url} on {lease.url}"
        canonical = None
        if page.canonical is not None:
            canonical = Canonical(self._record(page.canonical, lease.depth), may_be_new=True)
        self.report(lease, read, links, canonical)

    def more_of(self, lease: Lease) -> dict[str, Any]:
        """Further fields of a page that is read."""
        return {}

    def report(
        self,
        lease: Lease,
        page: records.Page,
        links: list[UrlRecord],
        canonical: Canonical | None = None,
    ) -> Verdict:
        """Report a page that was read."""
        verdict = self.backend.take(lease, page, links, canonical)
        self.taken(lease, page, verdict)
        return verdict

    def taken(self, lease: Lease, page: records.Page, verdict: Verdict) -> None:
        """A page was taken in."""

    def close(self) -> None:
        self.backend.close()

    def _tick(self) -> float:
        self._now += 1
        return self._now - 1

    def _record(self, url: str, depth: int) -> UrlRecord:
        canonical = canonical_url(url)
        number = fingerprint(canonical, self.config.fingerprint_key)
        return plain_link(url, number, canonical, depth)


def _hash_of(text: str | None) -> bytes:
    return b"\x01\x02" * 8 if text is None else blake2b(text.encode(), digest_size=16).digest()


A, B, C = "http://a.example/", "http://b.example/", "http://c.example/"
OLD, GONE, CLOSED, NEXT, LATER = (
    "http://a.example/old",
    "http://b.example/gone",
    "http://b.example/closed",
    "http://c.example/next",
    "http://c.example/later",
)

WEB = {
    A: Page({B: 0.5, OLD: 0.25, GONE: 0.0}, 0.75, "Page A"),
    B: Page({C: 1.0, CLOSED: 0.0, A: 0.0}, 0.25, "Page B"),
    OLD: Page(redirect=C),
    CLOSED: Page(error="forbidden by robots.txt", status=0, state=State.ROBOTS),
    C: Page({NEXT: 0.5, LATER: 0.125, B: 0.5}, 0.5, "Page C", nofollow=frozenset({LATER})),
}
"""Three pages on three hosts, a redirect, a 404, a page that robots.txt closes; two wait."""


def small_crawl(directory: Path | None, **config: Any) -> DrivenCrawl:
    """A crawl of WEB with a topic, open, of which NEXT and LATER are left to fetch."""
    config = {"strategy": "bfs", "topic": "pages", **config}
    crawl = DrivenCrawl(directory, WEB, **config)
    crawl.seed(A)
    crawl.run(6)
    return crawl


def crawl_with_texts(directory: Path) -> None:
    """A small crawl, closed, that kept the texts of A (relevance 0.75), B (0.25) and C (0.5)."""
    small_crawl(directory).close()
    with Store.open(directory) as store:
        ids = {row.url: row.url_id for row in stored_urls(store)}
        for url, relevance in ((A, 0.75), (B, 0.25), (C, 0.5)):
            store.keep_sample(Sample(ids[url], relevance, f"the text of {url}"))
