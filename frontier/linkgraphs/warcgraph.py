"""The link graph of WARC files, record by record: a file is never in memory.

In memory are the links (4 bytes each) and the URLs as text in one compact table. Every URL that was
fetched or linked to is a node, in the order in which it was met first. Of several records of one
URL the first page counts, else the first redirect: a retried error, or a later look at the same
page, does not add links.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from frontier.errors import RecordingError
from frontier.linkgraphs.recorded import Reading, Recorded, Revisit
from frontier.linkgraphs.urlgraph import UrlGraph
from frontier.urls.canonical import canonical_url
from frontier.warc.scan import Record, scan
from frontier.warc.sources import Damage, Source
from ranking.arrays import Column
from ranking.graph.link_graph import LinkGraph
from ranking.offline._names import NameTable
from ranking.offline.names import TextNames, packed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from ranking.offline.extras import Progress

_NO_RECORD, _REDIRECT, _PAGE = 0, 1, 2
_SHOWN = 20
"""Damaged parts that are named; the others are counted."""


def warc_graph(
    paths: Iterable[Path], reading: Reading, progress: Progress | None = None
) -> UrlGraph:
    """Read the files, in order; `progress` is told how many bytes of how many are done.

    Raises RecordingError where a file cannot be opened, or none holds a whole record.
    """
    files = list(paths)
    sizes = [_size(path) for path in files]
    builder, done = _Builder(reading), 0
    for path, size in zip(files, sizes, strict=True):
        for offset in builder.read_file(path):
            if progress is not None:
                progress(done + min(offset, size), sum(sizes))
        done += size
    return builder.result(files)


def _size(path: Path) -> int:
    """Bytes of a file that can be opened: better known before hours of reading than after."""
    try:
        with path.open("rb") as file:
            return file.seek(0, 2)
    except OSError as error:
        raise RecordingError(
            f"expected a WARC file or the directory of a crawl, but {path} cannot be read: "
            f"{error.strerror or 'it is a pipe and must be a file'}. Check the name"
        ) from error


class _Builder:
    """Takes records and grows the graph."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._graph = LinkGraph()
        self._table = NameTable()
        self._kinds = Column(np.uint8)
        self._left_out: Counter[str] = Counter()
        self._damages: list[Damage] = []
        self._records = 0

    def read_file(self, path: Path) -> Iterator[int]:
        """Take all records of a file, note its damage, and yield how far it is, in bytes."""
        sources: list[Source] = []
        try:
            for found in scan(path, sources):
                if isinstance(found, Damage):
                    self._damages.append(found)
                    continue
                self._records += 1
                self._take(found)
                yield found.place.offset
        finally:
            for source in sources:
                source.close()

    def _take(self, record: Record) -> None:
        found = self._reading.read(record)
        if isinstance(found, Recorded):
            self._add(found)
        elif isinstance(found, Revisit):
            self._revisit(found)
        elif found:
            self._left_out[found] += 1

    def _add(self, found: Recorded) -> None:
        page = int(self._ids([canonical_url(found.url)])[0])
        kind = _REDIRECT if found.redirect else _PAGE
        if self._kinds.array[page] < kind:
            self._kinds.array[page] = kind
            targets = self._ids([canonical_url(url) for url, _ in found.links])
            weights = np.array([not nofollow for _, nofollow in found.links], np.float32)
            self._graph.append(page, targets, weights)

    def _revisit(self, found: Revisit) -> None:
        """Give a URL the links of the one it equals, if that is another one."""
        page, other = self._ids([canonical_url(found.url), canonical_url(found.of_url)]).tolist()
        if self._kinds.array[page] == _PAGE or (page == other and self._kinds.array[page]):
            return
        if self._kinds.array[other] == _NO_RECORD:
            self._left_out["revisits of a page that was not read before"] += 1
            return
        self._kinds.array[page] = self._kinds.array[other]
        targets, weights = self._graph.links(other)
        self._graph.append(page, targets.copy(), None if weights is None else weights.copy())

    def _ids(self, urls: list[str]) -> NDArray[np.int32]:
        ids = np.empty(len(urls), np.int32)
        self._table.intern(*packed(urls), ids)
        self._kinds.resize(len(self._table))
        return ids

    def result(self, files: list[Path]) -> UrlGraph:
        if not self._records:
            why = "".join(f"\n  {damage}" for damage in self._damages[:_SHOWN])
            raise RecordingError(
                f"expected WARC files (WARC/1.0 or 1.1, plain or .gz), but in "
                f"{', '.join(map(str, files))} is not one whole record. Name other files, or the "
                f"directory of a crawl{why}"
            )
        self._graph.grow(len(self._table))
        names = TextNames(self._table)

        def find(url: str) -> int:
            return int(names.ids([canonical_url(url)])[0])

        pages = int(np.count_nonzero(self._kinds.array))
        return UrlGraph(self._graph, names, find, pages=pages, notes=self._notes())

    def _notes(self) -> list[str]:
        """What was lost, in words."""
        notes = [f"lost: {damage}" for damage in self._damages[:_SHOWN]]
        if len(self._damages) > _SHOWN:
            notes.append(f"lost: {len(self._damages) - _SHOWN:,} more damaged parts")
        notes += [f"no links: {count:,} {why}" for why, count in self._left_out.most_common()]
        return notes
