"""A fetcher's side of the frontier, whose order is another process's.

It leases what was taken from the feed, and turns what it is told into messages. Whatever hangs
on other pages, whether a URL is known or a page repeats another one, is decided where all of them
are known; so the record of a page here stays as it was read.

Invariant: `_held` are the URLs that were taken and not answered; those of `_ready` have not left.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from frontier.estimates import Harvest
from frontier.exchange import wire
from frontier.exchange.fetcher_side import FeedAnswer, Note
from frontier.exchange.notes import (
    POLITENESS,
    ROBOTS,
    politeness_note,
    rest_of,
    robots_note,
    robots_row,
)
from frontier.politeness import HostPause
from frontier.states import State
from frontier.topic.samples import SampleBounds, is_sample
from frontier.traps.refusals import Refusals

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from frontier.config import CrawlConfig
    from frontier.exchange.fetcher_side import Taken
    from frontier.exchange.link import ExchangeLink
    from frontier.records import Canonical, Lease, PageRecord, RobotsRow, UrlRecord
    from frontier.store.rows import PolitenessRow

NEVER = float("-inf")
_MOST_SLOTS = 100_000
"""Hosts whose partitions are remembered; some 10 MB."""
_MOST_NOTES = 10_000
"""Origins that are remembered; what was forgotten comes along once more."""


class RemoteBackend:
    """One fetcher's view of a frontier that `scrapy frontier serve` owns."""

    resumed = False
    """Seeds are told as they come: whoever knows whether the crawl has them decides."""

    def __init__(self, link: ExchangeLink, places: int) -> None:
        """`places` is how many requests are made at once."""
        self._link = link
        self._places = places
        self.told: dict[str, Any] = {}
        """What the owner of the order has said last."""
        self._known = 0
        """How much of what was said here it knew by then."""
        self._wait: Callable[[str], float] = lambda _: 0.0
        self._max_wait_seconds = 1.0
        self._settings: dict[str, object] = {}
        self.refusals = Refusals(self._count_refused)
        self._refused: dict[tuple[str, str], tuple[int, str]] = {}
        self._ready: list[Lease] = []
        self._held: dict[int, Taken] = {}
        self._parts: dict[str, tuple[int, int]] = {}
        """Partition of a slot, and the fence under which it was heard what its host wants."""
        self._urls: list[UrlRecord] = []
        self._pages: dict[int, FeedAnswer] = {}

    # -- as `frontier.protocol.Frontier` has it -------------------------------------------------

    def wait_as(self, wait: Callable[[str], float], most: float) -> None:
        """Have `wait` say how many seconds a slot is to be left alone.

        A URL that was taken waits here for `most` seconds; for longer it goes back.
        """
        self._wait, self._max_wait_seconds = wait, most

    def close(self, reason: str, text: str) -> None:
        """Send what is left, and end; why the crawl ends, whoever owns the order says."""
        self.commit()
        self._link.close()

    def begin_closing(self) -> None:
        """Want nothing more."""
        self._link.want(0, ())

    def add_seeds(self, seeds: Sequence[UrlRecord]) -> None:
        """Take requests that no page led to."""
        self._urls += seeds

    def take(
        self, lease: Lease, links: list[UrlRecord], canonical: Canonical | None = None
    ) -> None:
        """Take a page and where it leads."""
        page = lease.page
        bounds = SampleBounds(*self.told.get("samples", ()))
        packed = wire.pack_page(
            page,
            links,
            canonical,
            with_text=is_sample(page) and bounds.admit(lease.fingerprint, page.relevance or 0.0),
        )
        self._answer(lease, wire.PAGE, packed)

    def failed(self, lease: Lease) -> None:
        """Take a page that could not be had."""
        self._answer(lease, wire.FAILED, wire.pack_page(lease.page, ()))

    def next(
        self,
        most: int,
        room: Callable[[str], int],
        share: float = 1.0,
        slow: Collection[str] = (),
    ) -> list[Lease]:
        """Lease URLs that were taken and whose hosts have `room`, and ask for more of them."""
        self._put_back()
        leaving: list[Lease] = []
        for lease in self._ready:
            if len(leaving) < most and room(lease.slot) > 0:
                leaving.append(lease)
        for lease in leaving:
            self._ready.remove(lease)
        if not leaving:
            self._want(room)
        return leaving

    def note_state(self, told: dict[str, Any], known: int) -> None:
        """Take in what the owner of the order says, who knew so much of what was said here."""
        self.told, self._known = told, known

    # -- what was taken ------------------------------------------------------------------------

    def receive(self, urls: Iterable[Taken]) -> None:
        """Take in URLs that came."""
        for taken in urls:
            self._held[taken.seq] = taken
            self._parts[taken.lease.slot] = taken.part, taken.fence
            self._ready.append(taken.lease)
        self._ready.sort(key=_rank)
        if len(self._parts) > _MOST_SLOTS:
            owned = self._link.owned.fences
            self._parts = {slot: part for slot, part in self._parts.items() if part[0] in owned}

    def holds(self, slot: str) -> bool:
        """Whether a host may be asked, as far as others are concerned; one never taken may."""
        part = self._parts.get(slot)
        return part is None or self._link.owned.holds(part[0], time.monotonic())

    def unheard(self, fences: Mapping[str, int]) -> list[str]:
        """Return the slots of which it was not heard yet, under these fences, what they want."""
        parts = self._parts
        return sorted(
            slot for slot, fence in fences.items() if slot not in parts or parts[slot][1] != fence
        )

    def slots_in(self, parts: set[int]) -> set[str]:
        """Return the slots of some partitions, as far as any was ever taken."""
        return {slot for slot, (part, _) in self._parts.items() if part in parts}

    def asked_by_others(self, slot: str) -> float:
        """Seconds on the monotonic clock until which another fetcher may have asked a host."""
        part, _ = self._parts.get(slot, (-1, 0))
        return self._link.owned.since.get(part, NEVER)

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing to do, and nothing that was not said."""
        return not (self._held or self._urls or self._pages) and self._link.silent

    def _put_back(self) -> None:
        """Leave to others what they own by now, and for later what has to wait for its host."""
        owned, now = self._link.owned, time.monotonic()
        for lease in list(self._ready):
            part = self._held[_number(lease)].part
            if part in owned.leaving or not owned.holds(part, now):
                self._ready.remove(lease)
                self._held.pop(_number(lease), None)
                self._link.give_back(_number(lease))
            elif self._wait(lease.slot) > self._max_wait_seconds:
                self._ready.remove(lease)
                self.retry(lease, lease, hold=0)

    def _want(self, room: Callable[[str], int]) -> None:
        # An answer that is held takes no place.
        open_ = [taken for seq, taken in self._held.items() if seq not in self._pages]
        slots = {taken.lease.slot for taken in open_}
        self._link.want(
            self._places - len(open_), sorted(slot for slot in slots if room(slot) <= 0)
        )

    # -- answers -------------------------------------------------------------------------------

    def _answer(self, lease: Lease, kind: str, body: bytes, **head: Any) -> None:
        """Hand an answer in, unless something is still to be made of it: then once that is done."""
        taken = self._held.get(_number(lease))
        if taken is None:
            return  # its partition was lost, and the URL is another fetcher's
        answer = FeedAnswer(taken.seq, taken.fence, kind, head, body)
        if lease.page.held:
            self._pages[taken.seq] = answer
        else:
            self._send(answer)

    def _send(self, answer: FeedAnswer) -> None:
        self.commit()
        self._held.pop(answer.seq, None)
        self._link.answer(answer)

    def let_go(self, lease: Lease) -> None:
        """All that was made of an answer that was held is done."""
        answer = self._pages.pop(_number(lease), None)
        if answer is not None:
            self._send(answer)

    def retry(self, lease: Lease, request: UrlRecord, hold: int) -> None:
        """Have a URL queued again that had no answer, after `hold` others."""
        wait = self._wait(lease.slot)
        rest = wait if wait > self._max_wait_seconds else 0.0
        self._answer(lease, wire.RETRY, wire.pack_urls([request]), hold=hold, wait=rest)

    def redirected(self, lease: Lease, target: UrlRecord) -> None:
        """Tell that a lease ended as a redirect."""
        self._answer(lease, wire.REDIRECT, wire.pack_page(lease.page, [target]))

    # -- of its own accord ---------------------------------------------------------------------

    def commit(self) -> None:
        """Send the requests that were collected, and what was counted."""
        if self._urls:
            urls, self._urls = self._urls, []
            self._link.say(wire.URLS, {}, wire.pack_urls(urls))
        if self._refused:
            refused, self._refused = self._refused, {}
            counts = [[*pair, *count] for pair, count in refused.items()]
            self._link.say(wire.REFUSED, {"counts": counts})

    def _count_refused(self, reason: str, domain: str, links: int, example: str) -> None:
        before, first = self._refused.get((reason, domain), (0, example))
        self._refused[reason, domain] = before + links, first

    commit_leases = stopped = commit

    # -- what is asked -------------------------------------------------------------------------

    def pending(self) -> bool:
        """Whether the crawl goes on."""
        state = self.told.get("state")
        is_known = self._known == self._link.spoken
        over = state == "stopped" or (state == "finished" and is_known)
        return not (over and self.is_idle)

    def knows(self, fingerprint: int) -> bool:
        """Nobody knows here: whoever owns the order decides."""
        return False

    def again(self, fingerprint: int, *, dont_filter: bool, known: bool) -> bool:
        """What the spider has said is told; whoever knows the URLs decides."""
        return dont_filter

    def queue_again(self, reason: str) -> None:
        """What ended in earlier runs is no fetcher's."""

    def was_cut(self, lease: Lease) -> bool:
        """Whether the process may have died while a URL was in flight: another one then."""
        return lease.page.attempts > 1

    def seconds_to_revisit(self) -> None:
        """Whoever owns the order knows which pages to revisit."""

    def rerank_overdue(self) -> bool:
        """Whoever owns the order waits for that."""
        return False

    def setting(self, name: str) -> Any:
        """What this fetcher remembers under a name, None if nothing."""
        return self._settings.get(name)

    def remember(self, name: str, value: object) -> None:
        """Keep something until this fetcher ends: the crawl's own settings are with its owner."""
        self._settings[name] = value

    def url(self, url_id: int) -> str:
        """URL of the referrer of what is held."""
        held = self._held.values()
        return next((one.referrer or "" for one in held if one.lease.referrer == url_id), "")


def _number(lease: Lease) -> int:
    return lease.page.lease_number or 0


def _rank(lease: Lease) -> tuple[int, float, int]:
    priority = 0.0 if lease.revisit else lease.page.priority or 0.0  # revisits leave in their turn
    return -lease.priority_class, -priority, _number(lease)


class RemoteFigures:
    """The figures of one fetcher; `pages` and `harvest` are of its own."""

    def __init__(self, backend: RemoteBackend, config: CrawlConfig) -> None:
        self.leased_count = self.retries = self.pages = 0
        self.harvest = Harvest(relevant_from=config.relevant)
        self.enough = None
        """Whoever owns the order decides that."""
        self.late = 0
        """Answers that came too late: the URL was another fetcher's by then."""
        self._backend = backend

    def page(self, page: PageRecord) -> None:
        """Count a page that went through the spider."""
        if page.state is State.CRAWLED:
            self.pages += 1
            if page.relevance is not None:
                self.harvest.add(page.relevance)

    def stats(self) -> dict[str, float]:
        """What is told as Scrapy's stats."""
        values: dict[str, float] = {
            "frontier/pages": self.pages,
            "frontier/leases": self.leased_count,
            "frontier/retries": self.retries,
            "frontier/late": self.late,
        }
        told = self._backend.told
        for name in ("known", "queued"):
            if name in told:
                values[f"frontier/{name}"] = told[name]
        values |= {f"frontier/refused/{one}": n for one, n in self._backend.refusals.counts.items()}
        if self.harvest.pages:
            values["frontier/relevant"] = self.harvest.relevant
            values["frontier/recent_share"] = self.harvest.recent_share() or 0.0
        return values

    # -- what a line of progress shows ---------------------------------------------------------

    reranking = False

    @property
    def pages_of_run(self) -> int:
        """Pages, all of which are of this run."""
        return self.pages

    @property
    def epoch(self) -> int:
        """Re-ranks whose scores were taken over."""
        return int(self._backend.told.get("epoch", 0))

    def count(self, state: State) -> int:
        """URLs in a state, as was told last."""
        return int(self._backend.told.get("queued", 0)) if state is State.QUEUED else 0


class RemoteNotes:
    """The notes on hosts that have come, by kind and name; in the place of the store."""

    link: ExchangeLink

    def __init__(self) -> None:
        self._robots: dict[str, RobotsRow | None] = {}

    def unknown(self, origins: Iterable[str]) -> list[str]:
        """Return those of the origins whose robots.txt has not come yet."""
        return sorted(one for one in origins if one not in self._robots)

    def take(self, notes: Iterable[Note]) -> list[HostPause]:
        """Take in what came; returns the pauses of hosts."""
        pauses = []
        for note in notes:
            if note.kind == ROBOTS:
                self._robots[note.name] = robots_row(note)
            elif note.kind == POLITENESS:
                pauses.append(_pause(note))
        if len(self._robots) > _MOST_NOTES:
            self._robots.clear()
        return pauses

    # -- in the place of the store -------------------------------------------------------------

    def robots(self, origin: str) -> RobotsRow | None:
        """Return what is known of an origin's robots.txt."""
        return self._robots.get(origin)

    def save_robots(self, row: RobotsRow) -> None:
        """Keep what is known of an origin's robots.txt, for others too."""
        self._robots[row.origin] = row
        self.link.note(robots_note(row))

    def politeness(self) -> list[PolitenessRow]:
        """Nothing is known before URLs come."""
        return []

    def set_politeness(self, slot: str, until: float, delay: float, note: str) -> None:
        """Keep what a host wants, for others too."""
        self.link.note(politeness_note(slot, until, delay, note))

    def drop_politeness(self, slot: str) -> None:
        """Note that a host wants nothing any more."""
        self.link.note(politeness_note(slot, 0.0, 0.0, ""))


def _pause(note: Note) -> HostPause:
    return HostPause(note.name, rest_of(note), float(note.about["delay"]), str(note.about["note"]))
