"""The link graph of WARC files, answer by answer: a file is never in memory.

In memory are an index of the files (some 400 bytes a response), the links (4 bytes each) and
the URLs (their bytes and some 150 more). Every URL that was fetched or linked to is a node, in the
order in which it was met first. Which of several records of a URL counts, `WarcIndex` decides, as
for a recorded web; of several spellings of one URL the first page counts, else the first redirect.

The rules are the crawler's, and so is the reader, with its bounds: who recorded a page may have
been sent a bomb. A response below 300 that is HTML is a page, whatever links it holds; a 3xx with a
Location, and a page that refreshes itself to another URL soon, are redirects; errors and files of
other types lead nowhere. Bodies are read only of what may be a page.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import accumulate
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from frontier.errors import PageError, RecordingError
from frontier.linkgraphs.urlgraph import UNKNOWN, UrlGraph
from frontier.parsing.bodies import decoded, unpacked
from frontier.parsing.reader import ReadingLimits, of_few_hosts, read_markup
from frontier.urls.canonical import canonical_url
from frontier.urls.resolve import located
from frontier.warc.captures import HEAD_ONLY, NO_ORIGINAL, NO_STATUS, SEGMENT, WarcIndex
from frontier.warc.payload import codings_of, header
from ranking.arrays import Column
from ranking.graph.link_graph import LinkGraph

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from numpy.typing import NDArray

    from frontier.parsing.content import PageContent
    from frontier.warc.captures import Capture
    from frontier.warc.records import Damage
    from ranking.offline.extras import Progress

_REDIRECT, _PAGE = 1, 2
_LEFT_OUT = {
    SEGMENT: "segments of records, which are not joined",
    NO_STATUS: "responses without an HTTP status",
    NO_ORIGINAL: "revisits of a page that was not read before",
    HEAD_ONLY: "answers to HEAD, which have no body",
}
_SHOWN = 20
"""Damaged parts that are named; the others are counted."""
_HTML = ("text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml")
_LOOKS_LIKE_HTML = re.compile(rb"<(?:!doctype\s+html|html|head|title|body)\b", re.IGNORECASE)
_SNIFFED = 1024
_NOT_HTML = "responses that are not HTML"
_SOON = 10
"""Seconds; what sends its readers on later is a page, see METAREFRESH_MAXDELAY of `crawler`."""


class Leads(NamedTuple):
    """A fetched URL, and where it leads: URLs, and whether they are nofollow."""

    url: str
    links: list[tuple[str, bool]]
    redirect: bool = False


class Reading:
    """Reads records as the crawler's settings have it."""

    def __init__(self, limits: ReadingLimits | None = None, max_url: int = 2083) -> None:
        """`max_url` characters may a URL have; 0: any number."""
        self._limits = limits or ReadingLimits()
        self._max_url = max_url

    def read(self, capture: Capture) -> Leads | str:
        """Read one response, or say why it has no links; never raises on what it holds."""
        if capture.status >= 400:
            return "responses with a status of 400 or more"
        headers = capture.headers()
        if capture.status >= 300:
            location = header(headers, "location")
            target = located(capture.url, location.encode("latin-1")) if location else None
            if target is None:
                return "redirects that lead nowhere"
            return Leads(capture.url, [(target, False)], redirect=True)
        content_type = header(headers, "content-type")
        if content_type and not _is_html(content_type):
            return _NOT_HTML
        return self._page(capture, content_type)

    def _page(self, capture: Capture, content_type: str) -> Leads | str:
        found = capture.read(self._limits.body)
        try:
            body = unpacked(found.body, codings_of(found.headers), self._limits.body)
            if not content_type and not _LOOKS_LIKE_HTML.search(body[:_SNIFFED]):
                return _NOT_HTML
            text, charset = decoded(body, content_type)
            content = read_markup(text, charset, capture.url, self._limits.links)
        except PageError as error:
            return f"pages that cannot be read: {error}"
        return self._read(capture.url, content)

    def _read(self, url: str, content: PageContent) -> Leads:
        seconds, target = content.refresh or (0.0, url)
        if canonical_url(url) == canonical_url(target):
            target = ""  # it leads to itself
        if target and seconds < _SOON:
            return Leads(url, [(target, False)], redirect=True)
        kept = of_few_hosts(content.links, self._limits.hosts)
        links = [(link.url, link.nofollow) for link in kept]
        if target:
            links.append((target, False))
        most = self._max_url
        return Leads(url, [one for one in links if not most or len(one[0]) <= most])


def _is_html(content_type: str) -> bool:
    return content_type.partition(";")[0].strip().lower() in _HTML


def warc_graph(
    paths: Iterable[Path], reading: Reading, progress: Progress | None = None
) -> UrlGraph:
    """Read the files, in order; `progress` is told how many bytes of how many are done.

    Raises RecordingError where a file cannot be opened, or none holds a whole record.
    """
    files = list(paths)
    sizes = [_size(path) for path in files]
    before = dict(zip(files, accumulate(sizes, initial=0), strict=False))
    builder = _Builder()
    index = WarcIndex(files)
    _refuse_nothing(index)
    places = [
        (before[capture.place.path] + capture.place.offset, capture)
        for capture in index.captures.values()
    ]
    for done, capture in sorted(places, key=itemgetter(0)):
        builder.take(reading.read(capture))
        if progress is not None:
            progress(min(done, sum(sizes)), sum(sizes))
    return builder.result(index)


def _refuse_nothing(index: WarcIndex) -> None:
    if any(index.records.values()):
        return
    why = "".join(f"\n  {damage}" for damage in index.damages[:_SHOWN])
    raise RecordingError(
        f"expected WARC files (WARC/1.0 or 1.1, plain or .gz), but in "
        f"{', '.join(map(str, index.files))} is not one whole record. Name other files, or the "
        f"directory of a crawl{why}"
    )


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

    def __init__(self) -> None:
        self._graph = LinkGraph()
        self._id_of: dict[str, int] = {}
        self._kinds = Column(np.uint8)
        self._left_out: Counter[str] = Counter()

    def take(self, found: Leads | str) -> None:
        """Add what an answer leads to, or count why it has no links."""
        if isinstance(found, str):
            self._left_out[found] += 1
            return
        page = int(self._ids([found.url])[0])
        kind = _REDIRECT if found.redirect else _PAGE
        if self._kinds.array[page] < kind:
            self._kinds.array[page] = kind
            targets = self._ids([url for url, _ in found.links])
            weights = np.array([not nofollow for _, nofollow in found.links], np.float32)
            self._graph.append(page, targets, weights)

    def _ids(self, urls: list[str]) -> NDArray[np.int32]:
        id_of = self._id_of
        ids = [id_of.setdefault(canonical_url(url), len(id_of)) for url in urls]
        self._kinds.resize(len(id_of))
        return np.array(ids, np.int32)

    def result(self, index: WarcIndex) -> UrlGraph:
        """Return the graph, with what of the files is not in it."""
        id_of = self._id_of
        self._graph.grow(len(id_of))

        def find(url: str) -> int:
            return id_of.get(canonical_url(url), UNKNOWN)

        pages = int(np.count_nonzero(self._kinds.array))
        for reason, why in _LEFT_OUT.items():
            self._left_out[why] += sum(lost.reason == reason for lost in index.left_out)
        return UrlGraph(
            self._graph, list(id_of), find, pages=pages, notes=self._notes(index.damages)
        )

    def _notes(self, damages: list[Damage]) -> list[str]:
        """What was lost, in words."""
        notes = [f"lost: {damage}" for damage in damages[:_SHOWN]]
        if len(damages) > _SHOWN:
            notes.append(f"lost: {len(damages) - _SHOWN:,} more damaged parts")
        notes += [f"no links: {n:,} {why}" for why, n in self._left_out.most_common() if n]
        return notes
