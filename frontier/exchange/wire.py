"""What fetchers and the frontier that they share tell each other, as bytes.

A hand-out goes to a fetcher (`pack_handed`), and comes back as the page that it brought, with what
rules ask of its text and with its links (`pack_page`); requests that no page led to go by
themselves (`pack_urls`). A page's text stays where it was read, but for the beginning of a sample.

Nothing in a message is executable to who reads it: `body`, the serialised request of a spider, is
bytes to the frontier. A request that could not be serialised (`unsaved`) does not cross.
"""

from __future__ import annotations

from dataclasses import fields
from struct import Struct
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from frontier.duplicates.minhash import ALGORITHM, SIZE, Digest, digest_of
from frontier.exchange.message import Reader, Writer, in_plain_words, size_of
from frontier.exchange.url_rows import read_urls, write_urls
from frontier.page_text import PageText
from frontier.records import HandedOut, PageRecord, UrlRecord
from frontier.states import NO_MARKS, Mark, State
from frontier.topic.samples import LETTERS
from frontier.traps.new_text import words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from frontier.duplicates.minhash import Signature

_CORRECT = "correct the component of the project that set them"
_UPDATE = "run the same versions of scrapy-linkrank and rensa in every process of the crawl"
_PAGE, _URLS, _HANDED = range(1, 4)
"""Kinds of messages."""
_FACTS: Final = Struct("<IqqBqB4q6d4i")
"""Which of _MAYBE there are, id, attempts, state, marks, bits; _MAYBE; sizes of texts and hash."""
_MAYBE: Final = (
    *("status", "handout", "length", "rank"),
    *("fetched", "leased", "relevance", "similarity", "priority", "score"),
)
_PROSE, _HELD = 1, 2
_OF_TEXT: Final = Struct("<?QQBiii")
"""Whether there is one; digest, algorithm of its signature; sizes of that, words and beginning."""
_NO_TEXT: Final = (False, 0, 0, 0, -1, -1, -1)
_NAMED: Final = Struct("<B")
"""0 without a canonical address, 1 with one in front of the links, 2 if it is asked for too."""
_REFERRER: Final = Struct("<i")
"""Size of a URL."""
_OF_URL: Final = tuple(one.name for one in fields(UrlRecord))


class ToldPage(NamedTuple):
    """An answer as it came from a fetcher."""

    page: PageRecord
    """Without `seq`, `twin`, `features` and `links`, which the frontier gives it."""
    links: list[UrlRecord]
    named: UrlRecord | None
    """The address that the page names as canonical, where that is heeded."""
    follows_named: bool
    """Whether it is asked for even if nothing else led to it."""


def pack_page(
    page: PageRecord,
    links: Sequence[UrlRecord],
    *,
    named: UrlRecord | None = None,
    follows_named: bool = False,
    with_text: bool = False,
) -> bytes:
    """Return an answered hand-out with the links of its page, or with what it redirects to.

    `named` and `follows_named`: see `ToldPage`. `with_text`: send the beginning of the text along,
    see `SampleBounds.admit`. Raises ExchangeError for a number that does not fit into its column.
    """
    with in_plain_words("a page whose numbers fit into 64 bits", _CORRECT):
        out = Writer()
        _write_page(out, page)
        _write_text(out, page, with_text=with_text)
        out.add(_NAMED, 0 if named is None else 1 + follows_named)
        write_urls(out, links if named is None else [named, *links])
        return out.message(_PAGE)


def unpack_page(data: bytes) -> ToldPage:
    """Return what `pack_page` was given; raises ExchangeError for anything else."""
    with in_plain_words("a page as pack_page gives it", _UPDATE):
        found = Reader(data, _PAGE)
        page = _read_page(found)
        page.text = _read_text(found)
        (named,) = found.take(_NAMED)
        links = read_urls(found)
        found.close()
        return ToldPage(page, links, links.pop(0) if named else None, named > 1)


def pack_urls(urls: Sequence[UrlRecord]) -> bytes:
    """Return requests that no page led to: seeds, those of a spider, retries.

    Raises ExchangeError for a number that does not fit into its column.
    """
    with in_plain_words("URLs whose numbers fit into 64 bits", _CORRECT):
        out = Writer()
        write_urls(out, urls)
        return out.message(_URLS)


def unpack_urls(data: bytes) -> list[UrlRecord]:
    """Return what `pack_urls` was given; raises ExchangeError for anything else."""
    with in_plain_words("URLs as pack_urls gives them", _UPDATE):
        found = Reader(data, _URLS)
        urls = read_urls(found)
        found.close()
        return urls


def pack_handed(handed: HandedOut, referrer: str | None = None) -> bytes:
    """Return a hand-out, and the URL of its referrer; what its order knows of it stays behind.

    Raises ExchangeError for a number that does not fit into its column.
    """
    with in_plain_words("a hand-out whose numbers fit into 64 bits", _CORRECT):
        out = Writer()
        _write_page(out, handed.page)
        out.add(_REFERRER, size_of(referrer))
        out.add_texts(referrer)
        write_urls(out, [handed])
        return out.message(_HANDED)


def unpack_handed(data: bytes) -> tuple[HandedOut, str | None]:
    """Return what `pack_handed` was given; raises ExchangeError for anything else."""
    with in_plain_words("a hand-out as pack_handed gives it", _UPDATE):
        found = Reader(data, _HANDED)
        page = _read_page(found)
        referrer = found.take_text(*found.take(_REFERRER))
        (url,) = read_urls(found)
        found.close()
        url.url_id = page.url_id
        return HandedOut(**{name: getattr(url, name) for name in _OF_URL}, page=page), referrer


def _write_page(out: Writer, page: PageRecord) -> None:
    maybe = [getattr(page, name) for name in _MAYBE]
    given = sum(1 << at for at, value in enumerate(maybe) if value is not None)
    texts = page.error, page.final_url, page.title
    out.add(
        *(_FACTS, given, page.url_id, page.attempts, page.state, page.marks),
        _PROSE * page.is_prose | _HELD * page.held,
        *(0 if value is None else value for value in maybe),
        *(*map(size_of, texts), size_of(page.hash)),
    )
    out.add_texts(*texts)
    out.add_bytes(page.hash)


def _read_page(found: Reader) -> PageRecord:
    given, url_id, attempts, state, marks, bits, *values = found.take(_FACTS)
    *maybe, error, final_url, title, body = values
    known = {name: maybe[at] for at, name in enumerate(_MAYBE) if given >> at & 1}
    return PageRecord(
        url_id=url_id,
        attempts=attempts,
        state=State(state),
        marks=Mark(marks) if marks else NO_MARKS,
        is_prose=bool(bits & _PROSE),
        held=bool(bits & _HELD),
        error=found.take_text(error),
        final_url=found.take_text(final_url),
        title=found.take_text(title),
        hash=found.take_bytes(body),
        **known,
    )


def _write_text(out: Writer, page: PageRecord, *, with_text: bool) -> None:
    """Nobody asks for the text of what was not crawled, nor for the words of what is no prose."""
    text = page.text if page.state is State.CRAWLED else None
    if text is None:
        out.add(_OF_TEXT, *_NO_TEXT)
        return
    whole, words, signature = text.derived(digest_of)
    made = None if signature is None else signature.tobytes()
    said = text.derived(words_of) if page.is_prose else None
    beginning = text.beginning(LETTERS) if with_text else None
    sizes = size_of(made), size_of(said), size_of(beginning)
    out.add(_OF_TEXT, True, whole, words, ALGORITHM, *sizes)
    out.add_bytes(made, said)
    out.add_texts(beginning)


def _read_text(found: Reader) -> PageText | None:
    there, whole, words, algorithm, *sizes = found.take(_OF_TEXT)
    if not there:
        return None
    signature = _signature(found.take_bytes(sizes[0]), algorithm)
    made: dict[Any, object] = {digest_of: Digest(whole, words, signature)}
    said = found.take_bytes(sizes[1])
    if said is not None:
        if len(said) % 4:
            raise ValueError(f"{len(said)} bytes that are no words of a page")
        made[words_of] = said
    return PageText(found.take_text(sizes[2]), made)


def _signature(data: bytes | None, algorithm: int) -> Signature | None:
    if data is None:
        return None
    if len(data) != SIZE or algorithm != ALGORITHM:
        raise ValueError(f"a signature of {len(data)} bytes by algorithm {algorithm} of rensa")
    return np.frombuffer(data, np.uint8)
