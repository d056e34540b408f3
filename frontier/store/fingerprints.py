"""Fingerprint -> id of every URL ever seen, at about 12 bytes a URL.

A dict would take 112 bytes a URL. Here nearly all fingerprints lie in sorted arrays, searched by
bisection, and only the newest in a dict. The dict flows into a `recent` run when it is full and
that run into the `main` one when it has grown to an eighth of it, so an entry is moved about 8
times over the crawl in large copies, and a lookup never searches more than three places.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

_MAX_NEWEST = 8192
"""Entries of the dict, about 1 MB: filling `recent` costs a copy, so not for a handful."""
_MAIN_TO_RECENT = 8


class FingerprintIndex:
    """A map of int64 fingerprints to int32 ids that only grows.

    Invariant: every fingerprint is in exactly one of the three parts, and the fingerprints of
    a run ascend strictly.
    """

    def __init__(self) -> None:
        self._newest: dict[int, int] = {}
        self._recent = _Run.of((), ())
        self._main = _Run.of((), ())

    def __len__(self) -> int:
        return len(self._newest) + len(self._recent) + len(self._main)

    def lookup(self, fingerprints: Sequence[int]) -> list[int]:
        """Return the id of each fingerprint, -1 for those never added."""
        ids = [self._newest.get(one, -1) for one in fingerprints]
        if len(self._recent) + len(self._main) == 0 or -1 not in ids:
            return ids
        wanted = np.array(fingerprints, dtype=np.int64)
        found = np.maximum(self._main.search(wanted), self._recent.search(wanted))
        return np.maximum(found, ids).tolist()  # type: ignore[no-any-return]  # numpy says Any

    def add(self, fingerprint: int, url_id: int) -> None:
        """Store a fingerprint that `lookup` does not know yet."""
        assert fingerprint not in self._newest, "a fingerprint has one id"
        self._newest[fingerprint] = url_id
        if len(self._newest) >= _MAX_NEWEST:
            self._settle()

    def bulk(self, fingerprints: ArrayLike, ids: ArrayLike) -> None:
        """Store many unknown fingerprints (int64[n]) and their ids (int32[n]) at once."""
        self._settle()
        self._main = self._main.merged(self._recent).merged(_Run.of(fingerprints, ids))
        self._recent = _Run.of((), ())

    def _settle(self) -> None:
        """Move the dict into the recent run, and that into the main one when it is large."""
        newest = _Run.of(list(self._newest), list(self._newest.values()))
        self._recent = self._recent.merged(newest)
        self._newest = {}
        if len(self._recent) * _MAIN_TO_RECENT >= len(self._main):
            self._main = self._main.merged(self._recent)
            self._recent = _Run.of((), ())


class _Run:
    """Fingerprints in ascending order (int64[n]) beside their ids (int32[n])."""

    __slots__ = ("fingerprints", "ids")

    def __init__(self, fingerprints: NDArray[np.int64], ids: NDArray[np.int32]) -> None:
        assert np.all(fingerprints[1:] > fingerprints[:-1]), "a fingerprint has one id"
        self.fingerprints = fingerprints
        self.ids = ids

    @classmethod
    def of(cls, fingerprints: ArrayLike, ids: ArrayLike) -> _Run:
        """Sort pairs given in any order."""
        unsorted = np.asarray(fingerprints, dtype=np.int64)
        order = np.argsort(unsorted)
        return cls(unsorted[order], np.asarray(ids, dtype=np.int32)[order])

    def __len__(self) -> int:
        return len(self.ids)

    def search(self, wanted: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return int32[len(wanted)]: the ids, -1 where a fingerprint is not in this run."""
        if not len(self):
            return np.full(len(wanted), -1, dtype=np.int32)
        places = self.fingerprints.searchsorted(wanted)
        hits = self.fingerprints.take(places, mode="clip") == wanted
        return np.where(hits, self.ids.take(places, mode="clip"), np.int32(-1))

    def merged(self, other: _Run) -> _Run:
        """Return the entries of both; linear when `other` is the smaller one."""
        if not len(other):
            return self
        places = self.fingerprints.searchsorted(other.fingerprints)
        return _Run(
            np.insert(self.fingerprints, places, other.fingerprints),
            np.insert(self.ids, places, other.ids),
        )
