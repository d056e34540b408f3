"""What is known of a URL on its way, and of a page and its links: one record each.

A `UrlRecord` is made where a URL is met, in a seed or a link, and another one, `Lease`, where
it leaves. That one has the record of the page: made when a URL leaves (what it leaves for), and
completed by each step on its way: the answer, what was read and judged, what page rules, traps and
duplicates make of it, its links. The store keeps it as it is then, and gives it back when a crawl
goes on.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from frontier.states import NO_MARKS, Change, Mark, State

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
class LinkText:
    """What the k links of a page say, where that was weighed.

    `matches` (k, 6) are those of `ranking.page_update`. `contexts` are the texts around the links,
    "" where they are not kept; None: not asked for.
    """

    matches: NDArray[np.uint8]
    contexts: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class LinkArrays:
    """The out-links of a page, parallel arrays of one length k.

    `anchors` are the texts of the links, "" for one without; None where they were not kept or not
    asked for. `said` is None without a topic, and where it was not asked for.
    """

    targets: NDArray[np.int32]
    predicted: NDArray[np.float32]
    flags: NDArray[np.uint8]
    anchors: tuple[str, ...] | None = None
    said: LinkText | None = None

    def __post_init__(self) -> None:
        assert len(self.targets) == len(self.predicted) == len(self.flags)
        assert self.anchors is None or len(self.anchors) == len(self.targets)
        assert self.said is None or len(self.said.matches) == len(self.targets)


def _of(default: Any, *, leased: bool = False, stored: bool = True, crosses: bool = True) -> Any:
    """A field of a page's record.

    `leased`: known since its URL left, and the same ever since. `stored`: as a column. `crosses`:
    goes from who fetches to who owns the order as it is, where these are two processes; what does
    not is decided there, or has a form of its own.
    """
    metadata = {"leased": leased, "stored": stored, "crosses": crosses}
    return field(default=default, compare=stored, metadata=metadata)


_OWN = {"stored": False, "crosses": False}


@dataclass(slots=True, kw_only=True)
class PageRecord:
    """One lease of a URL, and what came of it.

    The fields are the columns of table `pages`, in this order, under these names and with these
    types; `id` there is `url_id`, and `links` are several. The last ones are never stored.
    """

    seq: int | None = _of(None, crosses=False)
    """Answer number; the store gives it."""
    url_id: int = field(metadata={"leased": True})
    state: State = State.LEASED
    status: int | None = None
    """HTTP status."""
    error: str | None = None
    attempts: int = _of(1, leased=True)
    """Leases of this URL, this one included."""
    lease_number: int | None = _of(None, leased=True)
    """Number of this lease."""
    leased: float | None = _of(None, leased=True)
    """Unix seconds of the lease."""
    fetched: float = 0.0
    """Unix seconds of the answer."""
    final_url: str | None = None
    title: str | None = None
    hash: bytes | None = None
    """128-bit BLAKE2b of the body."""
    length: int | None = None
    """Characters of visible text."""
    relevance: float | None = None
    """[0, 1]; None where nothing could be judged, as the next."""
    similarity: float | None = None
    """[0, 1], cosine of the page's words and the topic's."""
    priority: float | None = _of(None, leased=True)
    """What the URL was leased for."""
    score: float | None = _of(None, leased=True)
    """Link score at the lease."""
    rank: int | None = _of(None, leased=True)
    """1 + the queued URLs that were better at the lease."""
    marks: Mark = NO_MARKS
    twin: int | None = _of(None, crosses=False)
    """Id of the page that it repeats or names as the one to keep."""
    features: NDArray[np.float32] | None = field(
        default=None, compare=False, metadata={"leased": True, "crosses": False}
    )
    """(d,), what the strategy knew of the URL at the lease."""
    links: LinkArrays | None = field(default=None, compare=False, metadata={"crosses": False})
    """None: not a page of the link graph. A fetched page without links has empty arrays."""

    text: VisibleText | None = field(default=None, compare=False, metadata=_OWN)
    """Of the visible text of a page that has just been read."""
    is_prose: bool = _of(default=True, stored=False)
    """Whether the text is one for people: data and pictures prove nothing by what they say."""
    refetched: bool = _of(default=False, stored=False, crosses=False)
    """Whether a page that was fetched before answered again."""
    blocks: bytes | None = _of(None, stored=False)
    """Its text as `frontier.refresh.blocks` compares it; None: it is not revisited."""
    etag: bytes | None = _of(None, stored=False)
    modified: bytes | None = _of(None, stored=False)
    """The ETag and Last-Modified of its answer."""
    change: Change | None = field(default=None, compare=False, metadata=_OWN)
    """What a crawl that revisits pages found, once that is known."""
    share: float | None = _of(None, stored=False, crosses=False)
    """[0, 1]: share of the text that changed."""
    previous: float | None = _of(None, stored=False, crosses=False)
    """Unix seconds of the revisit before."""
    held: bool = _of(default=False, stored=False, leased=True)
    """Whether something is still to be made of the answer: a crash before it is done fetches the
    URL again."""

    @property
    def judged(self) -> bool:
        """Whether the relevance is the page's own: not of a redirect, nor of what has none."""
        return self.state is State.CRAWLED and self.relevance is not None

    def ended(
        self,
        state: State,
        fetched: float,
        *,
        status: int | None = None,
        error: str | None = None,
        final_url: str | None = None,
    ) -> None:
        """Note how the lease ended."""
        self.state, self.fetched = state, fetched
        self.status, self.error, self.final_url = status, error, final_url

    def was_read(self, title: str, text: str | None, judged: Judgement | None, marks: Mark) -> None:
        """Note what was read on the page, None for a text that nobody asked for; `judged` is None
        where nobody said what it is about.
        """
        self.title = title or None
        if text is not None:
            self.text, self.length = VisibleText(text), len(text)
        if judged is not None:
            self.relevance, self.similarity = judged.relevance, judged.similarity
        self.marks = marks


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
    """A URL that was leased, with the record of its page; what links say is not repeated."""

    page: PageRecord
    revisit: bool = False
    """Whether a known page is revisited."""
    etag: bytes | None = None
    last_modified: bytes | None = None
    """What to ask with, if the page is to be sent only where it has changed."""


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
    found: int
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
