"""The interface between reading pages and deciding about URLs: all a crawl asks of its frontier.

On this side requests are made, fetched and read; behind it lie ids, states, rules, the order and
the file. `frontier.plugin.crawl.embedded` is a frontier in the same process,
`frontier.plugin.shared` one that several fetchers share; `scrapy frontier serve`, the lab's replay
and the tests' crawls drive the backend of the first by the same methods.

A URL leaves by `next`, and comes back once: by `take`, `failed`, `redirected` or `retry`. What
fails because of the file raises StoreError; with an exchange, ExchangeError.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from frontier.robots.cache import RobotsStore

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from frontier.enough import Reached
    from frontier.estimates import Harvest
    from frontier.politeness import PolitenessPolicy
    from frontier.records import Canonical, HostPause, Lease, Page, UrlRecord
    from frontier.states import State
    from frontier.traps.refusals import Refusals
    from frontier.verdict import Verdict
    from ranking.topics import TopicModel


class HostNotes(RobotsStore, Protocol):
    """What a crawl keeps of its hosts from one run to the next; `slot` is a download slot."""

    def pauses(self) -> Sequence[HostPause]:
        """The pauses that hosts still need."""

    def keep_pause(self, pause: HostPause) -> None:
        """Keep the pause of a host in place of its last one; 0 seconds and 0 delay: none."""

    def renderings(self) -> Sequence[tuple[int, str, str]]:
        """Id, URL and note (`Page.rendering`) of the pages that a browser might show, in order.

        A fetcher, which has no pages of earlier runs, knows none.
        """


class Figures(Protocol):
    """How a crawl does, as far as this process knows; what it counts is counted here."""

    leases: int
    retries: int
    harvest: Harvest

    @property
    def enough(self) -> Reached | None:
        """Why the crawl has found enough; None: it goes on."""

    @property
    def pages(self) -> int:
        """URLs fetched."""

    @property
    def pages_of_run(self) -> int:
        """Those of them that this run has added."""

    @property
    def epoch(self) -> int:
        """Re-ranks whose scores were taken over."""

    @property
    def reranking(self) -> bool:
        """Whether a re-rank is under way."""

    def count(self, state: State) -> int:
        """URLs in a state."""


class Frontier(Protocol):
    """One crawl's frontier."""

    opening: str
    """What the crawl begins with, in a line; "" before `begin` has ended."""
    leaves_open: bool
    """Whether it is decided elsewhere which requests are made."""

    @property
    def resumed(self) -> bool:
        """Whether the crawl had begun before this process did."""

    @property
    def topic(self) -> TopicModel | None:
        """What judges pages and links; None without a topic, and before it is learned."""

    @property
    def figures(self) -> Figures:
        """How the crawl does."""

    @property
    def refusals(self) -> Refusals:
        """Where links are counted that are not followed."""

    @property
    def notes(self) -> HostNotes:
        """What is kept of hosts."""

    @property
    def most_in_flight(self) -> float:
        """Requests that may be in flight at once; infinite: any number."""

    @property
    def few_hosts(self) -> Sequence[str] | None:
        """Slots of all URLs there are; None where these are many, or not known."""

    # -- its life -------------------------------------------------------------------------------

    def open(self, politeness: PolitenessPolicy) -> None:
        """The spider is there, and hosts may be asked as politeness allows."""

    async def begin(self) -> None:
        """Have a topic model before the first seed. Raises TopicError where none can be learned."""

    def seeds_ended(self) -> None:
        """The spider has no more seeds."""

    def begin_closing(self) -> None:
        """Nothing leaves any more; what is in flight still comes back."""

    def stopped(self) -> None:
        """The process ends before `close`, in order: what is in flight did not kill it."""

    def stats(self) -> dict[str, float]:
        """The figures, by the names of Scrapy's stats."""

    def close(self, reason: str, text: str) -> None:
        """Write everything down. `reason` is Scrapy's `finish_reason`, `text` the same in words."""

    # -- URLs come in ---------------------------------------------------------------------------

    def add_seeds(self, seeds: Sequence[UrlRecord]) -> None:
        """Take requests that no page led to, each URL once."""

    def knows(self, fingerprint: int) -> bool:
        """Whether a URL was ever met, as far as this process can tell."""

    def again(self, fingerprint: int, *, dont_filter: bool, known: bool) -> bool:
        """Whether a request is made although its URL is `known`; asked once for each request."""

    # -- URLs leave -----------------------------------------------------------------------------

    def pending(self) -> bool:
        """Whether any URL waits for its turn."""

    def rerank_overdue(self) -> bool:
        """Whether a re-rank should have been installed by now and is still being computed."""

    def next(
        self,
        most: int,
        room: Callable[[str], int],
        share: float = 1.0,
        slow: Collection[str] = (),
    ) -> list[Lease]:
        """Lease the best URLs that may leave now; they must not leave before `commit_leases`.

        Args:
            most: URLs at most.
            room: how many requests a slot may get now.
            share: below 1 a URL stays while that share of the queue is better and waits for hosts
                that answer.
            slow: slots that are not waited for.

        """

    def commit_leases(self) -> None:
        """Write down what must be known of URLs before they leave."""

    def seconds_to_revisit(self) -> float | None:
        """Seconds until a known page may be revisited; None: there is no such page."""

    def owns(self, slot: str) -> bool:
        """Whether a host is this process's to ask."""

    def asked_by_others(self, slot: str) -> float:
        """Time of the monotonic clock until which another process may have asked a host."""

    # -- answers --------------------------------------------------------------------------------

    def take(
        self, lease: Lease, page: Page, links: list[UrlRecord], canonical: Canonical | None = None
    ) -> Verdict:
        """Take in a page that was read, with its links and the address that it names.

        Returns what is decided about it; with an exchange that is decided later, elsewhere.
        """

    def failed(self, lease: Lease, page: Page) -> Verdict:
        """Take in that a lease brought no page, and why; returns the same."""

    def redirected(self, lease: Lease, page: Page, target: UrlRecord) -> None:
        """Take in that a lease was redirected to `target`."""

    def retry(self, lease: Lease, request: UrlRecord, hold: int) -> None:
        """Queue a URL again that had no answer; it yields to `hold` others first."""

    def finish(self, lease: Lease) -> None:
        """All that was made of an answer whose record is `held` is done."""

    # -- what it remembers ----------------------------------------------------------------------

    def url(self, url_id: int) -> str:
        """URL of an id; with an exchange "" for one that is not at hand."""

    def setting(self, name: str) -> object:
        """What the crawl remembers under a name, None if nothing."""

    def remember(self, name: str, value: object) -> None:
        """Keep something that JSON can express."""

    def requeue_failed(self, reason: str) -> None:
        """Queue, as plain links, URLs that ended with an error that begins with `reason`.

        Others than plain links stay as they are: how they were asked for is not known any more.
        """
