"""The messages between fetchers and the frontier that they share, as bytes: msgpack, deflated.

A lease goes to a fetcher (`pack_lease`), and comes back as the page of its URL, with its links and
with what rules need of its text (`pack_page`); requests that no page led to travel by themselves
(`pack_urls`). The text of a page stays where it was read, but for the beginning of a sample.

A message executes nothing in its reader: `body`, the serialised request of a spider, is bytes to
the frontier. A request that could not be serialised (`unsaved`) does not cross. A reader allocates
at most what MOST allows; lone surrogates of a text stay what they are.
"""

from __future__ import annotations

import zlib
from contextlib import contextmanager
from dataclasses import fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import numpy as np

from frontier.duplicates.minhash import ALGORITHM, SIZE, Digest, digest_of
from frontier.errors import ExchangeError, described
from frontier.records import Canonical, Lease, Page, UrlRecord, VisibleText
from frontier.states import NO_MARKS, Mark, State
from frontier.topic.samples import LETTERS
from frontier.traps.new_text import words_of

try:
    import msgpack
except ImportError as missing:
    raise ExchangeError(
        f"An exchange needs msgpack, which is not here ({missing}). "
        "Install it: pip install scrapy-linkrank[shared]"
    ) from missing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from frontier.duplicates.minhash import Signature

MOST: Final = 1 << 28
"""Bytes of a message: many times what is read of the largest page."""
_LEVEL: Final = 1  # of zlib: a page's links take a fifth
_PAGE, _URLS, _LEASE = range(1, 4)
"""Kinds of bytes."""

PAGE: Final = "page"
"""Kind of an answer, each of which ends one lease: a page that was read, with its links; an
error page too, if it has any."""
FAILED: Final = "failed"
"""The same: its URL is not going to be fetched, or could not be."""
REDIRECT: Final = "redirect"
"""The same: its URL redirects to the only link."""
RETRY: Final = "retry"
"""The same: its URL is to be fetched once more, after so many others (`hold`), in so many seconds
(`wait`)."""
URLS: Final = "urls"
"""Kind of a message that answers no lease: seeds, and requests that no page led to."""
EXAMPLES: Final = "examples"
"""The same: texts of the examples from which the topic is to be learned."""
REFUSED: Final = "refused"
"""The same: counts of refused links."""
_CORRECT = "correct the component of the project that set them"
_UPDATE = "run the same versions of scrapy-linkrank and rensa in every process of the crawl"

_Url = TypeVar("_Url", bound=UrlRecord)
_OWN: Final = ("url_id", "is_new", "unsaved")
"""Fields that mean something in one process only stay behind."""
_URL: Final = tuple(field.name for field in fields(UrlRecord) if field.name not in _OWN)
_PAGE_FIELDS: Final = tuple(
    field.name for field in fields(Page) if field.metadata.get("crosses", True)
)
_AT_OWNER: Final = ("is_new", "unsaved", "features", "held", "interrupted")
_LEASE_FIELDS: Final = tuple(
    field.name for field in fields(Lease) if field.name not in (*_URL, *_AT_OWNER)
)
WIRE_VERSION: Final = zlib.crc32(repr((_URL, _PAGE_FIELDS, _LEASE_FIELDS)).encode())
"""Checksum of the fields of messages in their order: it follows from the classes."""
_url_values = attrgetter(*_URL)
_page_values = attrgetter(*_PAGE_FIELDS)
_lease_values = attrgetter(*_LEASE_FIELDS)
_CANONICAL: Final = _URL.index("canonical")


class AnsweredPage(NamedTuple):
    """An answer of a fetcher."""

    page: Page
    links: list[UrlRecord]
    canonical: Canonical | None
    """The address that the page names as its own, where that is used."""


def pack_page(
    page: Page,
    links: Sequence[UrlRecord],
    canonical: Canonical | None = None,
    *,
    with_text: bool = False,
) -> bytes:
    """Return an answered lease with the links of its page, or with the target of its redirect.

    `canonical`: see `AnsweredPage`. `with_text`: send the beginning of the text along, see
    `SampleBounds.admit`. Raises ExchangeError for a number of more than 64 bits.
    """
    with _in_plain_words("a page whose numbers fit into 64 bits", _CORRECT):
        named = canonical and (_url_row(canonical.named), canonical.may_be_new)
        text = _text_row(page, with_text=with_text)
        return _packed(_PAGE, _page_values(page), text, named, [*map(_url_row, links)])


def unpack_page(data: bytes) -> AnsweredPage:
    """Return what `pack_page` was given; raises ExchangeError for anything else."""
    with _in_plain_words("a page as pack_page gives it", _UPDATE):
        values, text, named, links = _unpacked(data, _PAGE)
        page = _page_of(values, _text_of(text))
        of_links = [_url_of(row, UrlRecord) for row in links]
        canonical = named and Canonical(_url_of(named[0], UrlRecord), named[1])
        return AnsweredPage(page, of_links, canonical)


def pack_urls(urls: Sequence[UrlRecord]) -> bytes:
    """Return requests that no page led to: seeds, those of a spider, retries.

    Raises ExchangeError for a number of more than 64 bits.
    """
    with _in_plain_words("URLs whose numbers fit into 64 bits", _CORRECT):
        return _packed(_URLS, [*map(_url_row, urls)])


def unpack_urls(data: bytes) -> list[UrlRecord]:
    """Return what `pack_urls` was given; raises ExchangeError for anything else."""
    with _in_plain_words("URLs as pack_urls gives them", _UPDATE):
        (urls,) = _unpacked(data, _URLS)
        return [_url_of(row, UrlRecord) for row in urls]


def pack_lease(lease: Lease, referrer: str | None = None) -> bytes:
    """Return a lease with the URL of its referrer, without the order's knowledge of it.

    Raises ExchangeError for a number of more than 64 bits.
    """
    with _in_plain_words("a lease whose numbers fit into 64 bits", _CORRECT):
        return _packed(_LEASE, _lease_values(lease), referrer, _url_row(lease))


def unpack_lease(data: bytes) -> tuple[Lease, str | None]:
    """Return what `pack_lease` was given; raises ExchangeError for anything else."""
    with _in_plain_words("a lease as pack_lease gives it", _UPDATE):
        values, referrer, url = _unpacked(data, _LEASE)
        lease = _url_of(url, Lease)
        lease.features, lease.held = None, False
        for name, value in zip(_LEASE_FIELDS, values, strict=True):
            setattr(lease, name, value)
        lease.interrupted = lease.attempts > 1
        return lease, referrer


@contextmanager
def _in_plain_words(what: str, remedy: str) -> Iterator[None]:
    try:
        yield
    except (zlib.error, ValueError, TypeError, LookupError, OverflowError) as error:
        raise ExchangeError(f"expected {what}, got {described(error)}; {remedy}") from error


def _packed(kind: int, *parts: Any) -> bytes:
    message = (WIRE_VERSION, kind, *parts)
    data: bytes = msgpack.packb(message, unicode_errors="surrogatepass", default=_plain)
    if len(data) > MOST:
        raise ValueError(f"{len(data)} bytes where {MOST} are allowed")
    return zlib.compress(data, _LEVEL)


def _plain(value: Any) -> Any:
    """Return a number of numpy as one of Python."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a {type(value).__name__}")


def _unpacked(data: bytes, kind: int) -> list[Any]:
    inflater = zlib.decompressobj()
    message = inflater.decompress(data, MOST)
    if not inflater.eof or inflater.unused_data:
        raise ValueError(f"{len(data)} bytes that are cut, go on, or hold more than {MOST}")
    parts: list[Any]
    version, its_kind, *parts = msgpack.unpackb(
        message, unicode_errors="surrogatepass", use_list=False
    )
    if (version, its_kind) != (WIRE_VERSION, kind):
        raise ValueError(f"a message of version {version} and kind {its_kind}")
    return parts


def _url_row(url: UrlRecord) -> list[Any]:
    row = list(_url_values(url))
    if row[_CANONICAL] == url.url:  # as of most
        row[_CANONICAL] = None
    return row


def _url_of(row: Sequence[Any], kind: type[_Url]) -> _Url:
    url = kind.__new__(kind)  # `__init__` would double the time that a link takes
    for name, value in zip(_URL, row, strict=True):
        setattr(url, name, value)
    if url.canonical is None:
        url.canonical = url.url
    url.url_id, url.is_new, url.unsaved = -1, False, None
    return url


def _page_of(values: Sequence[Any], text: VisibleText | None) -> Page:
    known = dict(zip(_PAGE_FIELDS, values, strict=True))
    known["state"] = State(known["state"])
    known["marks"] = Mark(known["marks"]) if known["marks"] else NO_MARKS
    return Page(**known, text=text)


def _text_row(page: Page, *, with_text: bool) -> tuple[Any, ...] | None:
    """Return the digest of a page's text, without words if it is no prose; None if it failed."""
    text = page.text if page.state is State.CRAWLED else None
    if text is None:
        return None
    whole, words, signature = text.derived(digest_of)
    made = None if signature is None else signature.tobytes()
    prose = text.derived(words_of) if page.is_prose else None
    return whole, words, ALGORITHM, made, prose, text.beginning(LETTERS) if with_text else None


def _text_of(row: tuple[Any, ...] | None) -> VisibleText | None:
    if row is None:
        return None
    whole, words, algorithm, made, prose, beginning = row
    known: dict[Any, object] = {digest_of: Digest(whole, words, _signature(made, algorithm))}
    if prose is not None:
        if len(prose) % 4:
            raise ValueError(f"{len(prose)} bytes that are no words of a page")
        known[words_of] = prose
    return VisibleText(beginning, known)


def _signature(data: bytes | None, algorithm: int) -> Signature | None:
    if data is None:
        return None
    if len(data) != SIZE or algorithm != ALGORITHM:
        raise ValueError(f"a signature of {len(data)} bytes by algorithm {algorithm} of rensa")
    return np.frombuffer(data, np.uint8)
