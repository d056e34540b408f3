"""The gate in front of the network: requests go out in turn, and answers teach politeness.

A URL leaves the frontier only when its host has room (`PolitenessPolicy.room`): Scrapy's downloader
would else fill up with requests of one slow host while better pages of other hosts wait. Around
Scrapy's download handlers `HostGate.download` lets requests out in turn, by host, domain and
address, whoever made them. So robots.txt, retries, redirects and the requests of a spider's
callbacks are held to the same rules as pages.

Pages seldom wait here, but robots.txt may have brought a Crawl-delay since their lease, or its own
download is under way. A page that would wait for more than a moment goes back into the queue
(`NotYet`), so that it takes no other host's place.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import IgnoreRequest
from scrapy.utils.misc import load_object

from frontier.errors import described
from frontier.plugin.settings import POLITENESS, values
from frontier.plugin.waiting import Waiters
from frontier.politeness import HostAnswer, Limits, PolitenessPolicy, retry_after
from frontier.urls.canonical import slot_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from frontier.politeness.hosts import Lane
    from frontier.protocol import HostNotes

MAX_WAIT_SECONDS = 60.0
"""Seconds that robots.txt, or a request of a callback, waits at most: it cannot be queued again."""


class NotYet(IgnoreRequest):
    """The host of a request is not to be asked for some `seconds`.

    Raised by a downloader middleware or by `HostGate`, for a page of the frontier: the page goes
    back into the queue as if it had not been leased, and its host is left alone for so long.
    """

    def __init__(self, slot: str, seconds: float, reason: str) -> None:
        super().__init__(f"{slot} is not to be asked for {seconds:.3g} s: {reason}")
        self.slot = slot
        self.seconds = seconds
        self.reason = reason


class HostGate:
    """Lets requests out to the network in turn.

    Invariant: `_lines[slot]` are the requests that wait for a slot, in the order in which they
    came; none overtakes another.
    """

    def __init__(
        self,
        politeness: PolitenessPolicy,
        *,
        failures: tuple[type[BaseException], ...] = (),
        owns: Callable[[str], bool] = lambda _: True,
    ) -> None:
        """`failures` are the exceptions that mean that a host did not answer. `owns` returns
        whether pages of a slot are this process's to fetch.
        """
        self._politeness = politeness
        self._failures = failures
        self._owns = owns
        self._lines: dict[str, list[object]] = {}
        self._waiters = Waiters()

    async def download(
        self,
        request: Request,
        fetch: Callable[[], Awaitable[Response]],
        *,
        page: bool = False,
    ) -> Response:
        """Fetch in turn; `page` is whether the request is a page of the frontier.

        Raises NotYet where the turn of a page would come later than politeness lets it wait
        (MAX_WAIT_SECONDS for other requests), or its host is another process's by then, and
        whatever `fetch` raises.
        """
        slot = slot_for(request)
        lanes = await self._turn(slot, page=page)
        try:
            response = await fetch()
        except self._failures as error:
            self._politeness.failed(slot, described(error)[:200])
            raise
        else:
            self._politeness.answered(slot, answer_of(request, response))
            return response
        finally:
            self._politeness.end(slot, lanes)
            self._waiters.wake()

    async def _turn(self, slot: str, *, page: bool) -> tuple[Lane, ...]:
        most = self._politeness.max_wait_seconds if page else MAX_WAIT_SECONDS
        until = self._politeness.clock() + most
        turn, line = object(), self._lines.setdefault(slot, [])
        line.append(turn)
        try:
            while True:
                if page and not self._owns(slot):
                    raise NotYet(slot, 0.0, "it was handed over to another process")
                if line[0] is turn and self._politeness.may_start(slot):
                    return self._politeness.start(slot)
                wait = self._politeness.wait(slot, page=False)
                if self._politeness.clock() + wait > until:
                    raise NotYet(slot, wait, "it has to be left alone")
                # Without a pause it waits for the end of another request.
                await self._waiters.wait(wait or None)
        finally:
            line.remove(turn)
            if not line:
                del self._lines[slot]


def slot_for(request: Request) -> str:
    """Return the name of the downloader's slot that a request takes."""
    key = request.meta.get("download_slot")
    return slot_of(request.url) if key is None else str(key)


def answer_of(request: Request, response: Response) -> HostAnswer:
    """Return what a response says about its host."""
    pauses = [value.decode("latin-1") for value in response.headers.getlist("Retry-After")]
    date = response.headers.get("Date")
    address = None if request.meta.get("proxy") else getattr(response, "ip_address", None)
    return HostAnswer(
        response.status,
        retry_after(pauses, time.time(), date.decode("latin-1") if date else None),
        "" if address is None else str(address),
    )


def failures_of(settings: BaseSettings) -> tuple[type[BaseException], ...]:
    """Return the exceptions that count as no answer: those that Scrapy retries."""
    named: Sequence[Any] = settings.getlist("RETRY_EXCEPTIONS")
    return tuple(load_object(name) for name in named)


def limits_from(settings: BaseSettings) -> Limits:
    """Read the limits. Raises SettingsError for a value out of its range."""
    return Limits(**values(settings, POLITENESS))


def pace_of(crawler: Crawler) -> Callable[[str], tuple[int, float]]:
    """Return a function that gives the requests at once to a slot and the seconds between two.

    They are those of Scrapy's live slot, which AutoThrottle changes, and of the settings before the
    downloader has made the slot.
    """
    settings = crawler.settings
    concurrency = settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN") or 1
    delay = settings.getfloat("DOWNLOAD_DELAY")
    own = {
        str(slot): (given.get("concurrency", concurrency), given.get("delay", delay))
        for slot, given in settings.getdict("DOWNLOAD_SLOTS").items()
    }

    def pace(slot: str) -> tuple[int, float]:
        live = crawler.engine.downloader.slots.get(slot)
        if live is None:
            return own.get(slot, (concurrency, delay))
        return live.concurrency or 1, live.delay

    return pace


def politeness_from(
    crawler: Crawler, notes: HostNotes, asked_by_others: Callable[[str], float]
) -> PolitenessPolicy:
    """Make the politeness of a crawl, which begins with the pauses of earlier runs."""
    politeness = PolitenessPolicy(
        limits_from(crawler.settings),
        pace_of(crawler),
        asked_by_others=asked_by_others,
        keep=notes.keep_pause,
        places=crawler.settings.getint("CONCURRENT_REQUESTS"),
    )
    for pause in notes.pauses():
        politeness.restore(pause)
    return politeness
