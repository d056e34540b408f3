"""Hand-outs: ready to leave, in flight, redirected, or answered with items in the pipelines.

The engine asks for one request after the other until the downloader has no place left, and nothing
is learned in between; a transaction for each of them would cost more than all that it writes. So
`ReadyRequests` takes as many as there are places, one by one by the same rules, and writes their
leases down before any of them leaves.
"""

from __future__ import annotations

import atexit
import logging
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from frontier.errors import StoreError
from frontier.plugin import compat
from frontier.states import State

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request
    from scrapy.crawler import Crawler

    from frontier.backend.backend import LinkRankBackend
    from frontier.records import HandedOut, PageRecord

TOKEN = "frontier"  # noqa: S105  # a key of request.meta, no secret
"""Key of `request.meta` under which the number of the lease travels with a request."""
_SLOT = "download_slot"
"""Key of `request.meta`: the slot to use, and the one that Scrapy's downloader did use."""


@dataclass(slots=True, eq=False)
class Lease:
    """One request handed out: `handed` as the frontier knows it, `request` as Scrapy does.

    `reentering` is True from the moment a downloader middleware answered with another request
    (a retry or a redirect) until that request is back in the scheduler. `postponed` is True where
    that is the same request, because its host must not be asked now. `in_flight` is True until
    the downloader has answered: a callback may download the same request once more by itself.
    """

    handed: HandedOut
    request: Request
    reentering: bool = False
    in_flight: bool = True
    postponed: bool = False
    _chose_slot: bool = field(init=False)

    def __post_init__(self) -> None:
        self._chose_slot = _SLOT in self.request.meta

    @property
    def page(self) -> PageRecord:
        """What is known of the hand-out so far."""
        return self.handed.page

    @property
    def number(self) -> int:
        """Under which the lease stands in the store."""
        return int(self.page.handout or 0)

    @property
    def slot(self) -> str:
        """Download slot the request was handed out for."""
        return self.handed.slot

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


def hops(request: Request) -> int:
    """How many redirects led to a request."""
    return int(request.meta.get("redirect_times", 0))


def reason_of(request: Request) -> object:
    """Why a request was redirected: a status, or the word of another middleware than HTTP's."""
    reasons = request.meta.get("redirect_reasons")
    return reasons[-1] if reasons else None


def note_redirect(request: Request, lease: Lease) -> None:
    """Complete the record of a lease that was redirected to a request."""
    reason = reason_of(request)
    status = reason if isinstance(reason, int) else None
    lease.page.ended(State.REDIRECTED, time.time(), status=status, final_url=request.url)


def leads_nowhere(asked: Request, request: Request, *, cookies: bool) -> bool:
    """Whether `request`, to which `asked` was redirected, would have the same answer once more.

    Both have the same fingerprint. Sites that set a cookie first answer otherwise the next time,
    to who has it; those that take a session or a tracking parameter out of the address answer
    otherwise at the new one.
    """
    if _address(request) != _address(asked):
        return False
    chain: list[str] = request.meta.get("redirect_urls", [])
    if [url.partition("#")[0] for url in chain].count(_address(asked)) > 1:
        return True  # a cookie that helps has helped the second time
    return not request.dont_filter and (not cookies or reason_of(request) == "meta refresh")


def _address(request: Request) -> str:
    return request.url.partition("#")[0]


logger = logging.getLogger(__name__)


ITEMS_WAIT = 600.0
"""Seconds after which a page counts as fetched though its items are still in the pipelines: what
takes ten minutes has hung."""
LATE = "frontier/items/late"
"""Stat of the pages that were not waited for any longer."""


class PagesInPipelines:
    """Holds pages until the scraper is done with them, and knows whether the crawl was stopped.

    What a page teaches is learned when its callback has ended, so that slow pipelines do not delay
    the order. But it counts as fetched on disk only when the scraper is done with it: when every
    item that it led to was scraped, dropped or failed, and whoever listens to that has heard it. So
    it is the scraper that is watched and not the items: a pipeline may return other objects than it
    was given, and a middleware may replace, drop or add some. A process that dies before that
    leaves the page leased, and it is fetched again.
    """

    def __init__(self, crawler: Crawler, backend: LinkRankBackend) -> None:
        self._crawler = crawler
        self._backend = backend
        self._held: dict[int, tuple[Lease, float]] = {}
        """Lease and since when, by the lease's number; the first came first."""
        self._timer: Any = None

    def open(self) -> None:
        """Watch the scraper, and the end of the process."""
        compat.follow_scraping(self._crawler, TOKEN, self._done)
        atexit.register(self._ended)

    def close(self) -> None:
        """The crawl is closed: nothing takes too long any more."""
        atexit.unregister(self._ended)
        if self._timer is not None:
            self._timer.cancel()

    def _ended(self) -> None:
        """The process ends before the crawl was closed: in order, if that had been asked for."""
        if not self._crawler.crawling:
            with suppress(StoreError):
                self._backend.stopped()
                self._backend.commit()

    def hold(self, lease: Lease) -> None:
        """Keep a page, which is going to be recorded, from counting as fetched for now."""
        lease.page.held = True
        self._held[lease.number] = lease, time.monotonic()
        if self._timer is None:
            self._timer = compat.call_later(ITEMS_WAIT, self._look)

    def _done(self, number: int) -> None:
        held = self._held.pop(number, None)
        if held is not None:
            self._backend.let_go(held[0].handed)

    def _look(self) -> None:
        """Let go of the pages that were held for too long."""
        self._timer = None
        while self._held:
            number, (lease, since) = next(iter(self._held.items()))
            left = since + ITEMS_WAIT - time.monotonic()
            if left > 0:
                self._timer = compat.call_later(left, self._look)
                break
            self._warn(lease)
            self._done(number)
        with suppress(StoreError):  # told by the store; a crawl that is closing commits no more
            self._backend.commit()
        compat.wake(self._crawler)

    def _warn(self, lease: Lease) -> None:
        stats: Any = self._crawler.stats
        if not stats.get_value(LATE):
            logger.warning(
                "Items of %s are in the pipelines for more than %g seconds: the page counts as "
                "fetched now, so they are lost if the process dies. Further pages like it are "
                "counted in %s.",
                *(lease.request, ITEMS_WAIT, LATE),
            )
        stats.inc_value(LATE)
