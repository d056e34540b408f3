"""What fetchers and the frontier that they share tell each other, as bytes: msgpack, deflated.

A lease goes to a fetcher (`pack_handed`), and comes back as the page that it brought, with what
rules ask of its text and with its links (`pack_page`); requests that no page led to go by
themselves (`pack_urls`). A page's text stays where it was read, but for the beginning of a sample.

Nothing in a message is executable to who reads it: `body`, the serialised request of a spider, is
bytes to the frontier. A request that could not be serialised (`unsaved`) does not cross. Whoever
reads a message allocates at most what MOST allows; lone surrogates of a text stay what they are.
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
from frontier.records import Canonical, Lease, PageRecord, UrlRecord, VisibleText
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
"""What the bytes hold."""

PAGE: Final = "page"
"""Kind of an answer, each of which ends one lease: a page that was read, with its links; an
error page too, if it has any."""
FAILED: Final = "failed"
"""The same: it is not going to be fetched, or was in vain."""
REDIRECT: Final = "redirect"
"""The same: it leads to another URL, the only link."""
RETRY: Final = "retry"
"""The same: to be fetched once more, after so many others (`hold`), in so many seconds (`wait`)."""
URLS: Final = "urls"
"""Kind of what fetchers say of their own accord: seeds, and requests that no page led to."""
EXAMPLES: Final = "examples"
"""The same: texts of the examples that the topic is to be learned from."""
REFUSED: Final = "refused"
"""The same: links that were left out, counted."""
_CORRECT = "correct the component of the project that set them"
_UPDATE = "run the same versions of scrapy-linkrank and rensa in every process of the crawl"

_Url = TypeVar("_Url", bound=UrlRecord)
_OWN: Final = ("url_id", "is_new", "unsaved")
"""What only one process knows of a URL stays behind."""
_URL: Final = tuple(one.name for one in fields(UrlRecord) if one.name not in _OWN)
_FACTS: Final = tuple(one.name for one in fields(PageRecord) if one.metadata.get("crosses", True))
_REVISIT: Final = tuple(
    name for name in Lease.__dataclass_fields__ if name not in (*_URL, *_OWN, "page")
)
WIRE_VERSION: Final = zlib.crc32(repr((_URL, _FACTS, _REVISIT)).encode())
"""Of what messages hold and in which order: of the records themselves."""
_url_values, _facts, _of_revisit = attrgetter(*_URL), attrgetter(*_FACTS), attrgetter(*_REVISIT)
_CANONICAL: Final = _URL.index("canonical")


class ToldPage(NamedTuple):
    """An answer as it came from a fetcher."""

    page: PageRecord
    """Without `seq`, `twin`, `features` and `links`, which the frontier gives it."""
    links: list[UrlRecord]
    canonical: Canonical | None
    """The address that the page names as its own, where that is heeded."""


def pack_page(
    page: PageRecord,
    links: Sequence[UrlRecord],
    canonical: Canonical | None = None,
    *,
    with_text: bool = False,
) -> bytes:
    """Return an answered lease with the links of its page, or with what it redirects to.

    `canonical`: see `ToldPage`. `with_text`: send the beginning of the text along, see
    `SampleBounds.admit`. Raises ExchangeError for a number of more than 64 bits.
    """
    with _in_plain_words("a page whose numbers fit into 64 bits", _CORRECT):
        named = canonical and (_url_row(canonical.named), canonical.may_be_new)
        text = _text_row(page, with_text=with_text)
        return _packed(_PAGE, _facts(page), text, named, [*map(_url_row, links)])


def unpack_page(data: bytes) -> ToldPage:
    """Return what `pack_page` was given; raises ExchangeError for anything else."""
    with _in_plain_words("a page as pack_page gives it", _UPDATE):
        facts, text, named, links = _unpacked(data, _PAGE)
        page = _page_of(facts)
        page.text = _text_of(text)
        of_links = [_url_of(row, UrlRecord) for row in links]
        canonical = named and Canonical(_url_of(named[0], UrlRecord), named[1])
        return ToldPage(page, of_links, canonical)


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
    """Return a lease, and the URL of its referrer; what its order knows of it stays behind.

    Raises ExchangeError for a number of more than 64 bits.
    """
    with _in_plain_words("a lease whose numbers fit into 64 bits", _CORRECT):
        return _packed(_LEASE, _facts(lease.page), referrer, _of_revisit(lease), _url_row(lease))


def unpack_lease(data: bytes) -> tuple[Lease, str | None]:
    """Return what `pack_handed` was given; raises ExchangeError for anything else."""
    with _in_plain_words("a lease as pack_handed gives it", _UPDATE):
        facts, referrer, revisit, url = _unpacked(data, _LEASE)
        page = _page_of(facts)
        lease = _url_of(url, Lease)
        lease.url_id, lease.page = page.url_id, page
        for name, value in zip(_REVISIT, revisit, strict=True):
            setattr(lease, name, value)
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
    version, found, *parts = msgpack.unpackb(
        message, unicode_errors="surrogatepass", use_list=False
    )
    if (version, found) != (WIRE_VERSION, kind):
        raise ValueError(f"a message of version {version} and kind {found}")
    return parts


def _url_row(url: UrlRecord) -> list[Any]:
    row = list(_url_values(url))
    if row[_CANONICAL] == url.url:  # as of most
        row[_CANONICAL] = None
    return row


def _url_of(row: Sequence[Any], kind: type[_Url]) -> _Url:
    one = kind.__new__(kind)  # as `__init__` would take as long as all else that is done for a link
    for name, value in zip(_URL, row, strict=True):
        setattr(one, name, value)
    if one.canonical is None:
        one.canonical = one.url
    one.url_id, one.is_new, one.unsaved = -1, False, None
    return one


def _page_of(facts: Sequence[Any]) -> PageRecord:
    known = dict(zip(_FACTS, facts, strict=True))
    known["state"] = State(known["state"])
    known["marks"] = Mark(known["marks"]) if known["marks"] else NO_MARKS
    return PageRecord(**known)


def _text_row(page: PageRecord, *, with_text: bool) -> tuple[Any, ...] | None:
    """Nobody asks for the text of what was not crawled, nor for the words of what is no prose."""
    text = page.text if page.state is State.CRAWLED else None
    if text is None:
        return None
    whole, words, signature = text.derived(digest_of)
    made = None if signature is None else signature.tobytes()
    said = text.derived(words_of) if page.is_prose else None
    return whole, words, ALGORITHM, made, said, text.beginning(LETTERS) if with_text else None


def _text_of(row: tuple[Any, ...] | None) -> VisibleText | None:
    if row is None:
        return None
    whole, words, algorithm, made, said, beginning = row
    known: dict[Any, object] = {digest_of: Digest(whole, words, _signature(made, algorithm))}
    if said is not None:
        if len(said) % 4:
            raise ValueError(f"{len(said)} bytes that are no words of a page")
        known[words_of] = said
    return VisibleText(beginning, known)


def _signature(data: bytes | None, algorithm: int) -> Signature | None:
    if data is None:
        return None
    if len(data) != SIZE or algorithm != ALGORITHM:
        raise ValueError(f"a signature of {len(data)} bytes by algorithm {algorithm} of rensa")
    return np.frombuffer(data, np.uint8)
