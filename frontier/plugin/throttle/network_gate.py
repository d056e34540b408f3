"""The last gate before the network: what passes here goes out at once, whoever asked for it.

Around Scrapy's download handlers stands `NetworkGate`, the rate limiter per host, domain and
address. So robots.txt, retries, redirects and what a spider's callbacks download by themselves are
held to the same rules as pages.

Pages seldom wait here, for the frontier hands them out when their host is ready. But robots.txt may
have told of a Crawl-delay since, or its own fetch have to be waited for. A page that would wait
for more than a moment goes back into the queue (`NotYet`), so that it takes no other host's place.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import IgnoreRequest
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.misc import load_object
from twisted.internet.defer import Deferred

from frontier.errors import described
from frontier.plugin import compat
from frontier.plugin.throttle.host_gate import slot_name
from frontier.politeness import Answer, retry_after
from frontier.urls.canonical import slot_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from scrapy import Request
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from frontier.plugin.throttle.host_gate import HostGate
    from frontier.politeness import PolitenessPolicy
    from frontier.politeness.hosts import SharedLimit

PATIENCE = 60.0
"""Seconds that robots.txt, or a request of a callback, waits at most: nothing can take it back."""


class NotYet(IgnoreRequest):
    """The host of a request is not to be asked for some `seconds`.

    Raised by a downloader middleware or by `NetworkGate`, for a page of the frontier: it goes back
    into the queue as if it had not been handed out, and its host is left alone for so long.
    """

    def __init__(self, slot: str, seconds: float, reason: str) -> None:
        super().__init__(f"{slot} is not to be asked for {seconds:.3g} s: {reason}")
        self.slot = slot
        self.seconds = seconds
        self.reason = reason


@dataclass(eq=False)
class _Waiter:
    slot: str
    page: bool
    until: float
    turn: Deferred[tuple[SharedLimit, ...]]


class NetworkGate:
    """Lets requests out in turn, and tells what came back.

    Invariant: `_waiters` stand in the order in which they came, and no two of one slot overtake
    each other.
    """

    def __init__(
        self,
        politeness: PolitenessPolicy,
        gate: HostGate,
        failures: tuple[type[BaseException], ...],
        noted: Callable[[], None],
        clock: Callable[[], float] = time.monotonic,
        holds: Callable[[str], bool] = lambda _: True,
    ) -> None:
        """`failures` are the exceptions that mean that a host did not answer.

        `noted` is called after everything that was learned. `holds` says of a slot whether pages of
        its host are still this process's to fetch.
        """
        self._politeness = politeness
        self._gate = gate
        self._failures = failures
        self._noted = noted
        self._clock = clock
        self._holds = holds
        self._waiters: list[_Waiter] = []
        self._timer: Any = None

    async def download(
        self,
        request: Request,
        fetch: Callable[[], Awaitable[Response]],
        patience: float,
        *,
        page: bool = False,
    ) -> Response:
        """Fetch in turn; `page` is whether the frontier handed the request out.

        Raises NotYet where the turn would come later than in `patience` seconds, or the host of a
        page is another process's to ask by then, and whatever `fetch` raises.
        """
        slot = slot_for(request)
        lanes = await self._turn(slot, patience, page=page)
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
            self._let_out()

    async def _turn(self, slot: str, patience: float, *, page: bool) -> tuple[SharedLimit, ...]:
        if page and not self._holds(slot):
            raise _handed_over(slot)
        if not any(waiter.slot == slot for waiter in self._waiters) and self._may_start(slot):
            return self._politeness.start(slot)
        wait = self._politeness.wait(slot)
        if wait > patience:
            raise NotYet(slot, wait, "it has to be left alone")
        waiter = _Waiter(slot, page, self._clock() + patience, Deferred())
        self._waiters.append(waiter)
        self._wake()
        return await maybe_deferred_to_future(waiter.turn)

    def _may_start(self, slot: str) -> bool:
        return self._politeness.may_start(slot, self._gate.allowed(slot))

    def _let_out(self) -> None:
        """Let out whoever may, and send away whoever would have to wait too long."""
        passed: set[str] = set()
        for waiter in list(self._waiters):
            if waiter not in self._waiters or waiter.slot in passed:
                continue
            if waiter.page and not self._holds(waiter.slot):
                self._waiters.remove(waiter)
                waiter.turn.errback(_handed_over(waiter.slot))
                continue
            if self._may_start(waiter.slot):
                self._waiters.remove(waiter)
                waiter.turn.callback(self._politeness.start(waiter.slot))
                continue
            passed.add(waiter.slot)
            wait = self._politeness.wait(waiter.slot)
            if self._clock() + wait > waiter.until:
                self._waiters.remove(waiter)
                passed.discard(waiter.slot)
                waiter.turn.errback(NotYet(waiter.slot, wait, "it has to be left alone"))
        self._wake()

    def _wake(self) -> None:
        """Look again when the first of those that wait for a moment in time may go."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        waits = [self._politeness.wait(waiter.slot) for waiter in self._waiters]
        due = [wait for wait in waits if wait > 0]
        if due:
            self._timer = compat.call_later(min(due), self._ring)

    def _ring(self) -> None:
        self._timer = None
        self._let_out()


def _handed_over(slot: str) -> NotYet:
    return NotYet(slot, 0.0, "it was handed over to another process")


def slot_for(request: Request) -> str:
    """Return the name of the downloader's lane that a request takes."""
    key = request.meta.get("download_slot")
    return slot_of(request.url) if key is None else slot_name(key)


def answer_of(request: Request, response: Response) -> Answer:
    """Return what a response says about its host."""
    asked = [value.decode("latin-1") for value in response.headers.getlist("Retry-After")]
    date = response.headers.get("Date")
    address = None if request.meta.get("proxy") else getattr(response, "ip_address", None)
    return Answer(
        response.status,
        retry_after(asked, time.time(), date.decode("latin-1") if date else None),
        "" if address is None else str(address),
    )


def failures_of(settings: BaseSettings) -> tuple[type[BaseException], ...]:
    """Return what counts as no answer: what Scrapy finds worth another attempt."""
    named: Sequence[Any] = settings.getlist("RETRY_EXCEPTIONS")
    return tuple(load_object(one) for one in named)
