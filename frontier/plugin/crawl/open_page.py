"""A fetched page, read within bounds, until the frontier learns from it."""

from __future__ import annotations

import hashlib
import logging
import time
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from scrapy.http import HtmlResponse, TextResponse, XmlResponse

from frontier.errors import PageError, described
from frontier.pagerules.declared import with_headers
from frontier.parsing.content import NOTHING, Link
from frontier.parsing.feed import is_feed
from frontier.parsing.listing import is_listing, read_listing
from frontier.parsing.reader import (
    ReadingLimits,
    of_few_hosts,
    read_html,
    read_markup,
    read_plain,
)
from frontier.plugin.crawl.bodies import readable
from frontier.records import Canonical
from frontier.refresh.blocks import block_of_bytes, blocks_of
from frontier.states import NO_MARKS, Mark, State
from frontier.store import PLAIN
from frontier.topic.relevance import describe, judgement
from frontier.urls.canonical import canonical_url
from frontier.warc.payload import unpacked
from ranking.topics.judging import Judgement

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from frontier.config import CrawlConfig
    from frontier.parsing.content import PageContent
    from frontier.plugin.crawl.leases import Flight
    from frontier.plugin.crawl.request_codec import RequestCodec
    from frontier.plugin.net.guard import LinkGuard
    from frontier.records import PageRecord, UrlRecord
    from ranking.topics import TopicModel

logger = logging.getLogger(__name__)

_GZIP = b"\x1f\x8b"
_PROLOG = 4_096
"""Bytes in which the first element of a feed is looked for."""
_BEGINNING = 64
"""Bytes of a body by which JSON is known."""
_LONGEST_VALIDATOR = 1000
"""Bytes of an ETag or a date that are sent back: servers refuse longer headers."""
CUT_FLAGS = {
    "dataloss": "the connection was closed before its end",
    "download_stopped": "its download was stopped",
}
"""Scrapy's flags of a body that is not whole, and the reason that is kept with the page."""

MANY_HOSTS = "too many hosts on a page"
"""Why a link is refused that leads to one more host than `ReadingLimits.hosts`."""


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
    the topic's; `score` is what link analysis gave the URL when it was leased, None in an
    order that uses no links; `priority` is what it was leased for.
    `referrer` is the page on which the URL was first found, None for a seed. `ruled` is what the
    page asks of crawlers: `ruled.noindex` not to be shown. `content` is what the page holds;
    without a topic a response that is no HTML is read when somebody asks for it.

    Whether a page repeats another one is known when it is closed, after its callback's last output
    and before its items go on: from then on `relevance` and `similarity` are those of the store,
    and `duplicate_of` is the URL of the page that it repeats, or names as the one to keep.
    """

    flight: Flight
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
    targets: set[int] = field(default_factory=set)
    """Fingerprints of what the page led to."""
    _by_url: dict[str, Link] | None = None
    _by_canonical: dict[str, Link] | None = None
    _hash: bytes | None = None
    _later: list[Callable[[], object]] = field(default_factory=list)

    def __post_init__(self) -> None:
        # At once: a store that cannot be read is known before the page is an answer.
        found_on = self.flight.lease.referrer
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
        return self.flight.lease.depth

    @property
    def score(self) -> float | None:
        """Link score at the lease."""
        return self.flight.page.score

    @property
    def priority(self) -> float:
        """Priority at the lease."""
        return float(self.flight.page.priority or 0.0)

    @property
    def anchor(self) -> str | None:
        """Text of the link by which the URL was first found."""
        return self.flight.lease.anchor

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
        record = self.flight.page
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

    def add_link(self, candidate: UrlRecord, link: Link) -> None:
        """Note a link of the page that is to be followed."""
        self.targets.add(candidate.fingerprint)
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
            logger.exception("The links of %s predict nothing", self.response)
            self.error = f"not judged: {described(error)}"
        return [candidate for candidate, _ in self._found]

    def _link_to(self, url: str) -> Link | None:
        if self._by_url is None:
            self._by_url = {link.url: link for link in self._content.links}
        link = self._by_url.get(url)
        if link is not None or not self._by_url:
            return link
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
        """Note in the record of the lease what was read."""
        status, truncation = self.response.status, self._truncation()
        failed = status >= 300  # a redirect that can be followed never gets here
        record.ended(
            State.ERROR if failed else State.CRAWLED,
            time.time(),
            status=status,
            error=f"HTTP {status}" if failed else self.error or truncation,
            final_url=self.response.url,
        )
        marks = self.ruled.marks | self._content.marks
        if truncation is not None:
            marks |= Mark.TRUNCATED
        if self.flight.lease.body not in (None, PLAIN) and _asks_for_more(self.flight.request):
            marks |= Mark.REQUESTED
        record.was_read(self._content.title, self.text, self.judgement, marks)
        record.hash, record.is_prose = self.content_hash, self.is_prose

    def keep_for_revisits(self, record: PageRecord, numbers: str) -> None:
        """Note what the next revisit of the page is held against, and asks with.

        `numbers`: which figures count, see `blocks_of`.
        """
        if self.flight.request.method != "GET":
            return
        response, content = self.response, self.content
        record.etag = _validator(response, "ETag")
        record.modified = _validator(response, "Last-Modified")
        body = response.body.strip()
        if content.blocks or content.title or content.links or body[:1] in (b"", b"<"):
            texts, links = [content.title, *content.blocks], [link.url for link in content.links]
            record.blocks = blocks_of(texts, links, content.places, content.link_places, numbers)
        else:
            record.blocks = block_of_bytes(body)


class PageReader:
    """Reads the pages of one crawl, and applies the policy of its configuration to them.

    Before the callback, what headers say is joined to what the page says, and links that are not to
    be followed are taken from what the spider is given. After it, the address that the page names
    as canonical goes to the frontier with its links. `frontier.pagerules` decides.
    """

    def __init__(
        self,
        crawler: Crawler,
        config: CrawlConfig,
        refuse: Callable[[str, str], object],
        codec: RequestCodec,
        guard: LinkGuard,
    ) -> None:
        """`refuse` is called with a reason and the URL of each link that is left out for it."""
        self._policy = config.page_policy
        self._codec = codec
        self._guard = guard
        self._stats: Any = crawler.stats
        self._depth_limit = crawler.settings.getint("DEPTH_LIMIT")
        self._revisits = config.refresh.enabled
        self._reader = ResponseReader(refuse, blocks=self._revisits)

    def open(self, page: OpenPage, topic: TopicModel | None) -> None:
        """Read a page; without a topic, what says nothing to crawlers only once it is asked for.

        Revisits ask for all: for dates of links, and what pages are held against.
        """
        if topic is not None or self._revisits or says_something(page.response):
            self._read(page, topic)
        else:
            page.read_later(partial(self._read, topic=topic))

    def _read(self, page: OpenPage, topic: TopicModel | None) -> None:
        """Read text, links, and how much the page is about the topic.

        One that cannot be read (an address in it that no parser takes, a topic model that fails) is
        logged and has no content: the callback gets its response all the same.
        """
        response = page.response
        try:
            content = self._reader.read(response)
            page.judgement = judgement(content, topic) if response.status < 300 else None
            page.content = content
        except PageError as error:
            logger.warning("Not read: %s: %s", response, error)
            page.error = f"not read: {error}"
        except Exception as error:  # parsers and models of others
            logger.exception("Cannot parse %s; its links are not followed", response)
            page.error = f"not read: {described(error)}"
        self._apply_rules(page)

    def _apply_rules(self, page: OpenPage) -> None:
        content = declared_content(page.content, page.response)
        ruling = self._policy.ruling(content, time.time())
        page.ruled = Ruled(ruling.marks, canonical=self._policy.canonical_of(content, ruling))
        if ruling.withholds:
            self._stats.inc_value("frontier/page_rules/links_left", ruling.kept.count(False))
            if Mark.NOFOLLOW in ruling.marks:
                self._stats.inc_value("frontier/page_rules/nofollow")
        page.content = replace(content, links=self._policy.links(content, ruling))
        if page.ruled.noindex:
            self._stats.inc_value("frontier/page_rules/noindex")

    def canonical_of(self, page: OpenPage, links: Sequence[UrlRecord]) -> Canonical | None:
        """The address that a page names as its own, asked for as its link to it, if it has any.

        A spider that chooses its requests by itself is not sent to an address that nothing led
        to: the page is merged with what it names only where that is known already.
        """
        ruled, lease = page.ruled, page.flight.lease
        is_page = lease.page.state is State.CRAWLED and page.flight.request.method == "GET"
        if ruled.canonical is None or not is_page:
            return None
        named = self._codec.encode_link(ruled.canonical, lease.depth + 1)
        own = next((link for link in links if link.fingerprint == named.fingerprint), None)
        if own is not None:  # as the spider asks for it
            named.body, named.unsaved = own.body, own.unsaved
            named.priority_class, named.slot, named.depth = own.priority_class, own.slot, own.depth
        may_be_new = (
            ruled.follows_all
            and named.fingerprint != lease.fingerprint  # most pages name themselves
            and not 0 < self._depth_limit < named.depth
            and any(self._guard.allowed([Link(named.url, "", "", nofollow=False)]))
        )
        return Canonical(named, may_be_new)


def _asks_for_more(request: Request) -> bool:
    """Whether a request is more than one for its URL with the spider's `parse`."""
    own = request.callback or request.errback or request.cb_kwargs or request.cookies
    return bool(own) or request.method != "GET"


def _validator(response: Response, name: str) -> bytes | None:
    """A header to ask with the next time; None for one that cannot be sent back."""
    value = response.headers.get(name)
    return value if value and len(value) <= _LONGEST_VALIDATOR else None


def declared_content(content: PageContent, response: Response) -> PageContent:
    """Join what headers say to what a page says; where it sends readers later on is a link."""

    def header(name: str) -> list[str]:
        # Bytes that are no text become something, never an error.
        return [value.decode("latin-1") for value in response.headers.getlist(name)]

    content = with_headers(content, header, response.url)
    if content.refresh is None:
        return content
    url, own = content.refresh[1], response.url.partition("#")[0]
    if url == own or any(link.url == url for link in content.links):
        return content
    return replace(content, links=[*content.links, Link(url, "", "", nofollow=False)])


def says_something(response: Response) -> bool:
    """Whether a response is HTML by Scrapy's word, or its headers say what a page could say."""
    names = ("X-Robots-Tag", "Link", "Refresh")
    return isinstance(response, HtmlResponse) or any(name in response.headers for name in names)


def _unpacked(response: Response, most: int) -> Response:
    """Return what is in a packed feed or sitemap (`sitemap.xml.gz`); others as they are."""
    beginning = unpacked(response.body, ("gzip",), _PROLOG).decode("utf-8-sig", "replace")
    is_list = is_listing(beginning, cut=True)
    if not is_list and not is_feed(beginning):
        return response
    # One more than is read shows that there are more.
    body = unpacked(response.body, ("gzip",), most + 1)
    return response.replace(cls=TextResponse if is_list else XmlResponse, body=body)


class ResponseReader:
    """Reads responses within bounds; what callbacks get is as it was."""

    def __init__(
        self,
        refuse: Callable[[str, str], object] = lambda reason, url: None,
        limits: ReadingLimits | None = None,
        *,
        blocks: bool = False,
    ) -> None:
        """`refuse` is called with a reason and the URL of each link that is left out for it.

        `blocks`: texts are wanted block by block as well, see `PageContent.blocks`.
        """
        self.limits = limits or ReadingLimits()
        self._refuse = refuse
        self._blocks = blocks

    def read(self, response: Response) -> PageContent:
        """Read a response; raises PageError for a text that is none."""
        if response.body.startswith(_GZIP):
            response = _unpacked(response, self.limits.body)
        response = readable(response)
        if not isinstance(response, TextResponse):
            return NOTHING
        is_long = len(response.body) > self.limits.body
        if is_long:
            beginning = response.body[: self.limits.body]
            response = response.replace(body=beginning, encoding=response.encoding)
        content = self._read(response)
        if is_long:
            content = replace(content, truncated=True)
        if len(content.links) <= self.limits.hosts:
            return content
        refuse = partial(self._refuse, MANY_HOSTS)
        return replace(content, links=of_few_hosts(content.links, self.limits.hosts, refuse))

    def _read(self, response: TextResponse) -> PageContent:
        text, charset, most = response.text, response.encoding, self.limits.links
        if is_listing(text):  # whatever its server says
            return read_listing(text, response.url, most, blocks=self._blocks)
        if isinstance(response, HtmlResponse):
            return read_html(
                text,
                lambda: response.selector.root,
                charset,
                response.url,
                most,
                blocks=self._blocks,
            )
        if isinstance(response, XmlResponse):
            # What is a page in it is read as one; an XML parser would stop at its first mistake.
            return read_markup(text, charset, response.url, most, blocks=self._blocks)
        return read_plain(text, blocks=self._blocks)
