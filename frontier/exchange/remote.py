"""A fetcher's side of the frontier, whose order the coordinator owns.

It leases the URLs that were taken from the feed, and turns what becomes of them into messages.
Whether a URL is known, or a page repeats another page, is decided by the coordinator, which knows
all of them; so the record of a page here stays as it was read.

Invariant: `_held` are the URLs that were taken and not answered; those of `_ready` have not left.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from frontier.exchange import wire
from frontier.exchange.fetcher_side import FetcherMessage
from frontier.topic.samples import SampleBounds
from frontier.traps.refusals import Refusals
from frontier.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from frontier.exchange.exchange_thread import ExchangeThread
    from frontier.exchange.fetcher_side import TakenUrl
    from frontier.records import Canonical, Lease, Page, UrlRecord

NEVER = float("-inf")
_MOST_SLOTS = 100_000
"""Hosts whose partitions are remembered; some 10 MB."""


class RemoteBackend:
    """One fetcher's view of a frontier that `scrapy frontier serve` owns."""

    resumed = False
    """Seeds are sent as they come: the coordinator knows whether the crawl has them."""

    def __init__(self, thread: ExchangeThread, places: int) -> None:
        """`places` is how many requests are made at once."""
        self._thread = thread
        self._places = places
        self.crawl_state: dict[str, Any] = {}
        """The state that the coordinator has published last."""
        self._received = 0
        """How many messages of this fetcher it had applied by then."""
        self._wait: Callable[[str], float] = lambda _: 0.0
        self._max_wait = 1.0
        self._settings: dict[str, object] = {}
        self.refusals = Refusals(self._count_refused)
        self._refused: dict[tuple[str, str], tuple[int, str]] = {}
        self._ready: list[Lease] = []
        self._held: dict[int, TakenUrl] = {}
        self._parts: dict[str, tuple[int, int]] = {}
        """Partition of a slot, and the fence under which the pauses of its host came."""
        self._urls: list[UrlRecord] = []
        self._pages: dict[int, FetcherMessage] = {}

    # -- as `frontier.protocol.Frontier` has it -------------------------------------------------

    def set_waits(self, wait: Callable[[str], float], max_wait: float) -> None:
        """Set how many seconds a slot is to be left alone, by `wait`.

        A URL that was taken waits here for `max_wait` seconds at most; for longer it goes back.
        """
        self._wait, self._max_wait = wait, max_wait

    def close(self, reason: str, text: str) -> None:
        """Send what is left, and end; the coordinator knows why the crawl ends."""
        self.commit()
        self._thread.close()

    def begin_closing(self) -> None:
        """Take no more URLs."""
        self._thread.request_urls(0, ())

    def add_seeds(self, seeds: Sequence[UrlRecord]) -> None:
        """Collect requests that no page led to."""
        self._urls += seeds

    def take(
        self, lease: Lease, page: Page, links: list[UrlRecord], canonical: Canonical | None = None
    ) -> Verdict:
        """Send a page with its links."""
        verdict, bounds = Verdict(links), SampleBounds(*self.crawl_state.get("samples", ()))
        may_be_sample = verdict.is_sample_of(page)
        with_text = may_be_sample and bounds.admit(lease.fingerprint, page.relevance or 0.0)
        packed = wire.pack_page(page, links, canonical, with_text=with_text)
        self._answer(lease, wire.PAGE, packed)
        return verdict

    def failed(self, lease: Lease, page: Page) -> Verdict:
        """Send that a lease brought no page, and why."""
        self._answer(lease, wire.FAILED, wire.pack_page(page, ()))
        return Verdict([])

    def next(
        self,
        most: int,
        room: Callable[[str], int],
        share: float = 1.0,
        slow: Collection[str] = (),
    ) -> list[Lease]:
        """Lease URLs that were taken and whose hosts have `room`; else ask for more of them."""
        self._put_back()
        leaving: list[Lease] = []
        for lease in self._ready:
            if len(leaving) < most and room(lease.slot) > 0:
                leaving.append(lease)
        for lease in leaving:
            self._ready.remove(lease)
        if not leaving:
            self._request_urls(room)
        return leaving

    # -- URLs that were taken ------------------------------------------------------------------

    def receive(self, urls: Iterable[TakenUrl]) -> None:
        """Hold URLs that came."""
        for taken in urls:
            self._held[taken.seq] = taken
            self._parts[taken.lease.slot] = taken.part, taken.fence
            self._ready.append(taken.lease)
        self._ready.sort(key=_rank)
        if len(self._parts) > _MOST_SLOTS:
            owned = self._thread.owned.fences
            self._parts = {slot: part for slot, part in self._parts.items() if part[0] in owned}

    def owns(self, slot: str) -> bool:
        """Whether this fetcher may ask a host; a host of which no URL was taken may be asked."""
        part = self._parts.get(slot)
        return part is None or self._thread.owned.holds(part[0], time.monotonic())

    def slots_without_notes(self, fences: Mapping[str, int]) -> list[str]:
        """Return the slots whose hosts' pauses have not come yet under these fences."""
        parts = self._parts
        return sorted(
            slot for slot, fence in fences.items() if slot not in parts or parts[slot][1] != fence
        )

    def slots_in(self, parts: set[int]) -> set[str]:
        """Return the slots of some partitions of which URLs were taken."""
        return {slot for slot, (part, _) in self._parts.items() if part in parts}

    def asked_by_others(self, slot: str) -> float:
        """Return until when (monotonic clock) another fetcher may have asked a host."""
        part, _ = self._parts.get(slot, (-1, 0))
        return self._thread.owned.since.get(part, NEVER)

    @property
    def is_idle(self) -> bool:
        """Whether no work is left here, and all messages are confirmed."""
        return not (self._held or self._urls or self._pages) and self._thread.all_confirmed

    def _put_back(self) -> None:
        """Give back URLs whose partition is leaving, and those that wait long for their host."""
        owned, now = self._thread.owned, time.monotonic()
        for lease in list(self._ready):
            part = self._held[lease.number].part
            if part in owned.leaving or not owned.holds(part, now):
                self._ready.remove(lease)
                self._held.pop(lease.number, None)
                self._thread.give_back(lease.number)
            elif self._wait(lease.slot) > self._max_wait:
                self._ready.remove(lease)
                self.retry(lease, lease, hold=0)

    def _request_urls(self, room: Callable[[str], int]) -> None:
        # A page whose items are still in the pipelines takes no place.
        open_ = [taken for seq, taken in self._held.items() if seq not in self._pages]
        slots = {taken.lease.slot for taken in open_}
        busy = sorted(slot for slot in slots if room(slot) <= 0)
        self._thread.request_urls(self._places - len(open_), busy)

    # -- answers -------------------------------------------------------------------------------

    def _answer(self, lease: Lease, kind: str, body: bytes, **head: Any) -> None:
        """Send an answer; with items of its page in the pipelines, once these are through."""
        taken = self._held.get(lease.number)
        if taken is None:
            return  # its partition was lost, and the URL is another fetcher's
        answer = FetcherMessage(kind, head, body, seq=taken.seq, fence=taken.fence)
        if lease.held:
            self._pages[taken.seq] = answer
        else:
            self._send_answer(taken.seq, answer)

    def _send_answer(self, seq: int, answer: FetcherMessage) -> None:
        self.commit()
        self._held.pop(seq, None)
        self._thread.send(answer)

    def finish(self, lease: Lease) -> None:
        """Send the answer of a page whose items are through the pipelines."""
        answer = self._pages.pop(lease.number, None)
        if answer is not None:
            self._send_answer(lease.number, answer)

    def retry(self, lease: Lease, request: UrlRecord, hold: int) -> None:
        """Send that a URL without an answer is to be queued again, after `hold` others."""
        wait = self._wait(lease.slot)
        rest = wait if wait > self._max_wait else 0.0
        self._answer(lease, wire.RETRY, wire.pack_urls([request]), hold=hold, wait=rest)

    def redirected(self, lease: Lease, page: Page, target: UrlRecord) -> None:
        """Send that a lease ended as a redirect."""
        self._answer(lease, wire.REDIRECT, wire.pack_page(page, [target]))

    # -- other messages ------------------------------------------------------------------------

    def commit(self) -> None:
        """Send the requests that were collected, and the counts of refused links."""
        if self._urls:
            urls, self._urls = self._urls, []
            self.send(wire.URLS, {}, wire.pack_urls(urls))
        if self._refused:
            refused, self._refused = self._refused, {}
            counts = [[*pair, *count] for pair, count in refused.items()]
            self.send(wire.REFUSED, {"counts": counts})

    def send(self, kind: str, head: dict[str, Any], body: bytes = b"") -> None:
        """Send a message that answers no lease."""
        self._thread.send(FetcherMessage(kind, head, body, token=uuid4().hex))

    def _count_refused(self, reason: str, domain: str, links: int, example: str) -> None:
        before, first = self._refused.get((reason, domain), (0, example))
        self._refused[reason, domain] = before + links, first

    commit_leases = stopped = commit

    # -- questions -----------------------------------------------------------------------------

    def pending(self) -> bool:
        """Whether the crawl goes on."""
        phase = self.crawl_state.get("phase")
        has_all = self._received == self._thread.sent
        over = phase == "stopped" or (phase == "finished" and has_all)
        return not (over and self.is_idle)

    def knows(self, fingerprint: int) -> bool:
        """Return False: the coordinator knows."""
        return False

    def again(self, fingerprint: int, *, dont_filter: bool, known: bool) -> bool:
        """Return what the spider asked for: the coordinator knows the URLs, and decides."""
        return dont_filter

    def requeue_failed(self, reason: str) -> None:
        """Do nothing: the coordinator has the URLs that ended in earlier runs."""

    def seconds_to_revisit(self) -> None:
        """Return None: the coordinator knows which pages to revisit."""

    def rerank_overdue(self) -> bool:
        """Return False: the coordinator waits for re-ranks."""
        return False

    def setting(self, name: str) -> Any:
        """Return what this fetcher remembers under a name, None without."""
        return self._settings.get(name)

    def remember(self, name: str, value: object) -> None:
        """Remember a value until this fetcher ends: the coordinator has the crawl's settings."""
        self._settings[name] = value

    def url(self, url_id: int) -> str:
        """URL of the referrer of a held URL."""
        held = self._held.values()
        return next((url.referrer or "" for url in held if url.lease.referrer == url_id), "")


def _rank(lease: Lease) -> tuple[int, float, int]:
    priority = 0.0 if lease.revisit else lease.priority  # revisits leave in their turn
    return -lease.priority_class, -priority, lease.number
