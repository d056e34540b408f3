"""What became of a page, as it is handed on."""

from __future__ import annotations

from dataclasses import dataclass, fields
from hashlib import sha256
from operator import attrgetter
from typing import Any, Final, Literal

EPOCH_BITS: Final = 24
"""Bits of a version that hold the last re-rank; those above, the number of the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageEvent:
    """What became of a page. An upsert has all that is known of its page, nothing adds to it."""

    cursor: str
    """The place behind this event, from which a follower may go on."""
    id: str
    """SHA-256 of the canonical URL, 64 hexadecimal digits."""
    url: str
    op: Literal["upsert", "delete"]
    change: Literal["new", "changed", "gone", "moved", "rescored"]
    """A page that asks not to be indexed any more is deleted as `changed`."""
    version: int
    """Below 2^63; grows with each event of the page, also after the crawl was resumed."""
    seen: str | None
    """ISO 8601, when the page was answered."""
    previous: str | None
    """ISO 8601, the visit before."""
    final_url: str | None
    """Where its redirects led, of a page that moved: where it is now."""
    canonical: str
    content_hash: str | None
    """128-bit BLAKE2b of the body, hexadecimal."""
    title: str | None
    text: str | None
    text_from: Literal["store", "warc", "none"]
    """Where the text comes from; `none`: it is not known."""
    relevance: float | None
    """[0, 1]; None where the page was not judged."""
    score: float | None
    """Link score of the last saved re-rank; before the first, that of its lease."""

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by name, in their order."""
        return dict(zip(_NAMES, _values(self), strict=True))


_NAMES: Final = tuple(field.name for field in fields(PageEvent))
_values = attrgetter(*_NAMES)


def event_id(canonical: str) -> str:
    """Return the id of a page, by its canonical URL."""
    return sha256(canonical.encode("utf-8", "replace")).hexdigest()
