"""Hand-outs that have not been answered yet: ready to leave, in flight, or redirected.

The engine asks for one request after the other until the downloader has no place left, and nothing
is learned in between; a transaction for each of them would cost more than all that it writes. So
`ReadyRequests` takes as many as there are places, one by one by the same rules, and writes their
leases down before any of them leaves.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from frontier.states import State

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request

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
