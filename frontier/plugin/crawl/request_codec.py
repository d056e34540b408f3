"""Scrapy requests made into records of the frontier and back, and how they are kept meanwhile.

A plain request for a URL is stored as that URL alone. Any other request (callback, meta, POST,
headers, cookies ...) is treated as in Scrapy's own queues:

* Without JOBDIR the same object is leased, with all that its meta shares with others.
* With JOBDIR `Request.to_dict` is stored, pickled, and a copy is leased. A request that cannot be
  pickled is kept in memory only: it is fetched in this run, and a crash before that is reported
  when the crawl resumes.
* With FRONTIER_EXCHANGE another process may fetch it: a copy is leased, as far as
  `frontier.exchange.bodies` lets it travel; else it is dropped.
"""

from __future__ import annotations

import logging
import pickle
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from scrapy import Request
from scrapy.dupefilters import RFPDupeFilter
from scrapy.utils.misc import build_from_crawler, load_object
from scrapy.utils.request import RequestFingerprinter, request_from_dict

from frontier.errors import RequestBodyError, described
from frontier.exchange.bodies import opened, seal
from frontier.plugin.crawl.gate import slot_for
from frontier.plugin.crawl.in_flight import TOKEN
from frontier.plugin.settings import value
from frontier.records import UrlRecord
from frontier.store import PLAIN, UNSAVED
from frontier.topic.relevance import plain_link
from frontier.urls.canonical import (
    canonical_url,
    fingerprint,
    fingerprint_bytes,
    slot_of,
    without_credentials,
)
from frontier.urls.hosts import with_ascii_host

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy import Spider
    from scrapy.crawler import Crawler

    from frontier.config import CrawlConfig
    from frontier.records import Lease, UrlRecord
    from frontier.urls.rules import UrlRules

_PLAIN_META = frozenset({TOKEN, "depth"})
_MOST = 2**62
"""Scrapy takes any integer for a priority; the store keeps 64 bits, and the ledger counts 31."""
_LINKS, _SHORT = 4096, 500
"""Links that are taken apart once, and how long they may be: 3 MB. Of ten links of a site six to
nine stood on another page before."""


class RequestCodec:
    """Turns Scrapy's requests into the frontier's records and back, for one crawl."""

    def __init__(self, crawler: Crawler, config: CrawlConfig) -> None:
        self._remembered = lru_cache(_LINKS)(self._taken_apart)
        self.url_rules = config.url_rules
        self._key = config.fingerprint_key
        self._keeping = keeping_of(crawler, config)
        self._fingerprinter: Any = crawler.request_fingerprinter
        self._warned_of_login = False
        self._default = type(self._fingerprinter) is RequestFingerprinter

    @property
    def url_rules(self) -> UrlRules:
        """The rules by which two spellings are the same URL."""
        return self._url_rules

    @url_rules.setter
    def url_rules(self, rules: UrlRules) -> None:
        self._url_rules = rules
        self._remembered.cache_clear()

    def identify(self, request: Request) -> tuple[int, str]:
        """Return fingerprint and canonical URL of a request.

        GET requests are known by their canonical URL; anything else, and every request of a project
        with a fingerprinter of its own, by what Scrapy's fingerprinter says.
        """
        canonical = canonical_url(request.url, self.url_rules)
        if self._default and _is_plain_get(request):
            return fingerprint(canonical, self._key), canonical
        return fingerprint_bytes(self._fingerprinter.fingerprint(request), self._key), canonical

    def identify_url(self, url: str, rules: UrlRules | None = None) -> tuple[int, str]:
        """Return fingerprint and canonical URL of a plain link; None: by the codec's own rules."""
        if not self._default:
            return self.identify(Request(url))
        canonical = canonical_url(url, rules or self.url_rules)
        return fingerprint(canonical, self._key), canonical

    def fingerprint_of(self, url: str, rules: UrlRules | None = None) -> int:
        """Return the fingerprint of a plain link, likewise."""
        return self.identify_url(url, rules)[0]

    def encode(self, request: Request) -> UrlRecord:
        """Describe a request to the frontier, without its body (see `body`)."""
        if self._default and len(request.url) <= _SHORT and _is_plain_get(request):
            number, canonical, slot = self._remembered(request.url)
            slot = slot_for(request) if "download_slot" in request.meta else slot
        else:
            (number, canonical), slot = self.identify(request), slot_for(request)
        return UrlRecord(
            url=request.url.partition("#")[0],
            fingerprint=number,
            canonical=canonical,
            slot=slot,
            depth=int(request.meta.get("depth", 0)),
            priority_class=max(-_MOST, min(request.priority, _MOST)),
            again=request.dont_filter,
            asked=True,
        )

    def without_login(self, request: Request) -> Request:
        """The request as one of its links would be: what is stored and shown holds no password."""
        url = without_credentials(request.url)
        if url == request.url:
            return request
        if not self._warned_of_login:
            self._warned_of_login = True
            logger.warning(
                "User names and passwords in URLs are left out, as of %s. To log in, set "
                "http_user, http_pass and http_auth_domain of the spider",
                url,
            )
        return request.replace(url=url)

    def encode_link(self, url: str, depth: int) -> UrlRecord:
        """Describe a plain link to the frontier."""
        url = with_ascii_host(without_credentials(url) if "@" in url else url)
        # A fingerprinter of the project's own may know more than the URL.
        once = self._default and len(url) <= _SHORT
        take_apart = self._remembered if once else self._taken_apart
        number, canonical, slot = take_apart(url)
        return plain_link(url, number, canonical, depth, slot)

    def _taken_apart(self, url: str) -> tuple[int, str, str]:
        return *self.identify_url(url), slot_of(url)

    def attach_body(self, candidate: UrlRecord, request: Request, spider: Spider) -> bool:
        """Add to a described request what its URL does not say of it.

        False where it cannot be kept: then it is to be dropped, which has been logged and counted.
        """
        if _says_nothing_more(request) and not candidate.again:
            self._keeping.keep_plain(candidate, request)
            return True
        return self._keeping.keep(candidate, request, spider)

    def decode(self, lease: Lease, spider: Spider) -> Request:
        """Make the Scrapy request of a lease.

        Raises ValueError if a stored request does not fit the spider any more.
        """
        if lease.body is None or lease.body == PLAIN:
            kept = None if lease.revisit else self._keeping.plain(lease)
            request = kept or _plain_request(lease)
        else:
            request = self._keeping.restore(lease, spider)
        if lease.revisit:
            request = _of_revisit(request, lease)
        request.meta[TOKEN] = lease.number
        request.priority = 0 if lease.revisit else lease.priority_class
        return request


def _of_revisit(request: Request, lease: Lease) -> Request:
    """A request for a known page: only for what has changed, where that can be asked for."""
    request = request.copy()
    if lease.attempts == 1:  # retries of the fetch that first led to the page
        request.meta.pop("retry_times", None)
    if lease.etag is not None:
        request.headers.setdefault("If-None-Match", lease.etag)
    if lease.last_modified is not None:
        request.headers.setdefault("If-Modified-Since", lease.last_modified)
    return request


def _plain_request(lease: Lease) -> Request:
    # Without a depth at the root, as Scrapy has it: DepthMiddleware counts by its absence.
    return Request(lease.url, meta={"depth": lease.depth} if lease.depth else None)


def _is_plain_get(request: Request) -> bool:
    return request.method == "GET" and not request.body and "verbatim_url" not in request.meta


def _says_nothing_more(request: Request) -> bool:
    return (
        type(request) is Request
        and request.callback is None
        and request.errback is None
        and request.method == "GET"
        and not request.body
        and not request.headers
        and not request.cookies
        and not request.cb_kwargs
        and not request.flags
        and not request.dont_filter
        and request.encoding == "utf-8"
        and request.priority == 0
        and _PLAIN_META.issuperset(request.meta)
        and "#" not in request.url
    )


class RequestFilter:
    """Asked for each request that a spider or a redirect makes."""

    def __init__(
        self, crawler: Crawler, knows: Callable[[int], bool], again: Callable[..., bool]
    ) -> None:
        """`knows` says of a fingerprint whether the frontier has met its URL; `again`, as
        `frontier.protocol.Frontier` has it, decides.
        """
        self._crawler = crawler
        self._knows = knows
        chosen = load_object(crawler.settings["DUPEFILTER_CLASS"])
        own = chosen is not RFPDupeFilter
        self._own: Any = build_from_crawler(chosen, crawler) if own else None
        self._again = again

    def open(self) -> Any:
        """Open the project's filter; what it returns is for Scrapy to wait for."""
        return self._own.open() if self._own is not None else None

    def close(self, reason: str) -> Any:
        """Close it, likewise."""
        return self._own.close(reason) if self._own is not None else None

    def drops(self, request: Request, candidate: UrlRecord, *, cut: bool) -> bool:
        """Whether a request must not be made although the frontier may not know it.

        Sets `again` of the candidate: whether it is fetched although it is known. `cut` is
        whether the same may have been asked by a process that died before the crawl had stored it.
        """
        number = candidate.fingerprint
        if self._own is None:
            candidate.again = self._again(
                number, dont_filter=request.dont_filter, known=self._knows(number)
            )
            return False
        candidate.again = True
        if request.dont_filter or not self._own.request_seen(request):
            return False
        if cut and not self._knows(number):
            return False
        self._own.log(request, self._crawler.spider)
        return True


logger = logging.getLogger(__name__)

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
    "Dropped %s, which other processes cannot fetch: %s Others are not logged; the stat "
    "frontier/unserializable counts them"
)


class _Losses:
    """Requests that cannot be kept: counted, and the first is logged."""

    def __init__(self, crawler: Crawler, level: int, message: str) -> None:
        self._crawler, self._level, self._message = crawler, level, message

    def note(self, request: Request, reason: Exception) -> None:
        stats: Any = self._crawler.stats
        if not stats.get_value("frontier/unserializable"):
            logger.log(self._level, self._message, request, reason)
        stats.inc_value("frontier/unserializable")


class RequestKeeping:
    """One of the three ways; those that lease copies keep nothing of a plain request."""

    def keep_plain(self, candidate: UrlRecord, request: Request) -> None:
        """Keep what a URL says everything about, as far as anything of it is to be kept."""

    def plain(self, lease: Lease) -> Request | None:
        """Return what `keep_plain` kept, None where that is nothing."""
        return None

    def keep(self, candidate: UrlRecord, request: Request, spider: Spider) -> bool:
        """Add a request to its description; False where it cannot be kept and is to be dropped."""
        raise NotImplementedError

    def restore(self, lease: Lease, spider: Spider) -> Request:
        """Return what `keep` kept; raises ValueError where there is no such request any more."""
        raise NotImplementedError


def keeping_of(crawler: Crawler, config: CrawlConfig) -> RequestKeeping:
    """Return the way in which a crawl keeps requests."""
    if value(crawler.settings, "FRONTIER_EXCHANGE"):
        return AcrossProcesses(crawler)
    return InMemory() if config.directory is None else InFile(crawler)


class InMemory(RequestKeeping):
    """Without JOBDIR: the very objects are leased."""

    def __init__(self) -> None:
        # Weak: a plain request can be made again from its URL, and needs no memory for that.
        self._plain: WeakValueDictionary[int, Request] = WeakValueDictionary()

    def keep_plain(self, candidate: UrlRecord, request: Request) -> None:
        self._plain[candidate.fingerprint] = request

    def keep(self, candidate: UrlRecord, request: Request, spider: Spider) -> bool:
        candidate.body, candidate.unsaved = UNSAVED, request
        return True

    def plain(self, lease: Lease) -> Request | None:
        request = self._plain.get(lease.fingerprint)
        return request if request is not None and request.url == lease.url else None

    def restore(self, lease: Lease, spider: Spider) -> Request:
        return _from_memory(lease.unsaved)


class InFile(RequestKeeping):
    """With JOBDIR: pickled, but what cannot be is kept in memory for as long as it lasts."""

    def __init__(self, crawler: Crawler) -> None:
        self._losses = _Losses(crawler, logging.WARNING, _NOT_SAVED)

    def keep(self, candidate: UrlRecord, request: Request, spider: Spider) -> bool:
        try:
            candidate.body = pickle.dumps(_fields(request, spider), protocol=4)
        except _NOT_SERIALISABLE as reason:
            candidate.body, candidate.unsaved = UNSAVED, request
            self._losses.note(request, reason)
        return True

    def restore(self, lease: Lease, spider: Spider) -> Request:
        if not lease.body:  # UNSAVED
            return _from_memory(lease.unsaved)
        try:
            return request_from_dict(pickle.loads(lease.body), spider=spider)  # noqa: S301  # own file
        except Exception as error:  # unpickling runs the classes it names, which may raise anything
            raise ValueError(described(error)) from error


class AcrossProcesses(RequestKeeping):
    """With an exchange: for whichever process fetches it; what cannot travel is dropped."""

    def __init__(self, crawler: Crawler) -> None:
        self._losses = _Losses(crawler, logging.ERROR, _NOT_SENT)

    def keep(self, candidate: UrlRecord, request: Request, spider: Spider) -> bool:
        try:
            candidate.body = seal(_fields(request, spider))
        except ValueError as reason:  # RequestBodyError, or a callback that is no method
            self._losses.note(request, reason)
            return False
        return True

    def restore(self, lease: Lease, spider: Spider) -> Request:
        fields = opened(lease.body or b"")
        _refuse_unknown_class(fields.get("_class"))
        try:
            return request_from_dict(fields, spider=spider)
        except Exception as error:  # fields that do not fit the spider, or are forged
            raise ValueError(described(error)) from error


def _refuse_unknown_class(path: object) -> None:
    """Raise RequestBodyError where a body names what is no class of requests.

    Scrapy imports and calls whatever stands there.
    """
    if path is not None and not any(path == known for known in _paths(Request)):
        raise RequestBodyError(
            f"Expected a class of requests that is imported here, but {path!r:.200} came. Import "
            "it where the spider is."
        )


def _paths(cls: type[Request]) -> Iterator[str]:
    for subclass in cls.__subclasses__():
        yield f"{subclass.__module__}.{subclass.__name__}"  # as Request.to_dict writes it
        yield from _paths(subclass)


def _fields(request: Request, spider: Spider) -> dict[str, Any]:
    fields = request.to_dict(spider=spider)
    fields["meta"] = {k: v for k, v in fields["meta"].items() if k != TOKEN}
    return fields


def _from_memory(request: Request | None) -> Request:
    if request is None:
        raise ValueError(
            "the request could not be saved when it was made (a lambda or nested function as "
            "callback?), and the process that held it has ended"
        )
    return request
