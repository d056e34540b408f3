"""The rows of the store as callers get them, and the blobs of a page's links.

Blobs are little-endian on every machine; `frontier/store/blobs.py` packs the texts of links. A
prediction is stored in 16 bits, with a relative precision of 1/2048; a crawl rounds predictions
with `stored_predictions` before it uses them, so that after a restart it goes on exactly as if it
had not stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from math import isfinite
from operator import attrgetter
from types import UnionType
from typing import Any, NamedTuple, TypeAlias, TypeVar, get_args, get_type_hints

import numpy as np
from numpy.typing import ArrayLike, NDArray

from frontier.records import LinkArrays, PageRow
from frontier.states import Mark, State
from frontier.store import blobs
from frontier.store.schema import LINK_COLUMNS, PAGE_FIELDS, PAGE_KINDS
from ranking.page_update import MATCHES

PLAIN = b"plain"
"""Body of a request that its URL describes completely, where it needs a row all the same."""
UNSAVED = b""
"""Body of a request that is in memory only."""

TARGETS = np.dtype("<i4")
PREDICTED = np.dtype("<f2")
FLAGS = np.dtype("u1")
FEATURES = np.dtype("<f4")
Blob: TypeAlias = bytes | bytearray
Row = TypeVar("Row", bound=tuple[Any, ...])


def stored_predictions(predicted: ArrayLike) -> NDArray[np.float32]:
    """Return predictions in [0, 1] as they will be read back: float32[k], rounded to 16 bits."""
    return np.asarray(predicted).astype(PREDICTED).astype(np.float32)


def plain(values: tuple[Any, ...], *kinds: type | UnionType) -> tuple[Any, ...]:
    """Return values of these types; ValueError where a value has another type.

    SQLite does not check types: a broken file may hold a text where a number belongs.
    """
    for value, kind in zip(values, kinds, strict=True):
        if not isinstance(value, kind):
            raise ValueError(f"a column holds {value!r:.60}")
    return values


def typed(kind: type[Row], values: Sequence[Any]) -> Row:
    """Return values as a row, a named tuple; ValueError for a value of another type."""
    for value, (name, allowed) in zip(values, _fields(kind), strict=True):
        if not isinstance(value, allowed):
            raise ValueError(f"{name} of a {kind.__name__} is {value!r:.60}")
    return kind(*values)


@cache
def _fields(kind: type[Any]) -> tuple[tuple[str, tuple[type, ...]], ...]:
    """Return the names of the fields, with the types that their values may have."""
    hints = get_type_hints(kind)
    return tuple((name, _allowed(hints[name])) for name in kind._fields)


def _allowed(hint: Any) -> tuple[type, ...]:
    kinds = get_args(hint) or (hint,)
    return (*kinds, int) if float in kinds else kinds


class RevisitColumns(NamedTuple):
    """Fields of `RevisitRow` of m pages, by id."""

    ids: NDArray[np.int64]
    first: NDArray[np.float64]
    last: NDArray[np.float64]
    revisits: NDArray[np.int64]
    changes: NDArray[np.int64]
    rated: NDArray[np.float64]
    result: NDArray[np.uint8]
    signalled: NDArray[np.float64]
    """NaN where no change is signalled."""
    lied: NDArray[np.bool_]


class UrlRow(NamedTuple):
    """The facts of a URL from the moment of its discovery."""

    url_id: int
    fingerprint: int
    url: str
    canonical: str | None
    """None where it equals `url`."""
    host: int
    depth: int
    discovered: float
    """Unix seconds."""
    referrer: int | None
    anchor: str | None
    seed: int
    """1 for a seed, else 0."""
    zone: int
    """Where on its first referrer the link stands; 0: not in a page."""

    @property
    def known_as(self) -> str:
        """The canonical URL."""
        return self.canonical or self.url


class LeaseRow(NamedTuple):
    """A leased URL, or one whose answer is held: see `Store.page`."""

    url_id: int
    rid: int | None
    """The pending request that was leased with the URL."""
    seq: int
    """Lease number."""
    at: float
    """Unix seconds."""
    attempts: int
    """Leases including this one."""
    priority: float
    score: float | None
    rank: int | None = None
    """1 + the number of better queued URLs."""
    features: bytes | None = None
    """See `stored_features`."""


class RefusalRow(NamedTuple):
    """How many links of a domain never became URLs of the crawl, for one reason."""

    reason: str
    domain: str
    links: int
    example: str
    """The first refused link."""


class PolitenessRow(NamedTuple):
    """The pause and the delay of a download slot, beyond the settings."""

    slot: str
    until: float | None
    """Unix seconds before which the slot must not be asked."""
    delay: float | None
    """Seconds between requests."""
    note: str | None


class SnapshotRow(NamedTuple):
    """The figures of a crawl at some moment; see `frontier.backend.progress.snapshots`."""

    number: int
    at: float
    figures: str
    details: str | None
    """None except in the last snapshot."""


def stored_features(row: NDArray[np.float32] | None) -> bytes | None:
    """Return the features of a URL, (d,) float32, as they are stored."""
    return None if row is None else row.astype(FEATURES, copy=False).tobytes()


def features_of(blob: bytes | None) -> NDArray[np.float32] | None:
    """Return (d,) float32; ValueError where the blob is of another length."""
    return None if blob is None else np.frombuffer(blob, FEATURES).astype(np.float32, copy=False)


def link_blobs(links: LinkArrays | None) -> tuple[bytes | None, ...]:
    """Return targets, predictions, flags, matches, anchors and contexts as they are stored."""
    if links is None:
        return (None,) * len(LINK_COLUMNS)
    matches, contexts = links.matches, links.contexts
    return (
        links.targets.astype(TARGETS, copy=False).tobytes(),
        links.predicted.astype(PREDICTED).tobytes(),
        links.flags.astype(FLAGS, copy=False).tobytes(),
        None if matches is None else matches.astype(np.uint8, copy=False).tobytes(),
        None if links.anchors is None else blobs.packed(links.anchors),
        None if contexts is None else blobs.packed(contexts),
    )


def links_of_blobs(
    targets: Blob, predicted: Blob, flags: Blob, texts: bytes | None = None
) -> LinkArrays:
    """Decode the blobs of a page; of many pages those without texts may be joined before.

    Raises ValueError where they do not fit together.
    """
    ids = np.frombuffer(targets, dtype=TARGETS).astype(np.int32, copy=False)
    return LinkArrays(
        ids,
        np.frombuffer(predicted, dtype=PREDICTED).astype(np.float32),
        np.frombuffer(flags, dtype=FLAGS),
        None if texts is None else blobs.unpacked(texts, len(ids)),
    )


def links_of_columns(columns: Sequence[Any]) -> LinkArrays | None:
    """Turn what `link_blobs` gave back; None for an answer that is no page of the link graph."""
    targets, predicted, flags, matches, texts, contexts = columns
    if targets is None:
        return None
    links = links_of_blobs(targets, predicted, flags, texts)
    if matches is None:
        return links
    count = len(links.targets)
    weighed = np.frombuffer(matches, np.uint8).reshape(-1, MATCHES)
    if len(weighed) != count:
        raise ValueError(f"expected the matches of {count} links, found {len(weighed)}")
    around = None if contexts is None else blobs.unpacked(contexts, count)
    return replace(links, matches=weighed, contexts=around)


def page_columns(page: PageRow, seq: int) -> tuple[object, ...]:
    """Return the values of table `pages` in its order; NumPy's numbers become Python's."""
    values = zip(_TO_COLUMNS, _VALUES_OF(page), strict=True)
    stored = (None if value is None else to_column(value) for to_column, value in values)
    return (seq, *stored, *link_blobs(page.links))


def page_of_columns(row: Sequence[Any]) -> PageRow:
    """Return the page of a row of table `pages`."""
    columns = zip(PAGE_FIELDS, _FROM_COLUMNS, row[: len(PAGE_FIELDS)], strict=True)
    values = {name: from_column(value) for name, from_column, value in columns}
    return PageRow(**values, links=links_of_columns(row[len(PAGE_FIELDS) :]))


def update_of_columns(row: Sequence[Any]) -> PageRow:
    """Return the page of a row of `UPDATE_RANGE`, with the fields of a page update alone."""
    url_id, state, relevance, similarity, features, marks, twin, *columns = row
    return PageRow(
        url_id=url_id,
        state=State(state),
        relevance=relevance,
        similarity=similarity,
        features=features_of(features),
        marks=Mark(marks),
        twin=twin,
        links=links_of_columns((*columns, None, None)),
    )


def check_page(page: PageRow) -> None:
    """Raise ValueError for a number that no crawl writes."""
    for share in (page.relevance, page.similarity):
        _require(share is None or 0 <= share <= 1 + _ROUNDING)
    _require(isfinite(page.fetched) and page.attempts >= 0 and 0 <= page.marks < 1 << 16)
    _require(page.lease_number is None or 0 <= page.lease_number < 1 << 53)
    if page.links is not None:
        predicted = page.links.predicted
        _require(bool(((predicted >= 0) & (predicted <= 1)).all()))


def _kept(value: Any) -> Any:
    return value


_VALUES_OF = attrgetter(*PAGE_FIELDS[1:])
_TO: dict[str, Callable[[Any], Any]] = {"int": int, "float": float, "State": int, "Mark": int}
# Otherwise sqlite3 would store a NumPy integer as a blob.
_TO |= {"int | None": int, "float | None": float, "NDArray[np.float32] | None": stored_features}
_FROM: dict[str, Callable[[Any], Any]] = {
    "State": State,
    "Mark": Mark,
    "NDArray[np.float32] | None": features_of,
}
_TO_COLUMNS = [_TO.get(kind, _kept) for kind in PAGE_KINDS[1:]]
_FROM_COLUMNS = [_FROM.get(kind, _kept) for kind in PAGE_KINDS]


_ROUNDING = 1e-6


def _require(condition: bool) -> None:  # noqa: FBT001  # an assertion
    if not condition:
        raise ValueError("it holds a number that is out of range")
