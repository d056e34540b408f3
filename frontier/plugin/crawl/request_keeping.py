"""How requests are kept that their URL does not say everything about, until they are handed out.

A crawl keeps them in one of three ways: as objects where it has no JOBDIR, in its own file where it
has one, and sealed where other processes may be the ones that fetch them (FRONTIER_EXCHANGE).
"""

from __future__ import annotations

import logging
import pickle
import re
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakValueDictionary

from scrapy import Request
from scrapy.utils.request import request_from_dict

from frontier.errors import RequestBodyError, described
from frontier.exchange.bodies import RequestBodies
from frontier.plugin.crawl.leases import TOKEN
from frontier.plugin.settings import value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy import Spider
    from scrapy.crawler import Crawler

    from frontier.config import CrawlConfig
    from frontier.records import HandedOut, UrlRecord

logger = logging.getLogger(__name__)

UNSAVED = b""
"""Stands in the store for a request that lives in memory only."""
_NOT_SERIALISABLE = (
    # As in scrapy.squeues: a callback that is no method of the spider, objects pickle refuses.
    ValueError,
    TypeError,
    AttributeError,
    RecursionError,
    pickle.PicklingError,
)
_NOT_SAVED = (
    "Cannot save %s, it is lost if this process dies before it is fetched: %s. Others are not "
    "logged; the stat frontier/unserializable counts them"
)
_NOT_SENT = (
    "Dropped %s, which other processes cannot fetch: %s Others like it are not logged; the stat "
    "frontier/unserializable counts them"
)
_ADDRESS = re.compile(r" at 0x\w+")
"""What tells one lambda from another."""
_MOST_TOLD = 20
"""Reasons that are logged: a spider may name each of its values otherwise."""


class RequestKeeping(Protocol):
    """One of the three ways."""

    def keep_plain(self, candidate: UrlRecord, request: Request) -> None:
        """Keep what a URL says everything about, as far as anything of it is to be kept."""

    def keep(self, candidate: UrlRecord, request: Request, spider: Spider) -> bool:
        """Add a request to its description; False where it cannot be kept and is to be dropped."""

    def plain(self, handed: HandedOut) -> Request | None:
        """Return what `keep_plain` kept, None where that is nothing."""

    def restore(self, handed: HandedOut, spider: Spider) -> Request:
        """Return what `keep` kept; raises ValueError where there is no such request any more."""


def keeping_of(crawler: Crawler, config: CrawlConfig) -> RequestKeeping:
    """Return the way in which a crawl keeps requests."""
    if value(crawler.settings, "FRONTIER_EXCHANGE"):
        key = value(crawler.settings, "FRONTIER_EXCHANGE_KEY")
        return AcrossProcesses(crawler, RequestBodies(key))
    return InMemory() if config.directory is None else InFile(crawler)


class InMemory:
    """Without JOBDIR: the very objects are handed out."""

    def __init__(self) -> None:
        # Those that their URL says everything about cost nothing but for who holds them.
        self._plain: WeakValueDictionary[int, Request] = WeakValueDictionary()

    def keep_plain(self, candidate: UrlRecord, request: Request) -> None:
        self._plain[candidate.fingerprint] = request

    def keep(self, candidate: UrlRecord, request: Request, spider: Spider) -> bool:
        candidate.body, candidate.unsaved = UNSAVED, request
        return True

    def plain(self, handed: HandedOut) -> Request | None:
        request = self._plain.get(handed.fingerprint)
        return request if request is not None and request.url == handed.url else None

    def restore(self, handed: HandedOut, spider: Spider) -> Request:
        return _from_memory(handed.unsaved)


class _Copies:
    """Whoever hands out copies keeps nothing of a plain request."""

    def keep_plain(self, candidate: UrlRecord, request: Request) -> None:
        pass

    def plain(self, handed: HandedOut) -> Request | None:
        return None


class InFile(_Copies):
    """With JOBDIR: pickled, but what cannot be is kept in memory for as long as it lasts."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._warned = False

    def keep(self, candidate: UrlRecord, request: Request, spider: Spider) -> bool:
        try:
            candidate.body = pickle.dumps(_fields(request, spider), protocol=4)
        except _NOT_SERIALISABLE as reason:
            candidate.body, candidate.unsaved = UNSAVED, request
            _count(self._crawler)
            if not self._warned:
                self._warned = True
                logger.warning(_NOT_SAVED, request, reason)
        return True

    def restore(self, handed: HandedOut, spider: Spider) -> Request:
        if not handed.body:  # UNSAVED
            return _from_memory(handed.unsaved)
        try:
            return request_from_dict(pickle.loads(handed.body), spider=spider)  # noqa: S301  # own file
        except Exception as error:  # unpickling runs the classes it names, which may raise anything
            raise ValueError(described(error)) from error


class AcrossProcesses(_Copies):
    """With an exchange: sealed, for whichever process fetches it; what cannot be is dropped."""

    def __init__(self, crawler: Crawler, bodies: RequestBodies) -> None:
        self._crawler = crawler
        self._bodies = bodies
        self._told: set[str] = set()

    def keep(self, candidate: UrlRecord, request: Request, spider: Spider) -> bool:
        try:
            candidate.body = self._bodies.seal(_fields(request, spider))
        except ValueError as reason:  # RequestBodyError, or a callback that is no method
            _count(self._crawler)
            self._tell(request, str(reason))
            return False
        return True

    def _tell(self, request: Request, reason: str) -> None:
        kind = _ADDRESS.sub("", reason)
        if kind not in self._told and len(self._told) < _MOST_TOLD:
            self._told.add(kind)
            logger.error(_NOT_SENT, request, reason)

    def restore(self, handed: HandedOut, spider: Spider) -> Request:
        fields = self._bodies.open(handed.body or b"")
        if not self._bodies.signed:
            _refuse_unknown_class(fields.get("_class"))
        try:
            return request_from_dict(fields, spider=spider)
        except Exception as error:  # fields that do not fit the spider, or that somebody made up
            raise ValueError(described(error)) from error


def _refuse_unknown_class(path: object) -> None:
    """Raise RequestBodyError where a body names what is no class of requests.

    Scrapy imports and calls whatever stands there.
    """
    if path is not None and not any(path == one for one in _paths(Request)):
        raise RequestBodyError(
            f"Expected a class of requests that is imported here, but {path!r:.200} came. Import "
            "it where the spider is, or set FRONTIER_EXCHANGE_KEY in all processes."
        )


def _paths(cls: type[Request]) -> Iterator[str]:
    for one in cls.__subclasses__():
        yield f"{one.__module__}.{one.__name__}"  # as Request.to_dict writes it
        yield from _paths(one)


def _fields(request: Request, spider: Spider) -> dict[str, Any]:
    fields = request.to_dict(spider=spider)
    fields["meta"] = {k: v for k, v in fields["meta"].items() if k != TOKEN}
    return fields


def _count(crawler: Crawler) -> None:
    assert crawler.stats is not None
    crawler.stats.inc_value("frontier/unserializable")


def _from_memory(request: Request | None) -> Request:
    if request is None:
        raise ValueError(
            "the request could not be saved when it was made (a lambda or nested function as "
            "callback?), and the process that held it has ended"
        )
    return request
