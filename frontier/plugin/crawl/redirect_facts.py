"""Redirects: where an answer leads, and what Scrapy's middlewares say of the requests they make."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from frontier.states import State
from frontier.urls.resolve import located

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response

    from frontier.plugin.crawl.leases import Lease

_SHOWN = 100
"""Bytes of an address that leads nowhere."""


def unanswered(response: Response) -> str:
    """Why a response of status 300 or more is no page, and where it would have led to."""
    reason = f"HTTP {response.status}"
    location = response.headers.get("Location")
    if not location or response.status >= 400 or located(response.url, location) is not None:
        return reason
    return f"{reason}: it leads to {location[:_SHOWN]!r}, which is no http or https address"


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
    lease.page.marks = lease.marks


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
