"""Links on disk as they are read, and what they become: lists for `ranking.external`.

8 bytes a link lie on the disk as it is read (12 with weights), as much again while it is sorted,
and 4 (8) afterwards. In memory are two bits for each number up to the highest, or the names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TypeVar

import numpy as np
import numpy.typing as npt

from ranking.arrays import IntArray, SingleArray
from ranking.external.lists import LinkLists, write_lists
from ranking.external.sorting import Keys, Runs
from ranking.offline.marks import Marks, link_keys

BLOCK = 1 << 20  # links worked on at a time
WORKING = 96 << 20
"""Bytes of memory that a block takes on its way, with all copies of it."""
Number = TypeVar("Number", np.int32, np.float32)


class Spill:
    """Links in files of a directory, in the order in which they were read."""

    def __init__(self, directory: Path) -> None:
        self._ends_path, self._weights_path = directory / "ends", directory / "read-weights"
        self._ends: IO[bytes] = self._ends_path.open("w+b")
        self._weights: IO[bytes] | None = None
        self._links = 0
        self.used, self.rows = Marks(), Marks()

    def __enter__(self) -> Spill:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()

    def __len__(self) -> int:
        return self._links

    @property
    def weighted(self) -> bool:
        """Whether any link had a weight."""
        return self._weights is not None

    def extend(self, ends: IntArray, weights: SingleArray | None) -> None:
        """See `ranking.offline.edges.Links`."""
        if weights is not None and self._weights is None:
            self._weights = self._weights_path.open("w+b")
            for start in range(0, self._links, BLOCK):
                self._weights.write(np.ones(min(BLOCK, self._links - start), np.float32).tobytes())
        if self._weights is not None:
            ones = np.ones(len(ends) // 2, np.float32)
            self._weights.write((ones if weights is None else weights).tobytes())
        self._ends.write(ends.tobytes())
        self._links += len(ends) // 2
        self._mark(ends)

    def rename(self, new: Callable[[IntArray], None]) -> None:
        """See `ranking.offline.edges.Links`."""
        self.used, self.rows = Marks(), Marks()
        for start in range(0, 2 * self._links, 2 * BLOCK):
            ends = self._part(self._ends, np.int32, start, 2 * BLOCK)
            new(ends)
            self._ends.seek(start * 4)
            self._ends.write(ends.tobytes())
            self._mark(ends)
        self._ends.seek(0, 2)

    def lists(self, directory: Path, room: int) -> LinkLists:
        """Sort all links into lists; `room` bytes of memory may be taken; the spill goes."""
        self.used.count()
        self.rows.count()
        runs = Runs(directory, max(room - WORKING, 0), weighted=self.weighted)
        for keys, weights in self._keys():
            runs.add(keys, weights)
        self.remove()
        pages = self.rows.listed()
        self.used.place(pages)
        n = self.used.marked
        return write_lists(directory, runs.merged(), n, pages, weighted=self.weighted)

    def remove(self) -> None:
        """Remove the files."""
        self._ends.close()
        self._ends_path.unlink(missing_ok=True)
        if self._weights is not None:
            self._weights.close()
            self._weights_path.unlink(missing_ok=True)

    def _mark(self, ends: IntArray) -> None:
        self.used.add(ends)
        self.rows.add(np.ascontiguousarray(ends[0::2]))

    def _keys(self) -> Iterator[tuple[Keys, SingleArray | None]]:
        """Keys of `ranking.external.lists` and weights of the links, no self-loops, by blocks."""
        for start in range(0, self._links, BLOCK):
            ends = self._part(self._ends, np.int32, 2 * start, 2 * BLOCK)
            weights = None
            if self._weights is not None:
                weights = self._part(self._weights, np.float32, start, BLOCK)
            keys = link_keys(ends, weights, self.rows, self.used)
            yield keys, None if weights is None else weights[: len(keys)]

    @staticmethod
    def _part(stream: IO[bytes], kind: type[Number], first: int, count: int) -> npt.NDArray[Number]:
        stream.flush()
        stream.seek(first * 4)
        return np.frombuffer(bytearray(stream.read(count * 4)), kind)
