"""A fetched page, read within bounds, until the frontier learns from it."""

from __future__ import annotations

import hashlib
import logging
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from scrapy.http import TextResponse

from frontier.errors import described
from frontier.pagerules.asks import asks_of
from frontier.parsing.content import NOTHING, Link
from frontier.records import Page
from frontier.refresh.blocks import block_of_bytes, blocks_of
from frontier.states import NO_MARKS, Change, Mark, State
from frontier.store import PLAIN
from frontier.texts import StoredText
from frontier.topic.relevance import describe
from frontier.urls.canonical import canonical_url
from ranking.topics.judging import Judgement

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from scrapy import Request
    from scrapy.http import Response

    from frontier.parsing.content import PageContent
    from frontier.plugin.crawl.in_flight import Flight
    from frontier.records import UrlRecord
    from frontier.texts import PackedText
    from frontier.verdict import Verdict
    from ranking.topics import TopicModel

logger = logging.getLogger(__name__)

_GZIP = b"\x1f\x8b"
_PROLOG = 4_096
"""Bytes in which the first element of a feed is looked for."""
_BEGINNING = 64
"""Bytes of a body by which JSON is known."""
_LONGEST_VALIDATOR = 1000
"""Bytes of an ETag or a date that are sent back: servers refuse longer headers."""
RENDERED_FLAG = "rendered"
"""Flag of a response whose body a browser made."""
CUT_FLAGS = {
    "dataloss": "the connection was closed before its end",
    "download_stopped": "its download was stopped",
    "rendered_part": "the browser made more of it than is read",
}
"""Scrapy's flags of a body that is not whole, and the reason that is kept with the page."""


@dataclass(frozen=True, slots=True)
class Links:
    """Follow these links with the spider's `parse`, anchor and context included.

    A Request object a link costs more than all else that happens to a link, and says nothing a
    link does not say. Links are subject to DEPTH_LIMIT and URLLENGTH_LIMIT; other spider
    middlewares see one `Links` object and pass it on as they would an item.
    """

    links: tuple[Link, ...]


@dataclass(slots=True, eq=False)
class OpenPage:
    """A response on its way through the spider.

    This is what `frontier.plugin.page_of(response, crawler)` gives to a spider. `relevance` lies
    in [0, 1] and is None without a topic, as is `similarity`, the cosine of the page's words and
    the topic's; `score` is what link analysis gave the URL when it was leased, None in an
    order that uses no links; `priority` is what it was leased for.
    `referrer` is the page on which the URL was discovered, None for a seed. `marks` has the rules
    of the page for crawlers, `noindex` whether it asks not to be shown. `content` is the parsed
    page; without a topic a response that is not HTML is parsed at the first access.

    Whether a page repeats another page is known when it is closed, after its callback's last output
    and before its items go on: from then on `relevance` and `similarity` are those of the store,
    and `duplicate_of` is the URL of the page that it repeats, or names as canonical.
    """

    flight: Flight
    response: Response
    url_of: Callable[[int], str]
    judgement: Judgement | None = None
    referrer: str | None = field(init=False)
    error: str | None = None
    marks: Mark = NO_MARKS
    canonical: str | None = None
    """The address that the page names as its own, if it is heeded."""
    follows_all: bool = False
    """Whether the spider leaves it to the frontier which links to follow."""
    read: Page | None = None
    """The page as the frontier has it; None until the page is closed, as the next."""
    verdict: Verdict | None = None
    duplicate_of: str | None = None
    given: PageContent | None = None
    """What a process beside the crawl has read of it; None: it is read here."""
    main_text: Future[PackedText | None] | None = None
    """Its main text, which is being extracted."""
    kept: PackedText | None = None
    """The text that is kept of it."""
    _content: PageContent = NOTHING
    _unread: Callable[[OpenPage], None] | None = None
    _found: list[tuple[UrlRecord, Link]] = field(default_factory=list)
    targets: set[int] = field(default_factory=set)
    """Fingerprints of the URLs that the page led to."""
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
        """The parsed page; the first access parses it, if it was not yet."""
        if self._unread is not None:
            read, self._unread = self._unread, None
            read(self)
        return self._content

    @content.setter
    def content(self, content: PageContent) -> None:
        self._content = content

    def read_later(self, read: Callable[[OpenPage], None]) -> None:
        """Have the page parsed at the first access to its content."""
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
    def noindex(self) -> bool:
        """Whether the page asks not to be shown."""
        return Mark.NOINDEX in self.marks

    @property
    def change(self) -> Change | None:
        """Result of a revisit; None in a crawl that does not revisit, and until it is known."""
        return None if self.verdict is None else self.verdict.change

    @property
    def score(self) -> float | None:
        """Link score at the lease."""
        return self.flight.lease.score

    @property
    def priority(self) -> float:
        """Priority at the lease."""
        return self.flight.lease.priority

    @property
    def anchor(self) -> str | None:
        """Text of the link by which the URL was first found."""
        return self.flight.lease.anchor

    @property
    def is_prose(self) -> bool:
        """Whether the body is a text for people: no JSON, whatever its type says, nor a picture."""
        if not isinstance(self.response, TextResponse):
            return bool(self._content.text)
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
        read, verdict = self.read, self.verdict
        if read is not None and verdict is not None:
            relevance = verdict.relevance_of(read)
            if self.judgement is not None and relevance is not None:
                self.judgement = Judgement(relevance, verdict.similarity_of(read) or 0.0)
            if verdict.twin is not None:
                self.duplicate_of = self.url_of(verdict.twin)
                if verdict.state is State.REDIRECTED:  # its relevance counts where it is merged
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
        unvouched = Mark.NOFOLLOW in self.marks
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

    def closed(self, numbers: str | None, *, keeps_text: bool = False) -> Page:
        """Return what was read, complete; `error` and `content` count as they are now.

        `numbers`: which figures count where later visits are compared, see `blocks_of`; None in a
        crawl that does not revisit. `keeps_text`: the text of a page is kept, unless it asks not to
        be shown.
        """
        response = self.response
        failed = response.status >= 300  # a redirect that can be followed never gets here
        content = self.content if keeps_text and not failed else self._content
        if not keeps_text or failed or self.noindex:
            self.kept = None
        elif self.kept is None:
            self.kept = StoredText(content.title, content.text).packed()
        truncation = self._truncation()
        marks = self.marks | content.marks
        if truncation is not None:
            marks |= Mark.TRUNCATED
        if RENDERED_FLAG in response.flags:
            marks |= Mark.RENDERED
        if self.flight.lease.body not in (None, PLAIN) and _asks_for_more(self.flight.request):
            marks |= Mark.REQUESTED
        is_compared = numbers is not None and self.flight.request.method == "GET"
        return Page.read(
            content.title,
            self.text,
            self.judgement,
            state=State.ERROR if failed else State.CRAWLED,
            fetched=time.time(),
            status=response.status,
            error=f"HTTP {response.status}" if failed else self.error or truncation,
            final_url=response.url,
            heading=content.heading or None,
            asks=asks_of(content),
            language=content.language or None,
            hash=self.content_hash,
            marks=marks,
            is_prose=self.is_prose,
            rendering=self.flight.rendering,
            kept=self.kept,
            blocks=self._blocks(numbers or "") if is_compared else None,
            etag=_validator(response, "ETag") if is_compared else None,
            modified=_validator(response, "Last-Modified") if is_compared else None,
        )

    def _blocks(self, numbers: str) -> bytes:
        """Return what the next visit is compared with."""
        content, body = self.content, self.response.body.strip()
        if content.blocks or content.title or content.links or body[:1] in (b"", b"<"):
            texts, links = [content.title, *content.blocks], [link.url for link in content.links]
            return blocks_of(texts, links, content.places, content.link_places, numbers)
        return block_of_bytes(body)


def _asks_for_more(request: Request) -> bool:
    """Whether a request is more than one for its URL with the spider's `parse`."""
    own = request.callback or request.errback or request.cb_kwargs or request.cookies
    return bool(own) or request.method != "GET"


def _validator(response: Response, name: str) -> bytes | None:
    """A header to ask with the next time; None for one that cannot be sent back."""
    value = response.headers.get(name)
    return value if value and len(value) <= _LONGEST_VALIDATOR else None
