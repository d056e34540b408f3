"""Requests in flight: what a lease became for Scrapy, and how redirects and revisits come back."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from scrapy.http import Response

from frontier.backend.revisits.results import UNMODIFIED
from frontier.records import Page
from frontier.states import State

if TYPE_CHECKING:
    from scrapy import Request

    from frontier.plugin.crawl.leaving import OrderWait
    from frontier.records import Lease
    from frontier.render.page_json import JsonContent

TOKEN = "frontier"  # noqa: S105  # a key of request.meta, no secret
"""Key of `request.meta` under which the number of the lease travels with a request."""
MOVED = "frontier_moved"
"""Key of `request.meta` of a request to which a known page has moved."""
RETURNS = "frontier_returns"
"""Key of `request.meta` of a redirect that is followed although its URL was asked before."""
SAME_DOCUMENT = "same_document"
"""Flag of a response: the document of a page that a browser showed is what it was."""
_SLOT = "download_slot"
"""Key of `request.meta`: the slot to use; Scrapy's downloader writes the slot it used there."""


@dataclass(slots=True, eq=False)
class Flight:
    """One request leased: `lease` as the frontier knows it, `request` as Scrapy does.

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
    """The request by which a downloader middleware answered."""
    rendering: str | None = None
    """See `Page.rendering`."""
    in_json: JsonContent | None = None
    """What its JSON has for readers, where its elements have hardly anything."""
    _chose_slot: bool = field(init=False)

    def __post_init__(self) -> None:
        self._chose_slot = _SLOT in self.request.meta

    @property
    def number(self) -> int:
        """Number of the lease in the store."""
        return self.lease.number

    @property
    def slot(self) -> str:
        """Download slot the request was leased for."""
        return self.lease.slot

    @property
    def downloaded(self) -> bool:
        """Whether the request got as far as a slot; a middleware may know the answer."""
        return _SLOT in self.request.meta

    def forget_slot(self, request: Request) -> None:
        """Remove the slot that Scrapy wrote to our request from a request with a copy of its meta.

        A redirect to another host would else be made in the slot of the first host.
        """
        noted = None if self._chose_slot else self.request.meta.get(_SLOT)
        if noted is not None and request.meta.get(_SLOT) == noted:
            del request.meta[_SLOT]


class Flights:
    """The requests of a crawl that have left and whose lease has not ended.

    Invariant: a flight is here from its lease until the frontier has the answer.
    """

    def __init__(self, order_wait: OrderWait) -> None:
        self._order_wait = order_wait
        self._by_number: dict[int, Flight] = {}
        self._by_response: WeakKeyDictionary[Response, Flight] = WeakKeyDictionary()

    def __contains__(self, flight: Flight) -> bool:
        return flight.number in self._by_number

    def start(self, lease: Lease, request: Request) -> Flight:
        """A request leaves."""
        flight = self._by_number[lease.number] = Flight(lease, request)
        return flight

    def of(self, request: Request) -> Flight | None:
        """The flight whose token a request has, in its own meta or in a copy of it."""
        return self._by_number.get(request.meta.get(TOKEN, -1))

    def unanswered(self, request: Request) -> Flight | None:
        """The flight of a request that the downloader has not answered; None: it has none."""
        flight = self.of(request)
        return flight if flight and flight.request is request and flight.in_flight else None

    def answer(self, flight: Flight, response: Response) -> Flight | None:
        """Tie a response to its flight, by itself: its `request` may be set to another one.

        Returns the other flight where the same object answers another flight already.
        """
        other = self._by_response.get(response)
        if other is not None and other in self:
            return other
        self._by_response[response] = flight
        self._order_wait.downloaded(flight.number)
        return None

    def answered_by(self, response: Response) -> Flight | None:
        """The flight that a response answers; a copy made by a callback has its token."""
        flight = self._by_response.get(response)
        if flight is None and response.request is not None:
            flight = self.of(response.request)
        return flight

    def end(self, flight: Flight) -> None:
        """The lease ends; the caller brings the answer to the frontier."""
        del self._by_number[flight.number]
        self._order_wait.read(flight.number)


def is_unmodified(flight: Flight, response: Response) -> bool:
    """Whether a server answers that a known page has not changed, as it was asked."""
    lease = flight.lease
    was_asked = lease.etag is not None or lease.last_modified is not None
    known = lease.revisit and (was_asked or SAME_DOCUMENT in response.flags)
    return known and response.status == UNMODIFIED


def unread(request: Request) -> Request:
    """A request whose answer goes through Scrapy, and to no callback: there is nothing to read."""
    meta = {**request.meta, "handle_httpstatus_list": [UNMODIFIED]}
    return request.replace(callback=_read_nothing, errback=None, cb_kwargs={}, meta=meta)


def _read_nothing(response: Response) -> None:
    """The callback for a page that has not changed: yields nothing."""


def hops(request: Request) -> int:
    """How many redirects led to a request."""
    return int(request.meta.get("redirect_times", 0))


def redirect_page(flight: Flight, request: Request) -> Page:
    """Return the page of a lease that was redirected to a request."""
    status = revisit_status(flight, request) if flight.lease.revisit else _redirect_status(request)
    return Page(state=State.REDIRECTED, fetched=time.time(), status=status, final_url=request.url)


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
