"""A fetched page between its response and the moment the frontier learns from it."""

from __future__ import annotations

import hashlib
import logging
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from scrapy.http import TextResponse

from frontier.errors import PageError, described
from frontier.pagerules.declared import same_origin
from frontier.parsing.content import NOTHING, Link
from frontier.parsing.html import PageContent
from frontier.plugin.crawl.leases import TOKEN
from frontier.plugin.crawl.response_reader import CUT_FLAGS, declared_content
from frontier.states import NO_MARKS, Mark, State
from frontier.store import PLAIN
from frontier.topic.relevance import describe, judgement
from frontier.urls.canonical import canonical_url
from ranking.topics.judging import Judgement

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from frontier.backend.backend import LinkRankBackend
    from frontier.config import CrawlConfig
    from frontier.plugin.crawl.leases import Lease
    from frontier.plugin.crawl.request_codec import RequestCodec
    from frontier.plugin.crawl.response_reader import ResponseReader
    from frontier.plugin.net.guard import LinkGuard
    from frontier.records import PageRecord, UrlRecord
    from ranking.topics import TopicModel

logger = logging.getLogger(__name__)

_BEGINNING = 64
"""Bytes of a body by which JSON is known."""


@dataclass(frozen=True, slots=True)
class Links:
    """Follow these links with the spider's `parse`, anchor and context included.

    A Request object a link costs more than all else that happens to a link, and says nothing a
    link does not say. Links are subject to DEPTH_LIMIT and URLLENGTH_LIMIT; other spider
    middlewares see one `Links` object and pass it on as they would an item.
    """

    links: tuple[Link, ...]


@dataclass(slots=True, eq=False)
class Ruled:
    """What the rules came to for one page.

    `canonical` is the address that the page names, if it is heeded; `follows_all` is whether the
    spider left it to the frontier which links to follow.
    """

    marks: Mark = NO_MARKS
    canonical: str | None = None
    follows_all: bool = False

    @property
    def noindex(self) -> bool:
        """Whether the page asks not to be shown."""
        return Mark.NOINDEX in self.marks


@dataclass(slots=True, eq=False)
class OpenPage:
    """A response on its way through the spider.

    This is what `frontier.plugin.page_of(response, crawler)` gives to a spider. `relevance` lies
    in [0, 1] and is None without a topic, as is `similarity`, the cosine of the page's words and
    the topic's; `score` is what link analysis gave the URL when it was handed out, None in an
    order that uses no links; `priority` is what it was handed out for.
    `referrer` is the page on which the URL was first found, None for a seed. `ruled` is what the
    page asks of crawlers: `ruled.noindex` not to be shown. `content` is what the page holds;
    without a topic a response that is no HTML is read when somebody asks for it.

    Whether a page repeats another one is known when it is closed, after its callback's last output
    and before its items go on: from then on `relevance` and `similarity` are those of the store,
    and `duplicate_of` is the URL of the page that it repeats, or names as the one to keep.
    """

    lease: Lease
    response: Response
    url_of: Callable[[int], str]
    judgement: Judgement | None = None
    referrer: str | None = field(init=False)
    error: str | None = None
    ruled: Ruled = field(default_factory=Ruled)
    duplicate_of: str | None = None
    _content: PageContent = NOTHING
    _unread: Callable[[OpenPage], None] | None = None
    _found: list[tuple[UrlRecord, Link]] = field(default_factory=list)
    _fingerprints: set[int] = field(default_factory=set)
    _by_canonical: dict[str, Link] | None = None
    _hash: bytes | None = None
    _later: list[Callable[[], object]] = field(default_factory=list)

    def __post_init__(self) -> None:
        # At once: a store that cannot be read is known before the page is an answer.
        found_on = self.lease.handed.referrer
        self.referrer = None if found_on is None else self.url_of(found_on)

    @property
    def content(self) -> PageContent:
        """What the page holds, read if it was not yet."""
        if self._unread is not None:
            read, self._unread = self._unread, None
            read(self)
        return self._content

    @content.setter
    def content(self, content: PageContent) -> None:
        self._content = content

    def read_later(self, read: Callable[[OpenPage], None]) -> None:
        """Have the page read when somebody asks for its content, if anybody does."""
        self._unread = read

    @property
    def text(self) -> str | None:
        """Visible text of the page; None where it was not read."""
        return None if self._unread is not None else self._content.text

    @property
    def relevance(self) -> float | None:
        """How likely the page is about the topic."""
        return None if self.judgement is None else self.judgement.relevance

    @property
    def similarity(self) -> float | None:
        """Cosine of the page's words and the topic's."""
        return None if self.judgement is None else self.judgement.similarity

    @property
    def depth(self) -> int:
        """Links followed from a seed."""
        return self.lease.handed.depth

    @property
    def score(self) -> float | None:
        """Link score at the hand-out."""
        return self.lease.page.score

    @property
    def priority(self) -> float:
        """Priority at the hand-out."""
        return float(self.lease.page.priority or 0.0)

    @property
    def anchor(self) -> str | None:
        """Text of the link by which the URL was first found."""
        return self.lease.handed.anchor

    @property
    def is_prose(self) -> bool:
        """Whether the body is a text for people: no JSON, whatever its type says, nor a picture."""
        if not isinstance(self.response, TextResponse):
            return False
        return not self.response.body[:_BEGINNING].lstrip().startswith((b"{", b"["))

    @property
    def content_hash(self) -> bytes:
        """128-bit BLAKE2b of the body."""
        if self._hash is None:
            self._hash = hashlib.blake2b(self.response.body, digest_size=16).digest()
        return self._hash

    def when_closed(self, act: Callable[[], object]) -> None:
        """Have something done once the page is closed, such as correcting an item of it."""
        self._later.append(act)

    def settle(self) -> None:
        """The page is closed: know what the store says of it, and do what waited for that."""
        record = self.lease.page
        if self.judgement is not None and record.relevance is not None:
            self.judgement = Judgement(record.relevance, record.similarity or 0.0)
        if record.twin is not None:
            self.duplicate_of = self.url_of(record.twin)
            if record.state is State.REDIRECTED:  # its relevance counts where it is merged
                self.judgement = None
        later, self._later = self._later, []
        for act in later:
            self._do(act)

    def _do(self, act: Callable[[], object]) -> None:
        try:
            act()
        except Exception:  # of the project
            logger.exception("An act of when_closed failed for %s", self.response)

    def has(self, candidate: UrlRecord) -> bool:
        """Whether the page led to this URL already."""
        return candidate.fingerprint in self._fingerprints

    def add_link(self, candidate: UrlRecord, link: Link) -> None:
        """Note a link of the page that is to be followed."""
        self._fingerprints.add(candidate.fingerprint)
        self._found.append((candidate, link))

    def add_request(self, candidate: UrlRecord, text: str) -> None:
        """Note a request that the spider made on the page.

        Its anchor and context are those of the page's link to the same URL, if there is one;
        else the anchor is `text`.
        """
        link = self._link_to(candidate.url)
        unvouched = Mark.NOFOLLOW in self.ruled.marks
        self.add_link(candidate, link or Link(candidate.url, text, "", nofollow=unvouched))

    def candidates(self, topic: TopicModel | None) -> list[UrlRecord]:
        """Every URL the page led to, with all that its link says of it."""
        try:
            return describe(self._found, topic)
        except Exception as error:  # models of others
            logger.exception("The links of %s promise nothing", self.response)
            self.error = f"not judged: {described(error)}"
        return [candidate for candidate, _ in self._found]

    def _link_to(self, url: str) -> Link | None:
        if self._by_canonical is None:
            self._by_canonical = {canonical_url(link.url): link for link in self._content.links}
        return self._by_canonical.get(canonical_url(url))

    def _truncation(self) -> str | None:
        """Why the page is not whole, None where it is."""
        flags = [flag for flag in self.response.flags if flag in CUT_FLAGS]
        if flags:
            return f"truncated: {CUT_FLAGS[flags[0]]}"
        if self._content.truncated:
            return "truncated: it has more text, links or elements than are read"
        return None

    def complete(self, record: PageRecord) -> None:
        """Note in the record of the hand-out what was read."""
        status = self.response.status
        failed = status >= 300  # a redirect that can be followed never gets here
        record.ended(
            State.ERROR if failed else State.CRAWLED,
            time.time(),
            status=status,
            error=f"HTTP {status}" if failed else self.error or self._truncation(),
            final_url=self.response.url,
        )
        marks = self.ruled.marks | self._content.marks
        if self._truncation() is not None:
            marks |= Mark.TRUNCATED
        record.was_read(self._content.title, self.text, self.judgement, marks)
        record.hash, record.is_prose = self.content_hash, self.is_prose


def read_page(page: OpenPage, topic: TopicModel | None, reader: ResponseReader) -> None:
    """Read a page's response: text, links, and how much it is about the topic.

    One that cannot be read (an address in it that no parser takes, a topic model that fails) is
    logged and has no content: the callback gets its response all the same.
    """
    response = page.response
    try:
        content = reader.read(response)
        page.judgement = judgement(content, topic) if response.status < 300 else None
        page.content = content
    except PageError as error:
        logger.warning("Not read: %s: %s", response, error)
        page.error = f"not read: {error}"
    except Exception as error:  # parsers and models of others
        logger.exception("Cannot parse %s; its links are not followed", response)
        page.error = f"not read: {described(error)}"


class PageRules:
    """Applies the policy of a configuration to the pages of one crawl.

    Before the callback, what headers say is joined to what the page says, and links that are not to
    be followed are taken from what the spider is given. After it, the address that the page names
    as canonical goes to the frontier before its links. `frontier.pagerules` decides.
    """

    def __init__(
        self, crawler: Crawler, config: CrawlConfig, backend: LinkRankBackend, codec: RequestCodec,
        guard: LinkGuard
    ) -> None:  # fmt: skip
        self._policy = config.page_policy
        self._backend = backend
        self._codec = codec
        self._guard = guard
        self._stats: Any = crawler.stats
        self._depth_limit = crawler.settings.getint("DEPTH_LIMIT")

    def read(self, page: OpenPage, now: float) -> None:
        """Apply the rules to a page that was read at `now`, Unix seconds."""
        response = page.response
        content = declared_content(page.content, response)
        ruling = self._policy.ruling(content, now)
        page.ruled = Ruled(ruling.marks, canonical=self._policy.canonical_of(content, ruling))
        if ruling.withholds:
            self._stats.inc_value("frontier/page_rules/links_left", ruling.kept.count(False))
            if Mark.NOFOLLOW in ruling.marks:
                self._stats.inc_value("frontier/page_rules/nofollow")
        page.content = replace(content, links=self._policy.links(content, ruling))
        if page.ruled.noindex:
            self._stats.inc_value("frontier/page_rules/noindex")

    def close(self, page: OpenPage, links: list[UrlRecord], spider: Spider) -> None:
        """Put the address that a page names in front of its links, or note that it is its own.

        A spider that chooses its requests by itself is not sent to an address that nothing led
        to: the page is merged with what it names only where that is known already.
        """
        ruled = page.ruled
        if ruled.canonical is None or page.lease.page.state is not State.CRAWLED:
            return
        named = self._target(page, ruled.canonical, spider)
        if named is None:
            return
        handed = page.lease.handed
        _ask_as_the_spider_does(named, links)
        may_be_new = (
            ruled.follows_all
            and named.fingerprint != handed.fingerprint  # most pages name themselves
            and self._may_follow(named)
        )
        self._backend.names(handed, named, links, may_be_new=may_be_new)

    def _may_follow(self, named: UrlRecord) -> bool:
        """Whether a link to an address would be followed."""
        if self._depth_limit and named.depth > self._depth_limit:
            return False
        return any(self._guard.allowed([Link(named.url, "", "", nofollow=False)]))

    def _target(self, page: OpenPage, url: str, spider: Spider) -> UrlRecord | None:
        """The request for what a page names: as the page was asked for, at another address."""
        codec, handed = self._codec, page.lease.handed
        if page.lease.request.method != "GET":
            return None
        if handed.body in (None, PLAIN):
            return codec.encode_link(url, handed.depth + 1)
        try:
            request = codec.decode(handed, spider).replace(url=url)
        except ValueError:  # one that could not be stored
            return None
        page.lease.forget_slot(request)
        if not same_origin(url, handed.url):
            _forget_secrets(request)
        request.meta.pop(TOKEN, None)
        request.dont_filter = False
        request.meta["depth"] = handed.depth + 1
        candidate = codec.encode(request)
        candidate.asked = False  # the page names it, no spider asked for it
        return candidate if codec.attach_body(candidate, request, spider) else None


def _forget_secrets(request: Request) -> None:
    """Take out what was meant for the host that named another one, as Scrapy's redirects do."""
    request.cookies = {}
    for name in ("Cookie", "Authorization"):
        request.headers.pop(name, None)


def _ask_as_the_spider_does(named: UrlRecord, links: list[UrlRecord]) -> None:
    """Have what a page names asked for by the spider's own request for it, if it made one."""
    number = named.fingerprint
    own = next((one for one in links if one.fingerprint == number), None)
    if own is not None:
        named.body, named.unsaved = own.body, own.unsaved
        named.priority_class, named.slot, named.depth = own.priority_class, own.slot, own.depth
