"""The rows of the store as callers see them, and how a page's links become blobs.

Blobs are little-endian whatever the machine; how the texts of the links are packed is told in
`frontier/store/blobs.py`. A promise is kept in 16 bits, relative precision
1/2048; a crawl that must go on after a restart exactly as if it had not stopped rounds with
`stored_promises` before it uses one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from math import isfinite
from types import UnionType
from typing import Any, NamedTuple, TypeVar, get_args, get_type_hints

import numpy as np
from numpy.typing import ArrayLike, NDArray

from frontier.states import NO_MARKS, Mark, State
from frontier.store import blobs
from frontier.store.link_text import LinkText, features_of
from frontier.store.schema import COLUMNS

PLAIN = b"plain"
"""Body of a request that its URL says everything about, where it needs a row all the same."""

TARGETS = np.dtype("<i4")
PROMISES = np.dtype("<f2")
FLAGS = np.dtype("u1")
Row = TypeVar("Row", bound=tuple[Any, ...])


def stored_promises(promises: ArrayLike) -> NDArray[np.float32]:
    """Return promises in [0, 1] as they will be read back: float32[k], rounded to 16 bits."""
    return np.asarray(promises).astype(PROMISES).astype(np.float32)


def plain(values: tuple[Any, ...], *kinds: type | UnionType) -> tuple[Any, ...]:
    """Return values of these types; ValueError where one is not.

    SQLite gives whatever lies in the file: a broken one may hold a text where a number belongs.
    """
    for value, kind in zip(values, kinds, strict=True):
        if not isinstance(value, kind):
            raise ValueError(f"a column holds {value!r:.60}")
    return values


def typed(kind: type[Row], values: Sequence[Any]) -> Row:
    """Return values as a row, a named tuple; ValueError where one is not of its field's type."""
    for value, (name, allowed) in zip(values, _fields(kind), strict=True):
        if not isinstance(value, allowed):
            raise ValueError(f"{name} of a {kind.__name__} is {value!r:.60}")
    return kind(*values)


@cache
def _fields(kind: type[Any]) -> tuple[tuple[str, tuple[type, ...]], ...]:
    """The names of the fields, and the types that their values may have."""
    hints = get_type_hints(kind)
    return tuple((name, _allowed(hints[name])) for name in kind._fields)


def _allowed(hint: Any) -> tuple[type, ...]:
    kinds = get_args(hint) or (hint,)
    return (*kinds, int) if float in kinds else kinds


class UrlRow(NamedTuple):
    """What is known of a URL from the moment it is found."""

    url_id: int
    fingerprint: int
    url: str
    canonical: str | None
    """None where it equals `url`."""
    host: int
    depth: int
    found: float
    """Unix seconds."""
    referrer: int | None
    anchor: str | None
    seed: int
    """1 for a seed, else 0."""

    @property
    def known_as(self) -> str:
        """The canonical URL."""
        return self.canonical or self.url


class LeaseRow(NamedTuple):
    """A URL that was handed out, and not answered or not done with: see `Store.page`."""

    url_id: int
    rid: int | None
    """The pending request it was handed out with."""
    seq: int
    """Hand-out number."""
    at: float
    """Unix seconds."""
    attempts: int
    """Hand-outs including this one."""
    priority: float
    score: float | None
    rank: int | None = None
    """1 + the queued URLs that were better."""
    features: bytes | None = None
    """See `stored_features` in `frontier/store/link_text.py`."""


class RefusalRow(NamedTuple):
    """How many links of a domain never became URLs of the crawl, for one reason."""

    reason: str
    domain: str
    links: int
    example: str
    """The first of them."""


class PolitenessRow(NamedTuple):
    """What a download slot has asked for, beyond the settings."""

    slot: str
    until: float | None
    """Unix seconds before which it must not be asked."""
    delay: float | None
    """Seconds between requests."""
    note: str | None


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """The out-links of a page, parallel arrays of one length k."""

    targets: NDArray[np.int32]
    promises: NDArray[np.float32]
    flags: NDArray[np.uint8]
    anchors: tuple[str, ...] | None = None
    """Texts of the links, "" for one without; None where they were not kept or not asked for."""
    said: LinkText | None = None
    """None without a topic, and where it was not asked for."""

    def __post_init__(self) -> None:
        assert len(self.targets) == len(self.promises) == len(self.flags)
        assert self.anchors is None or len(self.anchors) == len(self.targets)
        assert self.said is None or len(self.said.voices) == len(self.targets)

    def blobs(self) -> tuple[bytes | None, ...]:
        """Return targets, promises, flags, cues, voices, anchors and contexts as stored."""
        cues, voices, contexts = (None, None, None) if self.said is None else self.said.blobs()
        return (
            self.targets.astype(TARGETS, copy=False).tobytes(),
            self.promises.astype(PROMISES).tobytes(),
            self.flags.astype(FLAGS, copy=False).tobytes(),
            cues,
            voices,
            None if self.anchors is None else blobs.packed(self.anchors),
            contexts,
        )

    @classmethod
    def from_blobs(
        cls, targets: bytes, promises: bytes, flags: bytes, texts: bytes | None = None
    ) -> Links:
        """Decode the blobs of a page; of many pages those without texts may be joined before.

        Raises ValueError where they do not fit together.
        """
        ids = np.frombuffer(targets, dtype=TARGETS).astype(np.int32, copy=False)
        return cls(
            ids,
            np.frombuffer(promises, dtype=PROMISES).astype(np.float32),
            np.frombuffer(flags, dtype=FLAGS),
            None if texts is None else blobs.unpacked(texts, len(ids)),
        )

    @classmethod
    def from_columns(cls, blobs: Sequence[Any]) -> Links | None:
        """Turn what `blobs` gave back; None for an answer that is no page of the link graph."""
        targets, promises, flags, cues, voices, texts, contexts = blobs
        if targets is None:
            return None
        links = cls.from_blobs(targets, promises, flags, texts)
        said = LinkText.from_blobs(cues, voices, contexts, len(links.targets))
        return links if said is None else replace(links, said=said)


class StoredLesson(NamedTuple):
    """What a fetched page taught, as a crawl that goes on is told it once more."""

    url_id: int
    relevance: float | None
    similarity: float | None
    judged: bool
    """Whether the relevance is the page's own: not of a redirect, nor of what was not judged."""
    features: NDArray[np.float32] | None
    links: Links
    marks: Mark = NO_MARKS
    twin: int | None = None

    @classmethod
    def from_columns(cls, row: tuple[Any, ...]) -> StoredLesson:
        """Turn a row of the store's lessons back; ValueError where blobs do not fit."""
        url_id, state, relevance, similarity, features, marks, twin, *blobs = row
        links = Links.from_columns((*blobs, None, None))
        assert links is not None
        judged = state == State.CRAWLED and relevance is not None
        known = features_of(features)
        return cls(url_id, relevance, similarity, judged, known, links, Mark(marks), twin)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRow:
    """What one answer said: a page, an error, or the reason why nothing was fetched."""

    url_id: int
    state: State
    fetched: float
    """Unix seconds of the answer."""
    attempts: int = 1
    handout: int | None = None
    """Hand-out number of the lease it answers."""
    leased: float | None = None
    """Unix seconds of the hand-out."""
    status: int | None = None
    error: str | None = None
    final_url: str | None = None
    title: str | None = None
    hash: bytes | None = None
    length: int | None = None
    """Characters of visible text."""
    relevance: float | None = None
    similarity: float | None = None
    priority: float | None = None
    """Priority, score, rank and features it had when it was handed out, as in `LeaseRow`."""
    score: float | None = None
    rank: int | None = None
    marks: Mark = NO_MARKS
    twin: int | None = None
    """Id of the page that it repeats or names as the one to keep."""
    features: bytes | None = None
    links: Links | None = field(default=None, compare=False)
    """None: not a page of the link graph. A fetched page without links has empty arrays."""
    seq: int | None = None
    """Answer number; the store gives it."""

    def columns(self, seq: int) -> tuple[object, ...]:
        """Return the values of table `pages` in its order; NumPy's numbers become Python's."""
        return (
            seq,
            int(self.url_id),
            int(self.state),
            _whole(self.status),
            self.error,
            int(self.attempts),
            _whole(self.handout),
            _real(self.leased),
            float(self.fetched),
            self.final_url,
            self.title,
            self.hash,
            _whole(self.length),
            _real(self.relevance),
            _real(self.similarity),
            _real(self.priority),
            _real(self.score),
            _whole(self.rank),
            int(self.marks),
            _whole(self.twin),
            self.features,
            *((None,) * _BLOBS if self.links is None else self.links.blobs()),
        )

    def check(self) -> None:
        """Raise ValueError where a number is one that no crawl writes."""
        for share in (self.relevance, self.similarity):
            _require(share is None or 0 <= share <= 1 + _ROUNDING)
        _require(isfinite(self.fetched) and self.attempts >= 0 and 0 <= self.marks < 1 << 16)
        _require(self.handout is None or 0 <= self.handout < 1 << 53)
        features_of(self.features)
        if self.links is not None:
            promises, sizes = self.links.promises, {len(self.links.promises)}
            sizes |= {len(self.links.targets), len(self.links.flags)}
            _require(len(sizes) == 1 and bool(((promises >= 0) & (promises <= 1)).all()))

    @classmethod
    def from_columns(cls, row: tuple[object, ...]) -> PageRow:
        """Turn a row of table `pages` back."""
        values = dict(zip(_PAGE_FIELDS, row, strict=False))
        links = Links.from_columns(row[-_BLOBS:])
        values["state"] = State(values["state"])
        values["marks"] = Mark(values["marks"])
        return cls(**values, links=links)


_BLOBS = 7
"""Columns behind the fields: what a page's links are stored as."""
_PAGE_FIELDS = ("seq", "url_id", *COLUMNS["pages"][2:-_BLOBS])


_ROUNDING = 1e-6


def _require(condition: bool) -> None:  # noqa: FBT001  # an assertion
    if not condition:
        raise ValueError("it holds a number that is out of range")


def _whole(value: int | None) -> int | None:
    # sqlite3 stores a NumPy integer as a blob without a word.
    return None if value is None else int(value)


def _real(value: float | None) -> float | None:
    return None if value is None else float(value)
