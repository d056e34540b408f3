"""The gate: which hosts may be asked for one more page now, and what goes out to the network when.

Scrapy's downloader keeps a slot a host. Left to itself it would fill up with requests of one slow
host while better pages of other hosts wait in the frontier. So a URL leaves the frontier only when
its host has room: fewer than `concurrency` requests of ours in flight, the delay since the last one
over, and nothing that `frontier.politeness` knows against it. What Scrapy or AutoThrottle changes
about a slot is read anew each time.

Places that would else be empty may be filled `ahead`: a host without a delay is then handed half as
many requests more than it may be asked at once, which wait in the downloader. Where only one
request is made at a time, the order is to repeat exactly, and must not hang on how long other pages
take while a host wants a pause: after a short one the page leaves all the same, and waits below.

Around Scrapy's download handlers the same gate lets requests out in turn (`HostGate.download`), by
host, domain and address, whoever asked for them. So robots.txt, retries, redirects and what a
spider's callbacks download by themselves are held to the same rules as pages. Pages seldom wait
there. But robots.txt may have told of a Crawl-delay since, or its own fetch have to be waited for.
A page that would wait for more than a moment goes back into the queue (`NotYet`), so that it takes
no other host's place.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import IgnoreRequest
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.misc import load_object
from twisted.internet.defer import Deferred

from frontier.errors import described
from frontier.plugin import compat
from frontier.plugin.settings import POLITENESS, value, values
from frontier.politeness import HostAnswer, HostWish, Limits, PolitenessPolicy, retry_after
from frontier.urls.canonical import slot_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from frontier.politeness.hosts import SharedLimit
    from frontier.protocol import HostNotes

_SHORT = 1.0
"""Seconds a page waits in `HostGate.download` at most: for no longer it keeps others out."""
_SHORT_ALONE = 5.0
"""The same where there is but one place. Longer pauses are too dear, and are waited for beside."""
_LOOK_AGAIN = 1.0
"""Seconds for which a slot that waits is not looked at; by then it may have to wait no longer."""
_NEVER = float("inf")
_FEW = 1000
"""Hosts whose delays are kept without looking whether they are over."""
PATIENCE = 60.0
"""Seconds that robots.txt, or a request of a callback, waits at most: nothing can take it back."""


class NotYet(IgnoreRequest):
    """The host of a request is not to be asked for some `seconds`.

    Raised by a downloader middleware or by `HostGate`, for a page of the frontier: it goes back
    into the queue as if it had not been handed out, and its host is left alone for so long.
    """

    def __init__(self, slot: str, seconds: float, reason: str) -> None:
        super().__init__(f"{slot} is not to be asked for {seconds:.3g} s: {reason}")
        self.slot = slot
        self.seconds = seconds
        self.reason = reason


class HostGate:
    """Says which hosts may be asked, and lets requests out in turn.

    Invariants: `_active[slot]` is the number of requests handed out and not yet reported `done`.
    `_lines[slot]` are those that wait for it, in the order in which they came; none overtakes.
    """

    def __init__(
        self,
        concurrency: int,
        delay: float,
        slots: Mapping[Any, Any],
        slot_settings: Mapping[Any, Mapping[str, Any]],
        clock: Callable[[], float] = time.monotonic,
        politeness: PolitenessPolicy | None = None,
        places: int = 16,
        *,
        may_go_ahead: bool = False,
        failures: tuple[type[BaseException], ...] = (),
        noted: Callable[[], None] = lambda: None,
        holds: Callable[[str], bool] = lambda _: True,
    ) -> None:
        """`places` is how many requests are made at once in all; 0: any number.

        `failures` are the exceptions that mean that a host did not answer. `noted` is called after
        everything that was learned. `holds` says of a slot whether pages of its host are still this
        process's to fetch.
        """
        self.may_go_ahead = may_go_ahead
        self._ahead = False
        self._concurrency = concurrency
        self._delay = delay
        self._slots = slots
        self._slot_settings = {str(key): one for key, one in slot_settings.items()}
        self._clock = clock
        self._politeness = politeness or PolitenessPolicy(clock=clock)
        # Seconds of a pause that a page leaves the frontier in spite of.
        self._waited_out = _SHORT_ALONE if places == 1 else 0.0
        self._active: dict[str, int] = {}
        self._since: dict[str, float] = {}
        self._ready_at: dict[str, float] = {}
        self._alone: dict[str, float] = {}
        self._ending: set[str] = set()
        self._waiting = _FEW
        self._wait = _NEVER
        self._closed: dict[str, tuple[float, float]] = {}
        self._most_closed = _FEW
        self._failures = failures
        self._noted = noted
        self._holds = holds
        self._lines: dict[str, list[object]] = {}
        self._sleeping: dict[Deferred[None], Any] = {}

    @classmethod
    def from_crawler(
        cls,
        crawler: Crawler,
        politeness: PolitenessPolicy,
        noted: Callable[[], None],
        holds: Callable[[str], bool],
    ) -> HostGate:
        settings = crawler.settings
        return cls(
            settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN") or 1,
            settings.getfloat("DOWNLOAD_DELAY"),
            crawler.engine.downloader.slots,
            settings.getdict("DOWNLOAD_SLOTS"),
            politeness=politeness,
            places=settings.getint("CONCURRENT_REQUESTS"),
            may_go_ahead=value(settings, "FRONTIER_WAIT_FOR_BEST") == 0,
            failures=failures_of(settings),
            noted=noted,
            holds=holds,
        )

    # -- before the hand-out ---------------------------------------------------------------------

    @contextmanager
    def going_ahead(self) -> Iterator[None]:
        """Let hosts take, within the block, what waits for them in the downloader."""
        self._ahead = True
        try:
            yield
        finally:
            self._ahead = False

    def room(self, slot: str) -> int:
        """How many requests the slot may take now."""
        now = self._clock()
        closed = self._closed.get(slot)
        if closed is not None and closed[0] > now:
            self._wait = min(self._wait, closed[1] - now)
            return 0
        free = self._free(slot)
        if free <= 0 or slot in self._ending:
            return max(0, free)
        ready = max(0.0, self._ready(slot, now) - now)
        wait = max(self._politeness.wait(slot), ready)
        if wait <= 0 or (wait > ready and closed is None and wait <= self._waited_out):
            self._closed.pop(slot, None)
            self._alone.pop(slot, None)
            return free
        self._wait = min(self._wait, wait)
        self._close(slot, now, wait)
        return 0

    def _ready(self, slot: str, now: float) -> float:
        """When the slot's own delay is over, also since other processes may have asked its host."""
        ready = max(self._ready_at.get(slot, now), self._alone.get(slot, now))
        others = self._politeness.asked_by_others
        return ready if others is None else max(ready, others(slot) + self._limits(slot)[1])

    def _free(self, slot: str) -> int:
        """How many more requests the slot may take as far as places go, not time."""
        concurrency, delay = self._limits(slot)
        if self._ahead and not delay:
            concurrency += (concurrency + 1) // 2
        free = min(concurrency - self._active.get(slot, 0), 1 if delay else concurrency)
        return free if free <= 0 else min(free, self._politeness.room(slot, concurrency))

    def _close(self, slot: str, now: float, wait: float) -> None:
        """Do not look at a slot that waits for some time: there may be thousands of them."""
        if len(self._closed) > self._most_closed:
            self._closed = {one: times for one, times in self._closed.items() if times[0] > now}
            self._most_closed = max(2 * len(self._closed), _FEW)
        self._closed[slot] = now + min(wait, _LOOK_AGAIN), now + wait

    @property
    def patience(self) -> float:
        """Seconds that a page which has left may wait for its host."""
        return max(_SHORT, self._waited_out)

    def leave(self, slot: str) -> None:
        """Note that a request to the slot has been handed out."""
        self._politeness.hand_out(slot)
        self._active[slot] = self._active.get(slot, 0) + 1
        self._since[slot] = self._clock()
        delay = self._limits(slot)[1]
        if delay:
            self._ready_at[slot] = self._clock() + delay
            if len(self._ready_at) > 2 * self._waiting:
                self._forget_ready()

    def _forget_ready(self) -> None:
        """Drop the hosts whose delay is over: a long crawl meets more than memory should hold."""
        now = self._clock()
        self._ready_at = {slot: at for slot, at in self._ready_at.items() if at > now}
        self._waiting = max(len(self._ready_at), _FEW)

    def done(self, slot: str) -> None:
        """Note that a request to the slot has come back, whatever came of it."""
        active = self._active[slot] - 1
        assert active >= 0, f"slot {slot!r} answered more often than it was asked"
        self._politeness.take_back(slot)
        if active:
            self._active[slot] = active
        else:
            del self._active[slot], self._since[slot]
        if self._ready_at.get(slot, 0.0) <= self._clock():
            self._ready_at.pop(slot, None)

    def spare(self, slot: str) -> None:
        """Note that the last request to the slot cost its host nothing: no delay follows."""
        self._ready_at.pop(slot, None)
        self._closed.pop(slot, None)

    def wait(self, slot: str) -> float:
        """Seconds for which a slot is to be left alone, its own delay aside."""
        return max(self._politeness.wait(slot), self._alone.get(slot, 0.0) - self._clock())

    def leave_alone(self, slot: str, seconds: float) -> None:
        """Have no page of a slot leave for so long, or until `release`."""
        self._alone[slot] = self._clock() + seconds

    def release(self, slot: str) -> None:
        """Let pages of a slot leave again, when its host may be asked."""
        self._alone.pop(slot, None)
        self._closed.pop(slot, None)
        self._ending.discard(slot)

    def let_end(self, slot: str) -> None:
        """Let pages of a slot leave whatever its host wants: they end before they get there."""
        self.release(slot)
        self._ending.add(slot)

    def overdue(self, seconds: float) -> list[str]:
        """Slots that will not answer soon.

        They were asked at least so long ago and have not answered since, or want to be left alone.
        """
        limit = self._clock() - seconds
        late = [slot for slot, since in self._since.items() if since <= limit]
        return late + self._politeness.put_to_rest()

    def take_wait(self) -> float | None:
        """Seconds until the first host found waiting since the last call is ready, or None."""
        wait, self._wait = self._wait, _NEVER
        return None if wait == _NEVER else wait

    @property
    def active(self) -> int:
        """Requests in flight, over all slots."""
        return sum(self._active.values())

    def _limits(self, slot: str) -> tuple[int, float]:
        live = self._slots.get(slot)
        if live is not None:
            return live.concurrency or 1, live.delay
        settings = self._slot_settings.get(slot, {})
        return (settings.get("concurrency", self._concurrency), settings.get("delay", self._delay))

    # -- on the way to the network ---------------------------------------------------------------

    async def download(
        self,
        request: Request,
        fetch: Callable[[], Awaitable[Response]],
        *,
        page: bool = False,
    ) -> Response:
        """Fetch in turn; `page` is whether the frontier handed the request out.

        Raises NotYet where the turn would come later than in `patience` seconds (PATIENCE for what
        is no page), or the host of a page is another process's to ask by then, and whatever `fetch`
        raises.
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
            self._noted()
            self._wake_all()

    async def _turn(self, slot: str, *, page: bool) -> tuple[SharedLimit, ...]:
        until = self._clock() + (self.patience if page else PATIENCE)
        turn, line = object(), self._lines.setdefault(slot, [])
        line.append(turn)
        try:
            while True:
                if page and not self._holds(slot):
                    raise NotYet(slot, 0.0, "it was handed over to another process")
                if line[0] is turn and self._may_start(slot):
                    return self._politeness.start(slot)
                wait = self._politeness.wait(slot)
                if self._clock() + wait > until:
                    raise NotYet(slot, wait, "it has to be left alone")
                await maybe_deferred_to_future(self._sleep(wait))
        finally:
            line.remove(turn)
            if not line:
                del self._lines[slot]

    def _may_start(self, slot: str) -> bool:
        return self._politeness.may_start(slot, self._limits(slot)[0])

    def _sleep(self, seconds: float) -> Deferred[None]:
        """Until any request is over, or so many seconds where they are more than 0."""
        slept: Deferred[None] = Deferred()
        timer = compat.call_later(seconds, lambda: self._ring(slept)) if seconds > 0 else None
        self._sleeping[slept] = timer
        return slept

    def _ring(self, slept: Deferred[None]) -> None:
        del self._sleeping[slept]
        slept.callback(None)

    def _wake_all(self) -> None:
        sleeping, self._sleeping = self._sleeping, {}
        for timer in filter(None, sleeping.values()):
            timer.cancel()
        for slept in sleeping:
            slept.callback(None)


def slot_for(request: Request) -> str:
    """Return the name of the downloader's lane that a request takes."""
    key = request.meta.get("download_slot")
    return slot_of(request.url) if key is None else str(key)


def answer_of(request: Request, response: Response) -> HostAnswer:
    """Return what a response says about its host."""
    asked = [value.decode("latin-1") for value in response.headers.getlist("Retry-After")]
    date = response.headers.get("Date")
    address = None if request.meta.get("proxy") else getattr(response, "ip_address", None)
    return HostAnswer(
        response.status,
        retry_after(asked, time.time(), date.decode("latin-1") if date else None),
        "" if address is None else str(address),
    )


def failures_of(settings: BaseSettings) -> tuple[type[BaseException], ...]:
    """Return what counts as no answer: what Scrapy finds worth another attempt."""
    named: Sequence[Any] = settings.getlist("RETRY_EXCEPTIONS")
    return tuple(load_object(one) for one in named)


def limits_from(settings: BaseSettings) -> Limits:
    """Read the limits; raises SettingsError for a value that is none."""
    return Limits(**values(settings, POLITENESS))


def remembered(settings: BaseSettings, notes: HostNotes) -> PolitenessPolicy:
    """Return what a crawl knows of its hosts: what earlier runs of it have noted."""
    politeness = PolitenessPolicy(limits_from(settings))
    now = time.time()
    for row in notes.politeness():
        seconds = max(0.0, (row.until or 0.0) - now)
        politeness.restore(HostWish(row.slot, seconds, row.delay or 0.0, row.note or ""))
    return politeness


def keep(politeness: PolitenessPolicy, notes: HostNotes) -> None:
    """Write down what has changed, with the next commit."""
    for wish in politeness.take_changed():
        if wish.seconds or wish.delay:
            until = time.time() + wish.seconds
            notes.set_politeness(wish.slot, until, wish.delay, wish.note)
        else:
            notes.drop_politeness(wish.slot)
