"""Followed links by target, in files: what an iteration streams.

A *row* is a node that links are written of, in order of ids. The links to a target are a *list* of
the rows they come from; its *head* says whose it is: below m it is a row, from m on m + the id of a
node that no link leaves. Lists lie in the order of their heads, so that those among rows, which an
iteration goes through, come before those of the many nodes that only receive.

*Segments* are lists that are read at a time; while one is worked on, the next is being read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ranking.arrays import Column, FloatArray, IntArray, LongArray, SingleArray
from ranking.external import _lists
from ranking.external._keys import split
from ranking.external.sorting import Keys, Links

SEGMENT = 1 << 22  # links; a list that is longer is a segment of its own
_SIZE = "size.json"
_FILES = {"heads": np.uint32, "counts": np.uint32, "sources": np.int32, "weights": np.float32}
BLOCK = 1 << 18  # links written at a time


class Segment(NamedTuple):
    """Some lists: heads (q,) and counts (q,) uint32, sources (k,) and weights (k,) or None."""

    heads: npt.NDArray[np.uint32]
    counts: npt.NDArray[np.uint32]
    sources: IntArray
    weights: SingleArray | None


class LinkLists:
    """The lists of a directory.

    Attributes:
        n: nodes.
        n_links: followed links, each once.
        pages: (m,) int32 id of each row, ascending.
        totals: (m,) float64 sum of the weights of each row's links; 0 for one that dangles.

    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        size = json.loads((directory / _SIZE).read_text(encoding="utf-8"))
        self.n, self.n_links = int(size["n"]), int(size["links"])
        self._weighted = bool(size["weighted"])
        self.pages: IntArray = np.load(directory / "pages.npy")
        self._segments: LongArray = np.load(directory / "segments.npy")

    @property
    def n_pages(self) -> int:
        """Number of rows, m."""
        return len(self.pages)

    @property
    def totals(self) -> FloatArray:
        """Read each time: whoever needs them once need not hold them."""
        totals: FloatArray = np.load(self._directory / "totals.npy")
        return totals

    @cached_property
    def largest(self) -> int:
        """Bytes of the largest segment."""
        lists = self._segments[:, 1] - self._segments[:, 0]
        links = self._segments[:, 3] - self._segments[:, 2]
        return int((8 * lists + (8 if self._weighted else 4) * links).max(initial=0))

    def inner(self) -> Iterator[Segment]:
        """Segments of the lists of rows."""
        return self._read(self._segments[self._segments[:, 4] == 1])

    def outer(self) -> Iterator[Segment]:
        """Segments of the lists of nodes without links."""
        return self._read(self._segments[self._segments[:, 4] == 0])

    def all(self) -> Iterator[Segment]:
        """All segments."""
        return self._read(self._segments)

    def spread(self, values: FloatArray) -> FloatArray:
        """Aᵀ · values, (m,) -> (n,), of the matrix A of weights: a row a page, a column an id."""
        result, inner = np.zeros(self.n), np.zeros(self.n_pages)
        for segment in self.inner():
            _lists.collect(*segment, values, inner, 0)
        result[self.pages] = inner
        for segment in self.outer():
            _lists.collect(*segment, values, result, self.n_pages)
        return result

    def times(self, values: FloatArray) -> FloatArray:
        """A · values, (n,) -> (m,)."""
        result = np.zeros(self.n_pages)
        for segment in self.all():
            _lists.scatter(*segment, self.pages, values, result)
        return result

    def _read(self, wanted: LongArray) -> Iterator[Segment]:
        if not len(wanted):
            return
        with (
            _Files(self._directory, weighted=self._weighted) as files,
            ThreadPoolExecutor(1, thread_name_prefix="links") as ahead,
        ):
            coming = ahead.submit(files.segment, wanted[0])
            for following in [*wanted[1:], None]:
                segment = coming.result()
                if following is not None:
                    coming = ahead.submit(files.segment, following)
                yield segment


class _Files:
    """The files of a directory, read from where they were left."""

    def __init__(self, directory: Path, *, weighted: bool) -> None:
        self._kinds = {name: np.dtype(kind) for name, kind in _FILES.items()}
        if not weighted:
            del self._kinds["weights"]
        self._streams: dict[str, IO[bytes]] = {
            name: (directory / name).open("rb", buffering=0) for name in self._kinds
        }

    def __enter__(self) -> _Files:
        return self

    def __exit__(self, *exception: object) -> None:
        for stream in self._streams.values():
            stream.close()

    def segment(self, place: LongArray) -> Segment:
        lists = slice(int(place[0]), int(place[1]))
        links = slice(int(place[2]), int(place[3]))
        read = {
            name: self._part(name, lists if name in ("heads", "counts") else links)
            for name in self._kinds
        }
        return Segment(read["heads"], read["counts"], read["sources"], read.get("weights"))

    def _part(self, name: str, part: slice) -> npt.NDArray[Any]:
        kind, stream = self._kinds[name], self._streams[name]
        values = np.empty(part.stop - part.start, kind)
        stream.seek(part.start * kind.itemsize)
        view, done = values.data.cast("B"), 0
        while done < len(view):
            more = stream.readinto(view[done:])  # type: ignore[attr-defined]
            if not more:
                raise OSError(f"{stream.name} is shorter than it should be")
            done += more
        return values


def write_lists(
    directory: Path, links: Iterator[Links], n: int, pages: IntArray, *, weighted: bool
) -> LinkLists:
    """Write the lists of sorted links; whole only when this returns.

    Args:
        directory: where; it exists.
        links: in order, each once; of weight 0 they are left out.
        n: nodes.
        pages: (m,) int32 id of each row, ascending.
        weighted: whether links have weights.

    """
    writer = _Writer(directory, len(pages), weighted=weighted)
    try:
        for piece in links:
            writer.add(piece)
        writer.finish()
    finally:
        writer.close()
    np.save(directory / "pages.npy", pages)
    size = {"n": n, "links": writer.links, "weighted": weighted}
    part = directory / f"{_SIZE}.part"
    part.write_text(json.dumps(size), encoding="utf-8")
    part.replace(directory / _SIZE)
    return LinkLists(directory)


class _Writer:
    """Lists as they come; the last one stays open, for the next piece may go on with it."""

    def __init__(self, directory: Path, m: int, *, weighted: bool) -> None:
        self._directory, self._m = directory, m
        names = [name for name in _FILES if weighted or name != "weights"]
        self._streams = {name: (directory / name).open("wb") for name in names}
        self._totals = np.zeros(m)
        self._open_head, self._open_count = -1, 0
        self._segments = Column[np.int64](np.int64)
        self._lists, self.links = 0, 0
        self._began, self._inner = [0, 0], True  # the segment's first list and link, and its kind
        self._closed = 0  # links of closed lists

    def add(self, piece: Links) -> None:
        for start in range(0, len(piece.keys), BLOCK):
            part = slice(start, start + BLOCK)
            weights = None if piece.weights is None else piece.weights[part]
            self._add(piece.keys[part], weights)

    def _add(self, keys: Keys, weights: SingleArray | None) -> None:
        if weights is not None:
            followed = weights > 0
            keys, weights = keys[followed], weights[followed]
            self._streams["weights"].write(weights.tobytes())
        if not len(keys):
            return
        sources = np.empty(len(keys), np.int32)
        heads, counts = np.empty((2, len(keys)), np.uint32)
        lists = split(keys, weights, heads, counts, sources, self._totals)
        self._streams["sources"].write(sources.data)
        heads, counts = heads[:lists], counts[:lists].astype(np.int64)
        if heads[0] == self._open_head:
            counts[0] += self._open_count
        elif self._open_count:
            heads = np.concatenate([[np.uint32(self._open_head)], heads])
            counts = np.concatenate([[self._open_count], counts])
        self._open_head, self._open_count = int(heads[-1]), int(counts[-1])
        self.links += len(keys)
        self._close(heads[:-1], counts[:-1])

    def finish(self) -> None:
        if self._open_count:
            self._close(np.array([self._open_head]), np.array([self._open_count]))
        self._end_segment()
        np.save(self._directory / "segments.npy", self._segments.array.reshape(-1, 5))
        np.save(self._directory / "totals.npy", self._totals)

    def close(self) -> None:
        for stream in self._streams.values():
            stream.close()

    def _close(self, heads: npt.NDArray[Any], counts: npt.NDArray[Any]) -> None:
        self._streams["heads"].write(heads.astype(np.uint32).tobytes())
        self._streams["counts"].write(counts.astype(np.uint32).tobytes())
        cut = int(np.searchsorted(heads, self._m))
        self._gather(counts[:cut])
        if cut < len(counts):
            if self._inner:
                self._end_segment()
                self._inner = False
            self._gather(counts[cut:])

    def _gather(self, counts: npt.NDArray[Any]) -> None:
        """Put lists into segments."""
        ends = self._closed + np.cumsum(counts)
        done = 0
        while done < len(ends):
            fitting = int(np.searchsorted(ends, self._began[1] + SEGMENT, "right"))
            if fitting <= done and self._closed == self._began[1]:
                fitting = done + 1
            if fitting > done:
                self._lists += fitting - done
                self._closed = int(ends[fitting - 1])
                done = fitting
            if done < len(ends):
                self._end_segment()

    def _end_segment(self) -> None:
        if self._lists > self._began[0]:
            place = [self._began[0], self._lists, self._began[1], self._closed, int(self._inner)]
            self._segments.extend(np.array(place))
        self._began = [self._lists, self._closed]
