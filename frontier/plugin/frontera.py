"""The backend of a program of Frontera: Frontera's manager and strategies drive our frontier.

Frontera reports a page and its links in two calls, and omits the second for a page without links.
The frontier takes both at once, so the first half of an answer waits for the second; it waits until
the program has asked for requests twice. A page that the program fetched without being sent there
gets its lease when it is reported.

Requests of the program are stored whole: as the same objects without JOBDIR, pickled with it. A URL
is identified by its canonical form, as in a crawl of Scrapy, so that `scrapy frontier explain` has
it; by the fingerprint in `meta` where that is not Frontera's fingerprint of the URL.

Frontera has no types: its requests and responses are `Any` here.
"""

from __future__ import annotations

import hashlib
import logging
import pickle
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from frontera.core.components import Backend, States
from frontera.utils.fingerprint import sha1
from frontera.utils.misc import load_object
from frontera.worker.strategies import BaseCrawlingStrategy
from scrapy.http import Headers, HtmlResponse, Response, TextResponse
from scrapy.responsetypes import responsetypes
from scrapy.settings import Settings
from w3lib.util import to_bytes

from frontier.backend.backend import LinkRankBackend
from frontier.errors import PageError, SettingsError, described
from frontier.labels.learning import Refitting, known_topic
from frontier.parsing.content import NOTHING, Link
from frontier.plugin.crawl.page_reader import ResponseReader
from frontier.plugin.settings import PREFIX, config_from
from frontier.records import Page
from frontier.states import State
from frontier.store import UNSAVED
from frontier.strategy.order_driver import OrderDriver
from frontier.topic.relevance import describe, judgement, plain_link
from frontier.urls.canonical import canonical_url, fingerprint, fingerprint_bytes
from frontier.urls.rules import BY_W3LIB
from ranking.spelling import or_rather

if TYPE_CHECKING:
    from collections.abc import Callable

    from frontier.backend.frontier_queue import FrontierQueue
    from frontier.config import CrawlConfig
    from frontier.parsing.content import PageContent
    from frontier.records import Lease, UrlRecord

logger = logging.getLogger(__name__)

HEEDED = (
    *("JOBDIR", "FRONTIER_TOPIC", "TOPIC_MODEL", "FRONTIER_VECTORS", "FRONTIER_STRATEGY"),
    *("FRONTIER_DAMPING", "FRONTIER_RANDOM_SEED", "FRONTIER_SCORES", "FRONTIER_DISTRUST"),
    *("FRONTIER_ACCEPT_CHANGES", "FRONTIER_CANONICAL_URLS", "FRONTIER_TRACKING_PARAMETERS"),
    *("FRONTIER_DUPLICATE_SIMILARITY", "FRONTIER_TRAPS", "FRONTIER_TRAP_BUDGET"),
)
"""Settings that a program of Frontera may have, each as in a crawl of Scrapy's."""
EXECUTOR = "LINKRANK_EXECUTOR"
"""Setting: what runs the re-ranks, a `concurrent.futures.Executor`; None: one thread."""
OWN_STRATEGY = f"{OrderDriver.__module__}.{OrderDriver.__name__}"
_FIELDS = ("method", "headers", "cookies", "meta", "body")
"""Attributes of a request that are stored beside its URL."""
STEPS = 1_000_000
"""Scores between 0 and 1 of a program's own strategy that differ for the queue."""
_STATES = {
    None: States.NOT_CRAWLED,
    State.QUEUED: States.QUEUED,
    State.LEASED: States.QUEUED,
    State.CRAWLED: States.CRAWLED,
    State.REDIRECTED: States.CRAWLED,
}
"""Frontera's states; all others of ours are its ERROR."""


def config_of(settings: Any) -> CrawlConfig:
    """Read Frontera's settings; SettingsError for one that is unknown here or cannot be used."""
    for name in settings.attributes:
        if name.startswith(PREFIX) and name not in HEEDED:
            raise SettingsError(
                f"{name} has no effect in a program of Frontera{or_rather(name, HEEDED, PREFIX)}; "
                f"take it out. Those that have are {', '.join(HEEDED)}."
            )
    given = {name: settings.get(name) for name in HEEDED}
    return config_from(
        Settings({name: value for name, value in given.items() if value is not None})
    )


def strategy_of(settings: Any) -> Any:
    """The class that CRAWLING_STRATEGY names; None for `OrderDriver`, the default."""
    path = settings.get("CRAWLING_STRATEGY", OWN_STRATEGY)
    try:
        strategy = load_object(path) if isinstance(path, str) else path
    except (ValueError, ImportError, NameError) as error:
        raise SettingsError(f"CRAWLING_STRATEGY cannot be imported: {error}") from None
    if strategy is OrderDriver:
        return None
    if isinstance(strategy, type) and issubclass(strategy, BaseCrawlingStrategy):
        return strategy
    raise SettingsError(
        f"CRAWLING_STRATEGY must name a subclass of frontera.worker.strategies."
        f"BaseCrawlingStrategy, but is {path!r}. Strategies of ours are chosen by FRONTIER_STRATEGY"
    )


@dataclass(slots=True, eq=False)
class HalfAnswer:
    """The parts of an answer that the program has reported so far."""

    page: Page | None = None
    """The response as it was read; None until it is reported."""
    content: PageContent = NOTHING
    """Text and links of the response."""
    links: list[UrlRecord] | None = None
    """None until they are reported."""


class StrategyContext(States):  # type: ignore[misc]  # Frontera has no types
    """Stream and states context of a program's own strategy, and Frontera's states of the backend.

    The frontier sets states itself: there is nothing to store.
    """

    def __init__(self, state_of: Callable[[Any], State | None]) -> None:
        self._state_of = state_of
        self._sent: list[tuple[Any, float, bool]] = []

    def set_states(self, objs: Any) -> None:
        """Write the states of requests, responses, or one of them, to their `meta`."""
        for item in objs if isinstance(objs, Iterable) else [objs]:
            item.meta[b"state"] = _STATES.get(self._state_of(item), States.ERROR)

    refresh_and_keep = set_states

    def send(self, request: Any, score: float = 1.0, dont_queue: bool = False) -> None:  # noqa: FBT001, FBT002  # Frontera's
        """Note a request that the strategy schedules."""
        self._sent.append((request, score, dont_queue))

    def take_scheduled(self) -> list[tuple[Any, float, bool]]:
        """Return the arguments of `send` since the last call."""
        sent, self._sent = self._sent, []
        return sent

    def update_cache(self, objs: Any) -> None: ...

    def fetch(self, fingerprints: Any) -> None: ...

    def flush(self, force_clear: bool = False) -> None: ...  # noqa: FBT001, FBT002  # Frontera's

    def release(self) -> None: ...


class FronteraBackend(Backend):  # type: ignore[misc]  # Frontera has no types
    """One crawl behind Frontera's `FrontierManager`, with Frontera's requests and responses.

    Raises SettingsError, and what `LinkRankBackend` raises, when it starts.
    """

    component_name = "Link rank backend"

    def __init__(self, manager: Any) -> None:
        self._manager = manager
        self._config = config_of(manager.settings)
        self._strategy_class = strategy_of(manager.settings)
        self._frontier = LinkRankBackend(self._config, manager.settings.get(EXECUTOR))
        try:
            self._topic = known_topic(self._config, self._frontier)
            self._refitting = Refitting(self._frontier, self._config)
        except BaseException:
            self._frontier.close()
            raise
        self._reader = ResponseReader(self._frontier.refusals.note)
        self._leased: dict[int, Lease] = {}
        """Leases of this run by fingerprint; those of earlier runs are queued again."""
        self._answers: dict[int, HalfAnswer] = {}
        """Halves of answers by fingerprint, in the order in which they came."""
        self._overdue: set[int] = set()
        """Fingerprints of answers that were halves at the last `get_next_requests`."""
        self._context = StrategyContext(lambda item: self._known(self._number(item))[1])
        self._strategy: Any = None

    @classmethod
    def from_manager(cls, manager: Any) -> FronteraBackend:
        return cls(manager)

    @property
    def queue(self) -> FrontierQueue:
        return self._frontier.queue

    @property
    def metadata(self) -> FronteraBackend:
        return self

    @property
    def states(self) -> StrategyContext:
        return self._context

    def frontier_start(self) -> None:
        if self._strategy_class is not None:
            self._strategy = self._strategy_class.from_worker(
                self._manager, self._context, self._context
            )

    def frontier_stop(self) -> None:
        try:
            self._take_in(list(self._answers))
            if self._strategy is not None:
                self._strategy.close()
                self._queue_scheduled()
        finally:
            self._frontier.close()

    def finished(self) -> bool:
        if self._strategy is not None and self._strategy.finished():
            return True
        # As Frontera's own backends: requests that a program keeps to itself do not hold it up.
        return not self._answers and not self._frontier.pending()

    # -- out ------------------------------------------------------------------------------------

    def get_next_requests(self, max_n_requests: int, **kwargs: Any) -> list[Any]:
        """Lease the best URLs whose hosts are not in `overused_keys`, and return their requests."""
        self._take_in([number for number in self._answers if number in self._overdue])
        overused = frozenset(kwargs.get("overused_keys", ()))

        def room(slot: str) -> int:
            return 0 if slot in overused else max_n_requests

        leaving = self._frontier.next(max_n_requests, room)
        if not leaving and self._answers:
            self._take_in(list(self._answers))
            leaving = self._frontier.next(max_n_requests, room)
        self._frontier.commit()
        self._overdue = set(self._answers)
        return [self._request_of(lease) for lease in leaving]

    def _request_of(self, lease: Lease) -> Any:
        self._leased[lease.fingerprint] = lease
        request = lease.unsaved or self._restored(lease)
        score = lease.priority_class / STEPS if self._strategy else lease.priority
        request.meta.update({b"depth": lease.depth, b"score": score, b"state": States.QUEUED})
        return request

    def _restored(self, lease: Lease) -> Any:
        try:
            return self._manager.request_model(**pickle.loads(lease.body or b""))  # noqa: S301  # own file
        except Exception as error:  # unpickling runs the classes it names
            logger.warning("Cannot restore the request for %s: %s", lease.url, described(error))
        return self._manager.request_model(lease.url)

    # -- in -------------------------------------------------------------------------------------

    def add_seeds(self, seeds: list[Any]) -> None:
        """Queue start URLs; of known URLs only those that failed are queued again."""
        self._context.set_states(seeds)
        if self._strategy is not None:
            self._strategy.add_seeds(seeds)
            self._queue_scheduled(seeds=frozenset(map(self._number, seeds)))
            return
        records = [self._record(seed, 0) for seed in seeds]
        for record, seed in zip(records, seeds, strict=True):
            record.seed, record.again = True, seed.meta[b"state"] == States.ERROR
        self._add(records)

    def page_crawled(self, response: Any) -> None:
        lease = self._lease_of(response.request)
        if lease is not None:
            answer = self._answers.setdefault(lease.fingerprint, HalfAnswer())
            self._read(lease, answer, response)
        if self._strategy is not None:
            self._context.set_states([response])
            self._strategy.page_crawled(response)
            self._queue_scheduled()
        if lease is not None:
            self._take_in_whole(lease)

    def links_extracted(self, request: Any, links: list[Any]) -> None:
        lease = self._lease_of(request)
        depth = 1 + (int(request.meta.get(b"depth", 0)) if lease is None else lease.depth)
        if self._strategy is None:
            records = [self._record(link, depth) for link in links]
        else:
            self._context.set_states([request, *links])
            self._strategy.links_extracted(request, links)
            records = self._chosen(links, depth)
        if lease is None:  # the page was taken in before, without links
            self._add(records)
            return
        answer = self._answers.setdefault(lease.fingerprint, HalfAnswer())
        answer.links = [*(answer.links or ()), *records]
        self._take_in_whole(lease)

    def request_error(self, request: Any, error: object) -> None:
        lease = self._lease_of(request)
        if lease is not None:
            del self._leased[lease.fingerprint]
            half = self._answers.pop(lease.fingerprint, HalfAnswer())
            self._add(half.links or ())
            page = Page(state=State.ERROR, fetched=time.time(), error=str(error))
            self._frontier.failed(lease, page)
        if self._strategy is not None:
            self._context.set_states([request])
            self._strategy.page_error(request, error)
            self._queue_scheduled()

    # -- requests and records -------------------------------------------------------------------

    def _number(self, request: Any, *, by_url: bool = False) -> int:
        """The fingerprint of a request or response; `by_url`: whatever its `meta` says."""
        url, given = str(request.url), request.meta.get(b"fingerprint")
        key = self._config.fingerprint_key
        if not by_url and given not in (None, sha1(canonical_url(url, BY_W3LIB))):
            return fingerprint_bytes(to_bytes(given), key)
        return fingerprint(canonical_url(url, self._frontier.url_rules), key)

    def _known(self, number: int) -> tuple[int, State | None]:
        """Id and state of a URL by its fingerprint; -1 and None if it was never met."""
        url_id = self._frontier.ledger.find([number])[0]
        return url_id, None if url_id < 0 else self._frontier.ledger.state_of(url_id)

    def _record(self, request: Any, depth: int) -> UrlRecord:
        """The record of a request at a depth, with the whole request."""
        request.meta[b"depth"] = depth
        url = str(request.url)  # parsers of HTML give strings that hold the whole page
        canonical = canonical_url(url, self._frontier.url_rules)
        record = plain_link(url.partition("#")[0], self._number(request), canonical, depth)
        record.body, record.unsaved = UNSAVED, request
        if self._config.directory is not None:
            try:
                fields = {name: getattr(request, name) for name in _FIELDS} | {"url": url}
                record.body, record.unsaved = pickle.dumps(fields, protocol=4), None
            except Exception as error:  # of whatever objects its meta holds
                logger.warning("Cannot save %s, it is lost with this process: %s", url, error)
        return record

    def _add(self, records: Iterable[UrlRecord]) -> None:
        """Queue URLs that no page led to, each once."""
        distinct = {record.fingerprint: record for record in records}
        if distinct:
            self._frontier.add_seeds(list(distinct.values()))

    def _lease_of(self, request: Any) -> Lease | None:
        """The lease that a request answers; None for a page that was answered before.

        After a redirect `meta` may hold the fingerprint of the target, so the URL is tried too.
        """
        for number in (self._number(request), self._number(request, by_url=True)):
            if number in self._leased:
                return self._leased[number]
        record = self._record(request, int(request.meta.get(b"depth", 0)))
        state = self._known(record.fingerprint)[1]
        if state in (State.CRAWLED, State.REDIRECTED):
            return None
        record.again = state is not None and state.is_final
        self._add([record])
        lease = self._leased[record.fingerprint] = self._frontier.queue.take(record.url_id)
        return lease

    # -- a program's own strategy ---------------------------------------------------------------

    def _chosen(self, links: list[Any], depth: int) -> list[UrlRecord]:
        """Records of the links of a page that are known or that the strategy has just scheduled."""
        numbers = [self._number(link) for link in links]
        scheduled = self._queue_scheduled(links=frozenset(numbers), depth=depth)
        records = []
        for number, link in zip(numbers, links, strict=True):
            record = scheduled.pop(number, None)  # a page may have a link twice
            if record is not None or self._known(number)[1] is not None:
                records.append(record or self._record(link, depth))
        return records

    def _queue_scheduled(
        self,
        seeds: frozenset[int] = frozenset(),
        links: frozenset[int] = frozenset(),
        depth: int = 0,
    ) -> dict[int, UrlRecord]:
        """Queue the requests that the strategy has scheduled, by their scores.

        `seeds` and `links` (at `depth`) are fingerprints. New links are returned and not queued:
        they are queued with their page.
        """
        news: dict[int, UrlRecord] = {}
        others: list[UrlRecord] = []
        for request, score, dont_queue in self._context.take_scheduled():
            number = self._number(request)
            url_id, state = self._known(number)
            if dont_queue and state is not State.QUEUED:
                continue
            record = self._record(
                request, depth if number in links else int(request.meta.get(b"depth", 0))
            )
            record.priority_class, record.seed = round(STEPS * score), number in seeds
            if state is State.QUEUED:
                self._frontier.ledger.requests.replace(url_id, record)
                self._frontier.queue.schedule([url_id])
            elif state is None and number in links:
                news[number] = record
            else:
                record.again = True
                others.append(record)
        self._add(others)
        return news

    # -- answers --------------------------------------------------------------------------------

    def _read(self, lease: Lease, answer: HalfAnswer, response: Any) -> None:
        """Read a response into the record of its page."""
        body_hash, content, judged, error = None, NOTHING, None, None
        status, failed = response.status_code, response.status_code >= 300
        if response.body:
            try:
                as_scrapys = scrapys_response(response)
                body_hash = hashlib.blake2b(as_scrapys.body, digest_size=16).digest()
                content = self._reader.read(as_scrapys)
                judged = None if failed else judgement(content, self._topic)
            except PageError as reason:
                error = f"not read: {reason}"
            except Exception as reason:  # parsers and models of others
                logger.exception("Cannot read %s", response.url)
                error = f"not read: {described(reason)}"
        answer.content = content
        answer.page = Page.read(
            content.title,
            content.text if response.body else None,
            judged,
            state=State.ERROR if failed else State.CRAWLED,
            fetched=time.time(),
            status=status,
            error=f"HTTP {status}" if failed else error,
            final_url=final_url(response),
            hash=body_hash,
            marks=content.marks,
        )
        response.meta[b"relevance"] = answer.page.relevance

    def _take_in_whole(self, lease: Lease) -> None:
        answer = self._answers[lease.fingerprint]
        if answer.page is not None and answer.links is not None:
            self._take_in([lease.fingerprint])

    def _take_in(self, numbers: list[int]) -> None:
        """Report answers to the frontier; what was not reported to us is empty."""
        for number in numbers:
            answer, lease = self._answers.pop(number), self._leased.pop(number)
            page, links = answer.page, self._described(lease, answer)
            if page is None:
                page = Page(state=State.CRAWLED, fetched=time.time(), final_url=lease.url)
            if page.state is State.ERROR and not links:
                self._frontier.failed(lease, page)
            else:
                verdict = self._frontier.take(lease, page, links)
                self._refitting.fetched(lease, page, verdict, self._topic)

    def _described(self, lease: Lease, answer: HalfAnswer) -> list[UrlRecord]:
        """The links of a page, with what the topic model predicts by their texts."""
        on_page, links = {link.url: link for link in answer.content.links}, answer.links or []
        pairs = [
            (record, on_page.get(record.url) or Link(record.url, "", "", nofollow=False))
            for record in links
        ]
        try:
            return describe(pairs, self._topic)
        except Exception:  # of models of others
            logger.exception("The links of %s have no predictions", lease.url)
            return links


def scrapys_response(response: Any) -> Response:
    """Scrapy's response of the type that headers, URL and body say; a `str` body becomes UTF-8."""
    is_text, headers = isinstance(response.body, str), Headers(response.headers)
    body = response.body.encode("utf-8", "replace") if is_text else response.body
    kind = responsetypes.from_args(headers=headers, url=response.url, body=body)
    if kind is TextResponse and body.lstrip().startswith(b"<"):
        kind = HtmlResponse
    made = kind(response.url, headers=headers, body=body)
    is_decoded = is_text and isinstance(made, TextResponse)
    return made.replace(encoding="utf-8") if is_decoded else made


def final_url(response: Any) -> str:
    """The URL that answered, which Frontera's canonical solver replaces by the requested URL."""
    hops = response.meta.get(b"redirect_urls")
    return str(hops[-1] if hops and response.url == response.request.url else response.url)
