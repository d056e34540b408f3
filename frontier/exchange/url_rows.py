"""URLs in a message: a row of numbers each, and one more of those that are unlike the others.

Most links of a page are of one depth and a few slots, and their canonical URL is what is fetched.
What is unlike them in this, or has a request of its own, has its second row behind all others.
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Final

from frontier.exchange.message import size_of
from frontier.records import UrlRecord
from ranking.lesson import CUES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from frontier.exchange.message import Reader, Writer

_SITE: Final = Struct("<IIq")
"""How many URLs and slots; the depth that most have."""
_SIZE: Final = Struct("<i")
_URL: Final = Struct("<qdIIIIiIBB3B")
"""Fingerprint, promise, voice, zone, slot; sizes of URL, anchor and context; flags, bits, cues."""
_SEED, _AGAIN, _WEIGHED, _MORE, _ASKED = 1, 2, 4, 8, 16
_REST: Final = Struct("<qqqii")
"""What few URLs have: another depth, a class, a referrer; sizes of canonical URL and body."""
_NO_CUES: Final = (0,) * CUES


def write_urls(out: Writer, urls: Sequence[UrlRecord]) -> None:
    """Add URLs; what only one process knows of them stays behind: `url_id`, `is_new`, `unsaved`."""
    slots = {slot: at for at, slot in enumerate(dict.fromkeys(one.slot for one in urls))}
    depth = urls[0].depth if urls else 0
    out.add(_SITE, len(urls), len(slots), depth)
    for slot in slots:
        out.add(_SIZE, len(slot))
    out.add_texts(*slots)
    unlike = []
    for one in urls:
        anchor, context, cues = one.anchor, one.context, one.cues
        bits = _SEED * one.seed | _AGAIN * one.again | _ASKED * one.asked
        if cues is not None:
            bits |= _WEIGHED
        if _has_more(one, depth):
            bits |= _MORE
            unlike.append(one)
        out.numbers.append(
            _URL.pack(
                *(one.fingerprint, one.promise, one.voice, one.zone, slots[one.slot]),
                *(len(one.url), -1 if anchor is None else len(anchor), len(context)),
                *(one.flags, bits),
                *(_NO_CUES if cues is None else cues),
            )
        )
        out.texts += (one.url, anchor or "", context)
    for one in unlike:
        _write_rest(out, one)


def _has_more(one: UrlRecord, depth: int) -> bool:
    return (
        one.depth != depth
        or one.canonical != one.url
        or one.priority_class != 0
        or one.referrer is not None
        or one.body is not None
    )


def _write_rest(out: Writer, one: UrlRecord) -> None:
    canonical = None if one.canonical == one.url else one.canonical
    referrer = -1 if one.referrer is None else one.referrer
    sizes = size_of(canonical), size_of(one.body)
    out.add(_REST, one.depth, one.priority_class, referrer, *sizes)
    out.add_texts(canonical)
    out.add_bytes(one.body)


def read_urls(found: Reader) -> list[UrlRecord]:
    """The URLs that come next."""
    n, n_slots, depth = found.take(_SITE)
    slots = [found.take_text(size) or "" for (size,) in found.rows(_SIZE, n_slots)]
    text, at = found.text, found.read
    urls, unlike = [], []
    for row in found.rows(_URL, n):
        number, promise, voice, zone, slot, of_url, of_anchor, of_context, flags, bits, *cues = row
        # Field by field: `__init__` would take as long as all else that is done for a link.
        one = UrlRecord.__new__(UrlRecord)
        urls.append(one)
        one.url = one.canonical = text[at : at + of_url]
        at += of_url
        one.anchor = None
        if of_anchor >= 0:
            one.anchor = text[at : at + of_anchor]
            at += of_anchor
        one.context = text[at : at + of_context]
        at += of_context
        one.fingerprint, one.slot, one.depth = number, slots[slot], depth
        one.promise, one.voice, one.zone, one.flags = promise, voice, zone, flags
        one.cues = tuple(cues) if bits & _WEIGHED else None
        one.seed, one.again = bits & _SEED > 0, bits & _AGAIN > 0
        one.asked = bits & _ASKED > 0
        one.url_id, one.is_new, one.priority_class = -1, False, 0
        one.body = one.unsaved = one.referrer = None
        if bits & _MORE:
            unlike.append(one)
    found.read = at
    for one in unlike:
        _read_rest(found, one)
    return urls


def _read_rest(found: Reader, one: UrlRecord) -> None:
    one.depth, one.priority_class, referrer, of_canonical, of_body = found.take(_REST)
    one.referrer = None if referrer < 0 else referrer
    canonical = found.take_text(of_canonical)
    if canonical is not None:
        one.canonical = canonical
    one.body = found.take_bytes(of_body)
