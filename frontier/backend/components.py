"""What Frontera asks for: queue, states and metadata of a backend, and settings for its manager.

The three parts are views on what the frontier holds anyway: the queue on the pool of priorities,
states and metadata on the ledger. The backend wires them; none of them decides anything.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np
from frontera.core.components import CanonicalSolver, Metadata, Queue, States
from frontera.settings import Settings

from frontier.backend import _links
from frontier.config import FRONTERA_SETTING
from frontier.records import LinkArrays, LinkText
from frontier.states import NAMED, REDIRECT, TOPICAL, State
from frontier.store.rows import stored_promises
from ranking.arrays import Column
from ranking.page_update import ADDRESS, MATCH_STEPS, MATCHES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from frontera.core.models import Response
    from numpy.typing import NDArray

    from frontier.backend.ledger import UrlLedger
    from frontier.config import CrawlConfig
    from frontier.queue.url_queue import UrlQueue
    from frontier.records import HandedOut, PageRecord, UrlRecord
    from frontier.urls.rules import UrlRules
    from ranking.arrays import SingleArray

EXECUTOR = "LINKRANK_EXECUTOR"
IDENTIFY = "LINKRANK_IDENTIFY"
FRONTERA_STATES: dict[int, int] = {
    State.QUEUED: States.QUEUED,
    State.LEASED: States.QUEUED,
    State.CRAWLED: States.CRAWLED,
    State.REDIRECTED: States.CRAWLED,
}
"""Frontera knows four states; whatever is not listed and not new is an error to it."""
FOREMOST = 2_000
"""URLs that get new priorities where not all do; as many as the queue keeps in its heaps."""
_TOPICAL_FROM = MATCH_STEPS // 2 + 1
"""Least match that is at least 1/2."""
_INHERITS = REDIRECT | NAMED
"""Links whose target has text and referrer of the page, which nobody wrote there: see
`frontier.backend.doubles`.
"""


class FrontierQueue(Queue):  # type: ignore[misc]  # Frontera has no types
    """The URL of the best priority whose host may be asked goes first."""

    def __init__(self, pool: UrlQueue, ledger: UrlLedger, next_handout: int) -> None:
        self._pool = pool
        self._ledger = ledger
        self._next_handout = next_handout
        self._score_of: Callable[[int], float | None] = lambda _: None
        self._rows_of: Callable[[list[int]], list[SingleArray | None]]
        self._rows_of = lambda ids: [None] * len(ids)
        self._may_leave: Callable[[int], bool] = lambda _: True
        self._last = Column(np.bool_)

    @property
    def gate(self) -> Callable[[int], bool]:
        """Who says whether a URL may leave."""
        return self._may_leave

    def use_gate(self, may_leave: Callable[[int], bool]) -> None:
        """Name who says whether a URL may leave, and takes over those that may not."""
        self._may_leave = may_leave

    def use_scores(
        self,
        score_of: Callable[[int], float | None],
        rows_of: Callable[[list[int]], list[SingleArray | None]],
    ) -> None:
        """Name who knows the link score and the features of URLs, to be noted at their hand-out."""
        self._score_of, self._rows_of = score_of, rows_of

    def get_next_requests(
        self, max_n_requests: int, partition_id: int = 0, **kwargs: Any
    ) -> list[HandedOut]:
        """Lease up to `max_n_requests` URLs.

        `room` (slot name -> how many requests the host may get now) comes from the downloader;
        without it every host may get any number. With `share` below 1 a URL stays while that
        share of the queue is better and waits for hosts that answer; not for those in `slow`.
        """
        room: Callable[[str], int] | None = kwargs.get("room")
        names = self._ledger.host_names
        for slot in kwargs.get("slow", ()):
            self._pool.do_not_wait_for(self._ledger.host_id(slot))
        leaving: list[tuple[int, float]] = []
        while not leaving:
            popped = self._pool.pop(
                max_n_requests,
                (lambda _: max_n_requests) if room is None else (lambda host: room(names[host])),
                share=kwargs.get("share", 1.0),
            )
            if not popped:
                break
            self._ledger.read_rows([url_id for url_id, _ in popped])
            leaving = [one for one in popped if self._may_leave(one[0])]
        rows = self._rows_of([url_id for url_id, _ in leaving]) if leaving else []
        return [self._lease(*one, row) for one, row in zip(leaving, rows, strict=True)]

    def _lease(self, url_id: int, priority: float, row: SingleArray | None) -> HandedOut:
        number = self._next_handout
        self._next_handout += 1
        rank = 1 + self._pool.ahead_of(url_id)
        return self._ledger.lease(url_id, number, priority, self._score_of(url_id), rank, row)

    @property
    def next_handout(self) -> int:
        """Number of the next hand-out."""
        return self._next_handout

    def put_last(self, url_id: int) -> None:
        """Have a URL leave after all others of its class, whenever it is queued from here on."""
        self._last.resize(url_id + 1)
        self._last.array[url_id] = True

    def bring_back(self, ids: Sequence[int]) -> None:
        """Undo `put_last`."""
        known = [one for one in ids if one < len(self._last.array)]
        self._last.array[known] = False

    def is_last(self, url_id: int) -> bool:
        """Whether a URL leaves after all others of its class."""
        return url_id < len(self._last.array) and bool(self._last.array[url_id])

    def _classes(self, ids: NDArray[np.int64]) -> NDArray[np.int32]:
        """Classes of URLs as the queue has them: each is parted in two, the last ones below."""
        self._last.resize(len(self._ledger))
        parted: NDArray[np.int32] = 2 * self._ledger.priority_class.array[ids]
        parted -= self._last.array[ids]
        return parted

    def schedule(self, ids: NDArray[np.int64], priorities: NDArray[np.float64]) -> None:
        """Queue URL ids (k,) with their priorities (k,): columns where Frontera has rows."""
        self._pool.push(ids, priorities, self._classes(ids))

    def hold_back(self, url_id: int, priority: float, after: int) -> None:
        """Queue a URL that may leave only after `after` others, or when nothing else is left."""
        priority_class = int(self._classes(np.array([url_id]))[0])
        self._pool.defer(url_id, priority, priority_class, after=after)

    def host_answered(self, url_id: int) -> None:
        """Note that the host of a URL is there."""
        self._pool.wait_for(int(self._ledger.host.array[url_id]))

    def host_failed(self, url_id: int) -> None:
        """Note that the host of a URL could not be asked."""
        self._pool.do_not_wait_for(int(self._ledger.host.array[url_id]))

    def queued(self) -> NDArray[np.int64]:
        """Ids in the queue, in no particular order."""
        return self._pool.queued()

    def foremost(self) -> NDArray[np.int64]:
        """Ids of the best few thousand in the queue, found in bounded time."""
        return self._pool.foremost(FOREMOST)

    def reprice(self, ids: NDArray[np.int64], priorities: NDArray[np.float64]) -> None:
        """Give queued URLs (k,) new priorities (k,)."""
        self._pool.update(ids, priorities)

    @property
    def passed_over(self) -> int:
        """Hand-outs of this run at which a better URL had to wait for its host."""
        return self._pool.passed_over

    def count(self) -> int:
        return len(self._pool)


class LedgerStates(States):  # type: ignore[misc]  # Frontera has no types
    """Tells a strategy what Frontera calls the state of a URL."""

    def __init__(self, ledger: UrlLedger) -> None:
        self._ledger = ledger

    def set_states(self, objs: Sequence[UrlRecord]) -> None:
        # No crawling strategy of Frontera's asks, and ours know the ids: see `of`.
        pass

    def of(self, url_id: int) -> int:
        """Frontera's state of an id; -1 stands for a URL never met."""
        if url_id < 0:
            return int(States.NOT_CRAWLED)
        return int(FRONTERA_STATES.get(self._ledger.state_of(url_id), States.ERROR))

    def update_cache(self, objs: Sequence[UrlRecord]) -> None:
        # The ledger is told of every change by those who make it; there is no cache to update.
        pass

    def flush(self, force_clear: bool) -> None:  # noqa: FBT001  # Frontera's signature
        # States are derived from rows that are written in the transaction of their cause.
        pass

    def fetch(self, fingerprints: Sequence[int]) -> None:
        # Every state is in memory already.
        pass


class LedgerMetadata(Metadata):  # type: ignore[misc]  # Frontera has no types
    """Gives URLs their rows, and answered hand-outs theirs."""

    def __init__(self, ledger: UrlLedger) -> None:
        self._ledger = ledger

    def add_seeds(self, seeds: Sequence[UrlRecord]) -> None:
        """Admit requests that no page led to; sets their id, and whether they are new."""
        self._ledger.identify(seeds)
        self._admit(seeds, None)
        self._mark_seeds(seeds)

    def _mark_seeds(self, requests: Sequence[UrlRecord]) -> None:
        for one in requests:
            if one.seed and not one.is_new:
                # A page led to it before anybody came to say that it is a seed.
                self._ledger.mark_seed(one.url_id)

    def page_crawled(self, response: Response) -> None:
        # The row is written with the links, so that a page and its links are one record.
        pass

    def links_extracted(self, handed: HandedOut, links: list[UrlRecord]) -> None:
        """Admit the links of a page, likewise, and complete its record with them.

        Those that are known have their id already: see `UrlLedger.identify`.
        """
        self._admit(links, handed.url_id)
        self._mark_seeds(links)
        page = handed.page
        page.links = self._links(page, links)

    def answered(self, handed: HandedOut) -> None:
        """Write down what is known of a hand-out, whose links are admitted."""
        self._ledger.answer(handed.page)

    def _links(self, page: PageRecord, links: list[UrlRecord]) -> LinkArrays:
        """The record of a page's links."""
        k = len(links)
        targets, promises, flags = np.empty(k, np.int32), np.empty(k), np.empty(k, np.uint8)
        matches = np.empty((k, MATCHES), np.uint8)
        read = _links.columns(links, _INHERITS, targets, promises, flags, matches)
        anchors, contexts, weighed = read
        said = None
        if weighed:
            flags[matches[:, :ADDRESS].max(axis=1, initial=0) >= _TOPICAL_FROM] |= TOPICAL
            said = LinkText(matches, _kept(contexts, links, flags))
        return LinkArrays(targets, stored_promises(promises), flags, tuple(anchors), said)

    def request_error(self, handed: HandedOut, error: str) -> None:
        """Write down that a hand-out failed for good."""
        self.answered(handed)

    def _admit(self, records: Sequence[UrlRecord], referrer: int | None) -> None:
        news = _links.number(list(records), len(self._ledger))
        if news:
            own = [one.referrer if one.flags & _INHERITS else referrer for one in news]
            self._ledger.admit(news, own)


def _kept(contexts: list[str], links: list[UrlRecord], flags: NDArray[np.uint8]) -> tuple[str, ...]:
    """Texts around the links that found a URL, or are the topic's; "" for the others."""
    kept = zip(contexts, links, flags.tolist(), strict=True)
    return tuple(text if one.is_new or flag & TOPICAL else "" for text, one, flag in kept)


class UnchangedUrls(CanonicalSolver):  # type: ignore[misc]  # Frontera has no types
    """Leaves URLs alone: they were made canonical where they entered."""

    def add_seeds(self, seeds: Sequence[UrlRecord]) -> None: ...

    def page_crawled(self, response: Response) -> None: ...

    def links_extracted(self, request: HandedOut, links: Sequence[UrlRecord]) -> None: ...

    def request_error(self, page: HandedOut, error: str) -> None: ...


def frontera_settings(
    config: CrawlConfig,
    executor: object = None,
    identify: Callable[[str, UrlRules], int] | None = None,
) -> Settings:
    """Settings for Frontera's manager, in a namespace of their own.

    `executor` runs the re-ranks (a `concurrent.futures.Executor`); None: one thread. `identify`
    gives the fingerprint of a URL under the rules of the crawl; None: that of its
    canonical form.
    """
    # Frontera logs every call at DEBUG; with Scrapy's default level that alone doubles its cost.
    for name in ("manager", "manager.components"):
        logging.getLogger(name).setLevel(logging.WARNING)
    return Settings(
        attributes={
            "BACKEND": "frontier.backend.backend.LinkRankBackend",
            "CANONICAL_SOLVER": "frontier.backend.components.UnchangedUrls",
            "MIDDLEWARES": [],
            FRONTERA_SETTING: config,
            EXECUTOR: executor,
            IDENTIFY: identify,
        }
    )
