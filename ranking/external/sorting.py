"""Links sorted on disk: runs that fit into memory, merged.

A link is a key, head << 32 | source (see `ranking.external.lists`), and perhaps a weight. Of links
that are repeated one is left, with the largest weight.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ranking.arrays import SingleArray
from ranking.external._keys import distinct

Keys = npt.NDArray[np.uint64]

PLAIN, WEIGHTED = 16, 40
"""Bytes a link that sorting takes: the run, and what copies of it there are at a time."""
LEAST = 1 << 10  # links of a run that are read at a time, at least


class Links(NamedTuple):
    """Keys (k,), ascending and each once, and their weights (k,) or None."""

    keys: Keys
    weights: SingleArray | None


class Runs:
    """Links in any order in, links in order out.

    Args:
        directory: where runs lie; it exists.
        room: bytes that sorting may take.
        weighted: whether links have weights.

    """

    def __init__(self, directory: Path, room: int, *, weighted: bool) -> None:
        self._directory, self._weighted = directory, weighted
        self._size = max(LEAST, room // (WEIGHTED if weighted else PLAIN))
        self._keys: Keys = np.empty(self._size, np.uint64)
        self._weights = np.empty(self._size, np.float32) if weighted else None
        self._used = 0
        self._runs: list[_Run] = []

    def add(self, keys: Keys, weights: SingleArray | None) -> None:
        """Take links: keys (k,) and, where there are weights, weights (k,)."""
        taken = 0
        while taken < len(keys):
            if self._used == self._size:
                self._write()
            more = min(len(keys) - taken, self._size - self._used)
            here, there = slice(self._used, self._used + more), slice(taken, taken + more)
            self._keys[here] = keys[there]
            if self._weights is not None:
                assert weights is not None, "runs with weights take links with weights"
                self._weights[here] = weights[there]
            self._used, taken = self._used + more, taken + more

    def merged(self) -> Iterator[Links]:
        """All links in order, piece by piece; the runs are gone afterwards."""
        if not self._runs:
            links = self._sorted()
            self._drop()
            yield links
            return
        self._write()
        self._drop()
        each = max(LEAST, self._size // (2 * len(self._runs)))
        heads = [_Head(run, each) for run in self._runs]
        while heads := [head for head in heads if head.fill()]:
            # Of no run anything up to there can still be unread.
            until = min(head.last for head in heads)
            yield _merged([head.take(until) for head in heads])
        for run in self._runs:
            run.remove()

    def _sorted(self) -> Links:
        keys = self._keys[: self._used]
        if self._weights is None:
            keys.sort()
            return _different(Links(keys, None))
        return _ordered(Links(keys, self._weights[: self._used]))

    def _write(self) -> None:
        run = _Run(self._directory / f"run-{len(self._runs):05}", weighted=self._weighted)
        run.write(self._sorted())
        self._runs.append(run)
        self._used = 0

    def _drop(self) -> None:
        self._keys, self._weights = np.empty(0, np.uint64), None


class _Run:
    """Sorted links in files."""

    def __init__(self, path: Path, *, weighted: bool) -> None:
        self._keys = path.with_suffix(".keys")
        self._weights = path.with_suffix(".weights") if weighted else None

    def write(self, links: Links) -> None:
        links.keys.tofile(self._keys)
        if self._weights is not None:
            assert links.weights is not None, "runs with weights have them"
            links.weights.tofile(self._weights)

    def read(self, first: int, count: int) -> Links:
        keys: Keys = np.fromfile(self._keys, np.uint64, count, offset=8 * first)
        if self._weights is None:
            return Links(keys, None)
        return Links(keys, np.fromfile(self._weights, np.float32, count, offset=4 * first))

    def remove(self) -> None:
        self._keys.unlink()
        if self._weights is not None:
            self._weights.unlink()


class _Head:
    """Where a run is read."""

    def __init__(self, run: _Run, each: int) -> None:
        self._run, self._each, self._read = run, each, 0
        self._links = run.read(0, 0)

    def fill(self) -> bool:
        """Read on where nothing is held; whether anything is."""
        if not len(self._links.keys):
            self._links = self._run.read(self._read, self._each)
            self._read += len(self._links.keys)
        return len(self._links.keys) > 0

    @property
    def last(self) -> np.uint64:
        """The last key that is held."""
        key: np.uint64 = self._links.keys[-1]
        return key

    def take(self, until: np.uint64) -> Links:
        """The links held up to a key, itself included."""
        keys, weights = self._links
        cut = int(np.searchsorted(keys, until, "right"))
        rest = None if weights is None else weights[cut:]
        self._links = Links(keys[cut:], rest)
        return Links(keys[:cut], None if weights is None else weights[:cut])


def _merged(parts: list[Links]) -> Links:
    keys = np.concatenate([part.keys for part in parts])
    weights = [part.weights for part in parts if part.weights is not None]
    if not weights:
        keys.sort(kind="stable")  # what is sorted in parts is merged
        return _different(Links(keys, None))
    return _ordered(Links(keys, np.concatenate(weights)))


def _ordered(links: Links) -> Links:
    """Links with weights in order."""
    keys, weights = links
    assert weights is not None
    order = np.argsort(keys, kind="stable")
    return _different(Links(keys[order], weights[order]))


def _different(links: Links) -> Links:
    """Each link of ordered ones once, with the largest of its weights, in the arrays given."""
    keys, weights = links
    left = distinct(keys, weights)
    return Links(keys[:left], None if weights is None else weights[:left])
