"""What Scrapy's redirect middlewares say of the requests they make."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy import Request


def hops(request: Request) -> int:
    """How many redirects led to a request."""
    return int(request.meta.get("redirect_times", 0))


def reason_of(request: Request) -> object:
    """Why a request was redirected: a status, or the word of another middleware than HTTP's."""
    reasons = request.meta.get("redirect_reasons")
    return reasons[-1] if reasons else None


def leads_nowhere(asked: Request, request: Request, *, cookies: bool) -> bool:
    """Whether `request`, to which `asked` was redirected, would have the same answer once more.

    Both have the same fingerprint. Sites that set a cookie first answer otherwise the next time,
    to who has it.
    """
    if request.dont_filter:
        return False
    same = request.url == asked.url and not cookies
    return same or reason_of(request) == "meta refresh"
