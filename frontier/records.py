"""What is known of a URL on its way, and of a page and its links.

A `UrlRecord` is made where a URL is met, in a seed or a link, and a `Lease` where it leaves. What
comes of it is a `Page`, made once and never written to; `frontier.verdict` says what is decided
about it; the store keeps all three as a `PageRow`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from frontier.states import NO_MARKS, Mark, State

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ranking.topics.judging import Judgement


_T = TypeVar("_T")


class VisibleText:
    """A page's visible text, or what was made of it elsewhere.

    Duplicates and traps need numbers of a text, not the text. They name the function that makes
    them, and get what it makes: at once where the page was read in this process; where another
    process read it, what that one made with the same function and sent along.
    """

    __slots__ = ("_made", "_text")

    def __init__(
        self, text: str | None, made: Mapping[Callable[[str], Any], object] | None = None
    ) -> None:
        """Stand for a text.

        Args:
            text: all of it; where `made` is given its beginning, None if that was not sent.
            made: of a text that another process read, what each function made of it.

        """
        self._text = text
        self._made = made

    def derived(self, make: Callable[[str], _T]) -> _T:
        """Return what a pure function makes of the whole text.

        Raises KeyError for a function whose result did not come along.
        """
        if self._made is None:
            assert self._text is not None, "what was read here is there"
            return make(self._text)
        return self._made[make]  # type: ignore[return-value]  # by the function that made it

    def beginning(self, letters: int) -> str | None:
        """Return so many characters at most; None where they did not come along."""
        return None if self._text is None else self._text[:letters]


@dataclass(frozen=True, slots=True, eq=False)
class LinkArrays:
    """The out-links of a page, parallel arrays of one length k.

    `anchors` are the texts of the links, "" for a link without text; None where they were not kept
    or not asked for. `matches` (k, 6) are those of `ranking.page_update`, None without a topic, and
    where they were not asked for. `contexts` are the texts around the links, "" where they are not
    kept; None as for `anchors`.
    """

    targets: NDArray[np.int32]
    predicted: NDArray[np.float32]
    flags: NDArray[np.uint8]
    anchors: tuple[str, ...] | None = None
    matches: NDArray[np.uint8] | None = None
    contexts: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        assert len(self.targets) == len(self.predicted) == len(self.flags)
        assert self.anchors is None or len(self.anchors) == len(self.targets)
        assert self.matches is None or len(self.matches) == len(self.targets)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Page:
    """What came of a lease: the page that was read, or why there is none.

    Complete when it is made, and the same for rules, order, store and exchange; what is decided
    about it is a `Verdict`.
    """

    state: State
    fetched: float
    """Unix seconds of the answer."""
    status: int | None = None
    """HTTP status."""
    error: str | None = None
    final_url: str | None = None
    title: str | None = None
    heading: str | None = None
    """Text of its first h1; None without."""
    asks: str | None = None
    """What it asks of whoever uses it, see `frontier.pagerules.asks`; None: nothing."""
    language: str | None = None
    """Its language tag (BCP 47) in lower case; None where it names none."""
    hash: bytes | None = None
    """128-bit BLAKE2b of the body."""
    length: int | None = None
    """Characters of visible text."""
    relevance: float | None = None
    """[0, 1]; None where nothing could be judged, as the next."""
    similarity: float | None = None
    """[0, 1], cosine of the page's words and the topic's."""
    marks: Mark = NO_MARKS
    is_prose: bool = True
    """Whether the text is meant for people: data and pictures prove nothing by their words."""
    blocks: bytes | None = None
    """Its text as `frontier.refresh.blocks` compares it; None: the page is not revisited."""
    etag: bytes | None = None
    modified: bytes | None = None
    """The ETag and Last-Modified of its answer."""
    kept: tuple[bytes, bytes] | None = None
    """Its text as `frontier.texts` keeps it, a `PackedText`; None: it is not kept."""
    rendering: str | None = None
    """Whether a browser showed it, what that brought and why, as `frontier.render.policy` notes it;
    None: that was no question."""
    text: VisibleText | None = field(default=None, metadata={"crosses": False})
    """Its visible text, which an exchange sends in a form of its own."""

    @classmethod
    def read(cls, title: str, text: str | None, judged: Judgement | None, **known: Any) -> Page:
        """Return a page that was read, with the other fields by name.

        `text` is None where nobody asked for it, `judged` where no topic model judged it.
        """
        return cls(
            title=title or None,
            length=None if text is None else len(text),
            relevance=None if judged is None else judged.relevance,
            similarity=None if judged is None else judged.similarity,
            text=None if text is None else VisibleText(text),
            **known,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRow:
    """An answer as it is stored: its lease, its page and what was decided about it.

    The fields are the columns of table `pages`, in this order, under these names and with these
    types; `id` there is `url_id`, and `links` are several. `refetched` is not stored.
    """

    seq: int | None = None
    """Answer number; the store gives it."""
    url_id: int
    state: State
    status: int | None = None
    error: str | None = None
    attempts: int = 1
    """Leases of this URL up to the answer."""
    lease_number: int | None = None
    leased: float | None = None
    """Unix seconds of the lease."""
    fetched: float = 0.0
    final_url: str | None = None
    title: str | None = None
    heading: str | None = None
    asks: str | None = None
    language: str | None = None
    hash: bytes | None = None
    length: int | None = None
    relevance: float | None = None
    similarity: float | None = None
    priority: float | None = None
    """Why it was leased before others."""
    score: float | None = None
    """Link score at the lease."""
    rank: int | None = None
    """1 + the queued URLs that were better at the lease."""
    marks: Mark = NO_MARKS
    twin: int | None = None
    """Id of the page that it repeats or names as the one to keep."""
    rendering: str | None = None
    features: NDArray[np.float32] | None = field(default=None, compare=False)
    """(d,), what the strategy knew of the URL at the lease."""
    links: LinkArrays | None = field(default=None, compare=False)
    """None: not a page of the link graph. A fetched page without links has empty arrays."""
    refetched: bool = field(default=False, compare=False, metadata={"stored": False})
    """Whether a page that was fetched before answered again."""

    @property
    def judged(self) -> bool:
        """Whether the relevance is the page's own: not that of a redirect, and known."""
        return self.state is State.CRAWLED and self.relevance is not None


@dataclass(slots=True, kw_only=True, eq=False)
class UrlRecord:
    """One URL on its way: a seed, or a link of a page, or what a page redirects to."""

    url: str
    fingerprint: int
    """int64: the URL's only identity."""
    canonical: str
    slot: str
    """Scrapy's download slot, normally the host name."""
    depth: int
    """Links followed from a seed."""
    url_id: int = -1
    """Row of the URL in the store and in every array; -1 until it has one."""
    is_new: bool = False
    """Whether it was met for the first time by this record."""
    priority_class: int = 0
    """Scrapy's `Request.priority`, which stands above every score."""
    seed: bool = False
    """A starting URL, member of the restart set."""
    again: bool = False
    """Fetch it even if it was fetched before (Scrapy's `dont_filter`)."""
    asked: bool = False
    """Whether a request that a spider made leads here, and no plain link; not stored."""
    body: bytes | None = None
    """The serialised request of a spider; None where the URL says it all."""
    unsaved: Any = None
    """A request that is not stored: kept in memory, for this run only, until it is leased."""
    referrer: int | None = None
    """Id of the page by which the URL was first found; of a link it is known by its page."""
    anchor: str | None = None
    """Text of the link."""
    zone: int = 0
    """Where on its page the link stands, see `frontier.parsing.content.Link`."""
    context: str = ""
    """Text around the link; "" without a topic."""
    predicted: float = 0.0
    """[0, 1]: predicted relevance."""
    matches: tuple[int, ...] | None = None
    """Six numbers, `ranking.page_update.MATCH_STEPS` at most: what the words of the link, those
    around it and those of its URL say of the target, and the same by their meaning alone; None
    where that was not weighed."""
    flags: int = 0
    """Bits of a link, see `frontier.states`."""
    modified: float | None = None
    """Unix seconds at which it changed, as its page says of a link; not stored."""


@dataclass(slots=True, kw_only=True, eq=False)
class Lease(UrlRecord):
    """A URL that leaves the queue to be fetched, and what was known of it then.

    What links say of it is not repeated.
    """

    number: int
    """Leases count up over the crawl."""
    attempts: int = 1
    """Leases of this URL since its last answer, this one included."""
    leased: float = 0.0
    """Unix seconds."""
    priority: float = 0.0
    score: float | None = None
    """Link score; None in an order without."""
    rank: int | None = None
    """1 + the queued URLs that were better."""
    features: NDArray[np.float32] | None = None
    """(d,), what the strategy knows of the URL; it stays with whoever owns the order."""
    revisit: bool = False
    """Whether a known page is asked for again."""
    etag: bytes | None = None
    last_modified: bytes | None = None
    """What to ask with, if the page is to be sent only where it has changed."""
    whole: bool = False
    """Whether the page is to be read also where it has not changed: it was not there meanwhile."""
    interrupted: bool = False
    """Whether a process may have died while the URL was in flight."""
    held: bool = False
    """Whether items of the answer are on their way: after a crash before they are done the URL is
    fetched again."""


class Canonical(NamedTuple):
    """The address that a page names as its own."""

    named: UrlRecord
    may_be_new: bool
    """Whether it is asked for even if nothing else led to it."""


class Sample(NamedTuple):
    """A fetched page whose text is kept, to be asked about."""

    url_id: int
    relevance: float
    text: str


class RevisitRow(NamedTuple):
    """A page that is revisited: how often, when last, and what that found.

    There is one of every page that was fetched while the crawl refreshed, and of every page that
    was revisited.
    """

    url_id: int
    first: float
    """Unix seconds of the first fetch."""
    last: float
    """Of the last revisit that had an answer."""
    changed: float | None
    """Of the last revisit that found a change; None: none did."""
    revisits: int
    """Revisits after the first fetch that had an answer."""
    changes: int
    """Of them those that found a change."""
    rated: float
    """Changes there were, by the estimate of `frontier.refresh.chances`."""
    status: int | None
    """HTTP status of the last revisit, 304 included; None: no answer."""
    result: int
    """A `Change`: what the last revisit found."""
    share: float | None
    """[0, 1]: share of the text that the last change changed."""
    signalled: float | None
    """Unix seconds of the last change that a sitemap, a feed or a linking page named."""
    etag: bytes | None
    modified: bytes | None
    """Its ETag and Last-Modified, as the server sent them."""
    lied: int
    """1: a full fetch right after an answer of 304 found a change."""
    blocks: bytes | None
    """Its text as `frontier.refresh.changes` compares it."""
    history: bytes
    """Its last revisits, oldest first, see `frontier.refresh.changes.past_revisits`."""
    request: bytes | None
    """How to ask for it, as it was serialised; None: its URL says all."""


class HostPause(NamedTuple):
    """A pause that a host needs, as it outlives the process: `seconds` from now, for a reason.

    `delay` is the number of seconds between two requests to which refusals have led.
    """

    slot: str
    seconds: float
    delay: float
    note: str


class RobotsRow(NamedTuple):
    """The robots.txt of an origin, as it was last asked for."""

    origin: str
    """Scheme, host and port."""
    fetched: float
    """Unix seconds of the last try."""
    good: float | None
    """Unix seconds of the answer that `body` is of; None: there never was one."""
    status: int | None
    """HTTP status of the last try."""
    outcome: str
    lifetime: float
    """Seconds from `fetched` on that the answer may be used."""
    body: bytes | None
