"""The account of one download: its limits, and what became of it.

It goes with the request through agent, pool, connection and parser, none of which knows the others.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from frontier.states import NO_MARKS, Mark

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response

TRUNCATED = "truncated: "
"""How the flag of a response begins whose body is not whole; the reason follows."""
LATE = "the answer took longer than"
"""How the reason begins where there was no time for the rest."""
CUT_AT = "frontier_cut_at"
"""Key of `request.meta`, of what the frontier downloads for itself: the bytes, on the wire and
unpacked, at which a body is cut and used whatever the settings say."""

_BEFORE_SCRAPY = 0.99
"""Share of the time limit after which a body is cut: Scrapy gives up a download at its end."""


@dataclass(slots=True, eq=False)
class DownloadState:
    """One download. `limit` is in bytes on the wire, 0 for none; `seconds` is for all of it.

    `cuts` is whether a body that is too long, too slow or broken ends there and is used; otherwise
    all of that is Scrapy's business.
    """

    limit: int = 0
    seconds: float = 60.0
    cuts: bool = False
    refused: str | None = None
    """Why no address of the host was connected to."""
    answered: bool = False
    """Whether a byte of an answer came."""
    headed: bool = False
    """Whether its head is complete."""
    reused: bool = False
    """Whether the connection had been used before."""
    cut: str | None = None
    """Why the body is not whole."""
    certificate: str | None = None
    """What is wrong with the server's certificate."""
    in_handshake: bool = False
    """Whether the connection ended before TLS was agreed on."""
    parser: Any = None
    """What receives the body: its `cut_body` ends that here, and the connection."""
    began: float = field(default_factory=time.monotonic)

    @property
    def patience(self) -> float:
        """Seconds after which a body is cut."""
        return _BEFORE_SCRAPY * self.seconds

    def is_late(self) -> bool:
        """Whether a body should have been cut by now: timers may be late themselves."""
        return self.cuts and time.monotonic() - self.began > self.patience

    def expire(self) -> None:
        """The time is over: what came of a body is all there is."""
        if self.parser is not None:
            self.parser.cut_body(f"{LATE} {self.seconds:g} seconds")


_pages: WeakKeyDictionary[Request, DownloadState] = WeakKeyDictionary()


def watch_page(request: Request) -> DownloadState:
    """Say that a request is about to be downloaded for a page of the frontier."""
    watch = _pages[request] = DownloadState()
    return watch


def page_watch(request: Request) -> DownloadState | None:
    """The account of a page's download, None where the request is not for a page."""
    return _pages.pop(request, None)


def truncated(response: Response) -> Mark:
    """TRUNCATED for a response whose body is only the beginning."""
    cut = any(flag.startswith(TRUNCATED) for flag in response.flags)
    return Mark.TRUNCATED if cut else NO_MARKS


def notes(response: Response, watch: DownloadState | None) -> str | None:
    """What the store keeps of the way of a response beside its status, None if all was well."""
    found = [one for one in response.flags if one.startswith(TRUNCATED)]
    if watch is not None and watch.certificate is not None:
        found.append(f"tls: {watch.certificate}")
    return "; ".join(found) or None
