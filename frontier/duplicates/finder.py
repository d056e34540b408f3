"""The page that a new page repeats, if any.

A page is an exact copy of a remembered page with the same body, or with the same text unless that
is short. It is a near-duplicate where the similarity of the two texts reaches the policy's.

Menus and footers make all pages of a site alike, the more the less text of their own they have. So
the text that any page of the twin's host has in common with this page is estimated too, from the
last few pages of the host, and taken out: a near-duplicate has most of its own text in common with
its twin. With a share b in common with any page of the host, and a similarity s with the twin, both
texts being of a length, the own texts are alike to

    x / (2 - x)    where    x = (s (B + 2) - B) / (1 + s)    and    B = 2 b / (1 - b)

(B: the common text, x: the shared part of the own texts, each in lengths of an own text.) Where no
other page of the host is known, pages with different titles must be more alike.
"""

from __future__ import annotations

import struct
from collections import OrderedDict, deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from frontier.duplicates.index import KeyArray, KeyIndex, keys_of
from frontier.duplicates.minhash import ALGORITHM, SIZE, Digest, Signature, likeness
from frontier.errors import SettingsError
from ranking.arrays import Column

OWN_SHARE: Final = 0.5
"""Least similarity of the own texts of two near-duplicates."""
NAMED_APART: Final = 0.95
"""Similarity from which pages of one host with different titles are near-duplicates, while no other
page of the host is known."""
HOST_PAGES: Final = 8
"""Last pages of a host by which the text that all its pages share is known."""
HOSTS: Final = 5_000
"""Hosts with remembered pages, the last ones: at most 2 KB each."""
SURELY: Final = 0.95
"""Similarity from which a page of the same title is not remembered as another page of its host."""
REMEMBERED: Final = 200_000
"""Pages that later pages are compared with, 350 bytes each; then the oldest is forgotten."""
OFF: Final = 0.0
"""Similarity that turns the comparison off."""
LOWEST: Final = 0.7
"""Least Jaccard similarity of a policy: bands of 8 find few pairs that are less alike."""
_HEAD: Final = struct.Struct("<B?xxIIQQ")
"""Of a stored page: algorithm of its signature, whether it is an original, words, title, text,
body. Its signature follows if it has one."""
_MOST_WORDS: Final = 2**32 - 1


@dataclass(frozen=True)
class DuplicatePolicy:
    """The similarity from which a page is a duplicate; see `docs/duplicates.md`.

    Attributes:
        similarity: Jaccard similarity of shingles from which a page is a near-duplicate, LOWEST to
            1; OFF: no page is a duplicate, not even an exact copy.

    """

    similarity: float = 0.8

    def __post_init__(self) -> None:
        if not (LOWEST <= self.similarity <= 1 or self.similarity == OFF):
            raise SettingsError(
                f"FRONTIER_DUPLICATE_SIMILARITY must lie between {LOWEST:g} and 1, but is "
                f"{self.similarity!r}. Set it to a value in that range, to {OFF:g} to take no page "
                "for a duplicate, or leave it out for the default."
            )

    @property
    def enabled(self) -> bool:
        """Whether pages are compared at all."""
        return self.similarity != OFF


DUPLICATES: Final = DuplicatePolicy()
"""The policy of a crawl without settings."""


class Twin(NamedTuple):
    """The page that another page repeats."""

    url_id: int
    likeness: float
    """1 for an exact copy."""
    is_exact: bool
    is_sure: bool
    """False for a near-duplicate that may tell something about its host."""


class FinderEntry(NamedTuple):
    """The numbers of a page by which duplicates are found."""

    url_id: int
    host: int
    title: int
    """32 bits of its title, 0 without one."""
    body: int
    """64 bits of its body, 0 where that is not known."""
    digest: Digest
    is_original: bool = True
    """Whether others may repeat it; else it is remembered only as a page of its host."""

    def packed(self) -> bytes:
        """Return what the store keeps."""
        whole, words, signature = self.digest
        about = min(words, _MOST_WORDS), self.title, whole, self.body
        head = _HEAD.pack(ALGORITHM, self.is_original, *about)
        return head if signature is None else head + signature.tobytes()

    @classmethod
    def unpacked(cls, url_id: int, host: int, stored: bytes) -> FinderEntry | None:
        """Return a page from these bytes; None if it cannot be compared any more."""
        if len(stored) not in (_HEAD.size, _HEAD.size + SIZE):
            return None
        algorithm, is_original, words, title, whole, body = _HEAD.unpack_from(stored)
        if algorithm != ALGORITHM:
            return None
        signature = np.frombuffer(stored, np.uint8, offset=_HEAD.size)
        digest = Digest(whole, words, signature if len(signature) else None)
        return cls(url_id, host, title, body, digest, is_original)


class DuplicateFinder:
    """Remembers pages, and finds the page that a new page repeats.

    Of equally similar pages that with the smallest id is the twin.
    A near-duplicate is not a twin: pages that change little by little have several.
    """

    def __init__(self, policy: DuplicatePolicy, remembered: int) -> None:
        """Begin without pages; the last `remembered` pages are kept."""
        self._policy = policy
        self._remembered = remembered
        self._index = KeyIndex(remembered)
        self._ids: Column[Any] = Column(np.int32)
        self._about: tuple[Column[Any], ...] = self._ids, Column(np.int32), Column(np.uint32)
        """Id, host and title of each row of the index."""
        self._by_host: OrderedDict[int, deque[tuple[int, Signature]]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._index)

    def find(self, page: FinderEntry) -> Twin | None:
        """Return the page that a new page repeats; None for an original."""
        signature = page.digest.signature
        alike, same = self._index.sharing(_keys(page))
        exact = self._others(same, page)
        if exact:
            first = min(int(self._ids.array[row]) for row in exact)
            return Twin(first, 1.0, is_exact=True, is_sure=True)
        near = self._others(alike, page)
        return None if signature is None or not near else self._nearest(page, signature, near)

    def _others(self, rows: set[int], page: FinderEntry) -> list[int]:
        """Rows of other pages than this one, which may have been fetched before."""
        return [row for row in rows if self._ids.array[row] != page.url_id]

    def _nearest(self, page: FinderEntry, signature: Signature, others: list[int]) -> Twin | None:
        rows = np.array(sorted(others))
        alike = likeness(signature, self._index.signatures(rows))
        best = np.lexsort((self._ids.array[rows], -alike))[0]
        url_id, host, title = (int(column.array[rows[best]]) for column in self._about)
        similarity = float(alike[best])
        if similarity < self._policy.similarity:
            return None
        apart = host == page.host and title != page.title
        common = self._common(host, signature, {url_id, page.url_id})
        if common is None:
            near = similarity >= NAMED_APART or not apart
        else:
            near = own_likeness(similarity, common) >= OWN_SHARE
        sure = similarity >= SURELY and not apart
        return Twin(url_id, similarity, is_exact=False, is_sure=sure) if near else None

    def _common(self, host: int, signature: Signature, but: set[int]) -> float | None:
        """Similarity of a page to any page of a host; None where no other is known."""
        others = [kept for url_id, kept in self._by_host.get(host, ()) if url_id not in but]
        return float(np.median(likeness(signature, np.stack(others)))) if others else None

    def add(self, page: FinderEntry) -> None:
        """Remember a page."""
        if page.is_original:
            row = self._index.add(_keys(page))
            about = page.url_id, page.host, page.title
            for column, value in zip(self._about, about, strict=True):
                column.resize(row + 1)
                column.array[row] = value
        self._note(page)

    def load(self, entries: Iterable[FinderEntry]) -> None:
        """Remember what an earlier run did, in its order; nothing else must be remembered yet."""
        kept: deque[FinderEntry] = deque(maxlen=self._remembered)
        for page in entries:
            if page.is_original:
                kept.append(page)
            self._note(page)
        if kept:
            self._index.load(np.stack([_keys(page) for page in kept]))
            rows = [(page.url_id, page.host, page.title) for page in kept]
            for column, values in zip(self._about, zip(*rows, strict=True), strict=True):
                column.extend(values)

    def _note(self, page: FinderEntry) -> None:
        """Let a page speak for its host."""
        if page.digest.signature is None:
            return
        pages = self._by_host.setdefault(page.host, deque(maxlen=HOST_PAGES))
        pages.append((page.url_id, page.digest.signature))
        self._by_host.move_to_end(page.host)
        if len(self._by_host) > HOSTS:
            self._by_host.popitem(last=False)


def _keys(page: FinderEntry) -> KeyArray:
    return keys_of(page.digest.signature, page.digest.whole, page.body)


def own_likeness(similarity: float, common: float) -> float:
    """Similarity of two texts without a part that all texts have; see the module.

    Both in [0, 1]; `common` is the similarity of any two texts. Negative where the two have less in
    common than any two.
    """
    if common >= 1:
        return 0.0
    shared = 2 * common / (1 - common)
    own = (similarity * (shared + 2) - shared) / (1 + similarity)
    return own / (2 - own)
