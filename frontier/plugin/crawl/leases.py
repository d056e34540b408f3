"""Leases: what they wait for, ready to leave, in flight, and answered with items in pipelines.

Two things are about to change the order and take milliseconds: a page that was just downloaded is
being read, and a re-rank whose time has come is being finished. Waiting for them (`OrderPatience`)
costs less than a request spent on the second best page, and makes a crawl with one request at a
time repeat exactly. Neither wait is longer than READING_WAIT, or PATIENCE_ALONE where one request
is made at a time. The longer wait, for hosts, is `frontier.queue.eligibility`.

The engine asks for one request after the other until the downloader has no place left, and nothing
is learned in between; a transaction for each of them would cost more than all that it writes. So
`ReadyRequests` takes as many as there are places, one by one by the same rules, and writes their
leases down before any of them leaves.
"""

from __future__ import annotations

import atexit
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from frontier.backend.revisit_results import UNMODIFIED
from frontier.errors import StoreError
from frontier.plugin import compat
from frontier.plugin.settings import value
from frontier.queue.eligibility import Patience
from frontier.states import State

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Generator

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from frontier.config import CrawlConfig
    from frontier.politeness import PolitenessPolicy
    from frontier.protocol import Frontier
    from frontier.records import Lease, PageRecord

TOKEN = "frontier"  # noqa: S105  # a key of request.meta, no secret
"""Key of `request.meta` under which the number of the lease travels with a request."""
MOVED = "frontier_moved"
"""Key of `request.meta` of a request to which a known page has moved."""
RETURNS = "frontier_returns"
"""Key of `request.meta` of a redirect that is followed although its URL was asked before."""
_SLOT = "download_slot"
"""Key of `request.meta`: the slot to use, and the one that Scrapy's downloader did use."""
READING_WAIT = 0.25
"""Seconds, or FRONTIER_WAIT_FOR_BEST where that is less: Scrapy 2.13 alone takes a tenth of a
second to begin with a page."""
PATIENCE_ALONE = 5.0
"""Seconds. On a machine with much else to do, what takes milliseconds can take a second."""

FEW_HOSTS = 4
"""Hosts that are asked about, one by one, before a URL is looked for in the queue."""
_LOOK_AGAIN = 0.005
"""Seconds after which to look whether a re-rank has finished: its thread cannot call the engine."""


@dataclass(slots=True, eq=False)
class Flight:
    """One request leased: `flight` as the frontier knows it, `request` as Scrapy does.

    `reentering` is True from the moment a downloader middleware answered with another request
    (a retry or a redirect) until that request is back in the scheduler. `postponed` is True where
    that is the same request, because its host must not be asked now. `in_flight` is True until
    the downloader has answered: a callback may download the same request once more by itself.
    """

    lease: Lease
    request: Request
    reentering: bool = False
    in_flight: bool = True
    postponed: bool = False
    sent_to: Request | None = None
    """What a downloader middleware answered with."""
    _chose_slot: bool = field(init=False)

    def __post_init__(self) -> None:
        self._chose_slot = _SLOT in self.request.meta

    @property
    def page(self) -> PageRecord:
        """What is known of the lease so far."""
        return self.lease.page

    @property
    def number(self) -> int:
        """Under which the lease stands in the store."""
        return int(self.page.lease_number or 0)

    @property
    def slot(self) -> str:
        """Download slot the request was leased for."""
        return self.lease.slot

    @property
    def downloaded(self) -> bool:
        """Whether the request got as far as a slot; a middleware may know the answer."""
        return _SLOT in self.request.meta

    def forget_slot(self, request: Request) -> None:
        """Take the slot that Scrapy noted in our request from one that copied its meta.

        A redirect to another host would else wait in the first host's slot, beside the real one.
        """
        noted = None if self._chose_slot else self.request.meta.get(_SLOT)
        if noted is not None and request.meta.get(_SLOT) == noted:
            del request.meta[_SLOT]


class OrderPatience:
    """Knows how long the next lease should wait for what is about to change the order."""

    def __init__(
        self,
        rerank_overdue: Callable[[], bool],
        places: int,
        patience: float,
        wake: Callable[[], None] = lambda: None,
    ) -> None:
        """`places` is how many requests are made at once in all, `patience` is in seconds.

        `wake` is called when a wait ends before its time.
        """
        self._rerank_overdue = rerank_overdue
        self._wake = wake
        self._patience = PATIENCE_ALONE if places == 1 else patience
        self._overdue_since: float | None = None
        self._unread: dict[int, float] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler, rerank_overdue: Callable[[], bool]) -> OrderPatience:
        places = crawler.settings.getint("CONCURRENT_REQUESTS")
        patience = min(value(crawler.settings, "FRONTIER_WAIT_FOR_BEST"), READING_WAIT)
        return cls(rerank_overdue, places, patience, lambda: compat.wake(crawler))

    def downloaded(self, flight: int) -> None:
        """Note that a page came in and is going to be read."""
        self._unread[flight] = time.monotonic()

    def read(self, flight: int) -> None:
        """Note that the frontier has learned from a page."""
        self._unread.pop(flight, None)

    def suspended(self, flight: int) -> None:
        """Note that the callback of a page waits for something itself: it is not waited for."""
        if self._unread.pop(flight, None) is not None:
            self._wake()

    def seconds(self) -> float | None:
        """Seconds after which to ask again, None if nothing is to be waited for."""
        now = time.monotonic()
        return self._for_reading(now) or self._for_rerank(now)

    def _for_reading(self, now: float) -> float | None:
        for flight, since in list(self._unread.items()):
            if now - since < self._patience:
                return self._patience - (now - since)
            del self._unread[flight]
        return None

    def _for_rerank(self, now: float) -> float | None:
        if not self._rerank_overdue():
            self._overdue_since = None
            return None
        if self._overdue_since is None:
            self._overdue_since = now
        return _LOOK_AGAIN if now - self._overdue_since < self._patience else None


class Watched:
    """An asynchronous iterator that tells when it waits for something, and is not only at work."""

    def __init__(self, iterator: AsyncIterator[Any], waits: Callable[[], None]) -> None:
        self._iterator = iterator
        self._waits = waits

    def __aiter__(self) -> Watched:
        return self

    def __anext__(self) -> Awaitable[Any]:
        return _Step(self._iterator.__anext__(), self._waits)


class _Step:
    """One step: an awaitable that is its own iterator, and tells of all that is waited for."""

    def __init__(self, step: Awaitable[Any], waits: Callable[[], None]) -> None:
        self._step: Any = step.__await__()
        self._waits = waits
        self.throw, self.close = self._step.throw, self._step.close

    def __await__(self) -> Generator[Any, Any, Any]:
        return self  # type: ignore[return-value]  # has what `await` asks of a generator

    def __next__(self) -> Any:
        return self.send(None)

    def send(self, answer: Any) -> Any:
        awaited = self._step.send(answer)
        self._waits()
        return awaited


class EngineWakeup:
    """Has the engine ask the scheduler again; by itself it would only every 5 seconds.

    Invariant: at most one timer is set, for the earliest moment asked for.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._timer: Any = None
        self._due = 0.0

    def set(self, seconds: float | None) -> None:
        """Ring after so many seconds, unless it rings sooner; None or infinite: not at all."""
        if seconds is None or seconds == float("inf"):
            return
        due = time.monotonic() + seconds
        if self._timer is not None:
            if self._due <= due:
                return
            self._timer.cancel()
        self._timer, self._due = compat.call_later(max(seconds, 0.0), self._ring), due

    def cancel(self) -> None:
        """Do not ring any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _ring(self) -> None:
        self._timer = None
        compat.wake(self._crawler)


class NextUrl:
    """Takes leases from the frontier, one at a time; whoever asks for them commits."""

    def __init__(
        self,
        frontier: Frontier,
        politeness: PolitenessPolicy,
        wakeup: EngineWakeup,
        config: CrawlConfig,
    ) -> None:
        self._frontier = frontier
        self._politeness = politeness
        self._wakeup = wakeup
        self._slow = config.wait_for_best
        self._patience = Patience(config.wait_for_best)

    def take(
        self, hosts: Collection[str] | None = None, *, dead_leave: bool = True
    ) -> Lease | None:
        """Lease a good URL; where none may be asked for and patience is over, the best that may.

        `hosts` are all that have URLs, None where these are many: while none of a few may be asked,
        nothing is looked for in the queue. `dead_leave` as in `PolitenessPolicy.room`.
        """
        room: Callable[..., int] = self._politeness.room
        if not dead_leave:
            room = partial(room, dead_leave=False)
        if hosts and not _any_room(hosts, room):
            lease = self._lease_ahead(room, hosts)
        else:
            best, ahead = partial(self._lease_best, room), partial(self._lease_ahead, room)
            lease = self._patience.take(best, ahead)
            if lease is None:
                self._wakeup.set(self._patience.seconds() or None)
        if lease is None:
            self._wakeup.set(self._politeness.take_wait())
        return lease

    def _lease_ahead(
        self, room: Callable[..., int], hosts: Collection[str] | None = None
    ) -> Lease | None:
        """Lease what waits in the downloader for its host: nothing else may be asked for now."""
        if self._patience.share < 1:
            return None
        ahead = partial(room, ahead=True)
        if hosts and not _any_room(hosts, ahead):
            return None
        return self._lease_best(ahead, 1.0)

    def _lease_best(self, room: Callable[..., int], share: float) -> Lease | None:
        slow = self._politeness.overdue(self._slow) if share < 1 else ()
        batch = self._frontier.next(1, room, share, slow)
        return batch[0] if batch else None


def _any_room(hosts: Collection[str], room: Callable[..., int]) -> bool:
    return any(room(host) > 0 for host in hosts)


class ReadyRequests:
    """Requests that were taken and have not left.

    Invariant: what is ready is leased, and the store's file says so.
    """

    def __init__(
        self,
        take: Callable[[], Request | None],
        commit: Callable[[], None],
        places: Callable[[], int],
    ) -> None:
        """`places` says how many the engine is going to ask for, at least; less than one: one."""
        self._take = take
        self._commit = commit
        self._places = places
        self._requests: deque[Request] = deque()

    def __bool__(self) -> bool:
        return bool(self._requests)

    def next(self) -> Request | None:
        """Return the one to leave, None where there is none."""
        if not self._requests:
            try:
                self._fill()
            finally:
                # Also what was taken before another one failed leaves with the next call.
                self._commit()
        return self._requests.popleft() if self._requests else None

    def _fill(self) -> None:
        for _ in range(max(1, self._places())):
            request = self._take()
            if request is None:
                return
            self._requests.append(request)


def places_of(downloader: Any) -> int:
    """Return how many more requests a downloader takes now; 1 where it does not say."""
    try:
        return int(downloader.total_concurrency - len(downloader.active))
    except AttributeError:
        return 1


def is_unmodified(flight: Flight, response: Response) -> bool:
    """Whether a server answers that a known page has not changed, as it was asked."""
    lease = flight.lease
    was_asked = lease.etag is not None or lease.last_modified is not None
    return lease.revisit and was_asked and response.status == UNMODIFIED


def unread(request: Request) -> Request:
    """A request whose answer goes through Scrapy, and to no callback: there is nothing to read."""
    meta = {**request.meta, "handle_httpstatus_list": [UNMODIFIED]}
    return request.replace(callback=_read_nothing, errback=None, cb_kwargs={}, meta=meta)


def _read_nothing(response: Response) -> None:
    """What a spider makes of a page that has not changed."""


def hops(request: Request) -> int:
    """How many redirects led to a request."""
    return int(request.meta.get("redirect_times", 0))


def note_redirect(request: Request, flight: Flight) -> None:
    """Complete the record of a lease that was redirected to a request."""
    status = revisit_status(flight, request) if flight.lease.revisit else _redirect_status(request)
    flight.page.ended(State.REDIRECTED, time.time(), status=status, final_url=request.url)


def revisit_status(flight: Flight, request: Request | None) -> int | None:
    """Status by which a revisit was redirected; None where it was not.

    200 is that of a page that redirects by itself.
    """
    if request is None or not flight.lease.revisit or hops(request) <= hops(flight.request):
        return None
    return _redirect_status(request) or 200


def _redirect_status(request: Request) -> int | None:
    reasons = request.meta.get("redirect_reasons")  # a status, or the word of another middleware
    return reasons[-1] if reasons and isinstance(reasons[-1], int) else None


def leads_nowhere(asked: Request, request: Request) -> bool:
    """Whether `request`, to which `asked` was redirected, is the same for Scrapy too: a duplicate.

    Both have the same fingerprint, but sites that take a session or a tracking parameter out of the
    address answer otherwise at the new one.
    """
    same = request.url.partition("#")[0] == asked.url.partition("#")[0]
    return same and not request.dont_filter


class PagesInPipelines:
    """Holds pages until the scraper is done with them, and knows whether the crawl was stopped.

    What a page teaches is learned when its callback has ended, so that slow pipelines do not delay
    the order. But it counts as fetched on disk only when the scraper is done with it: when every
    item that it led to was scraped, dropped or failed, and whoever listens to that has heard it. So
    it is the scraper that is watched and not the items: a pipeline may return other objects than it
    was given, and a middleware may replace, drop or add some. A process that dies before that
    leaves the page leased, and it is fetched again.
    """

    def __init__(self, crawler: Crawler, frontier: Frontier) -> None:
        self._crawler = crawler
        self._frontier = frontier
        self._held: dict[int, Flight] = {}

    def open(self) -> None:
        """Watch the scraper, and the end of the process."""
        compat.follow_scraping(self._crawler, TOKEN, self._done)
        atexit.register(self._ended)

    def close(self) -> None:
        """The crawl is closed, in order."""
        atexit.unregister(self._ended)

    def _ended(self) -> None:
        """The process ends before the crawl was closed: in order, if that had been asked for."""
        if not self._crawler.crawling:
            with suppress(StoreError):
                self._frontier.stopped()

    def hold(self, flight: Flight) -> None:
        """Keep a page, which is going to be recorded, from counting as fetched for now."""
        flight.page.held = True
        self._held[flight.number] = flight

    def _done(self, number: int) -> None:
        held = self._held.pop(number, None)
        if held is not None:
            self._frontier.let_go(held.lease)
