"""A file of a parsed recorded web, for replays: written once, read by many processes.

    pages     the content of each recorded URL, pickled and compressed, one after the other
    header    all URLs with their answers, links and places of their content; pickled
    trailer   length of the header (8 bytes) and _MAGIC

The file lies in the user's cache; its name is a digest of its sources. It is mapped, so that
processes share its pages, and each has only a header of its own.
"""

from __future__ import annotations

import mmap
import pickle
import zlib
from array import array
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from enum import IntEnum
from functools import cached_property
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from frontier.errors import RecordingError
from frontier.parsing.content import NOTHING, Link, PageContent
from frontier.urls.canonical import canonical_url, normal_url, other_scheme
from frontier.utils import Closing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

WARNINGS = "warnings"
UNREACHED = -1
_MAGIC = b"linkrank lab 3\n"
_TRAILER = 8 + len(_MAGIC)
_LEVEL = 1
"""Level of zlib; a page is unpacked at each fetch, in about 0.1 ms."""
_LINK_FIELDS = tuple(field.name for field in fields(Link))
_PAGE_FIELDS = tuple(field.name for field in fields(PageContent) if field.name != "links")
_MOST_REDIRECTS = 20


class AnswerKind(IntEnum):
    """The kind of a URL's answer."""

    PAGE = 0
    """Status below 300."""
    REDIRECT = 1
    FAILED = 2
    """Status 400 or more, a failed download, a redirect without a target."""
    UNKNOWN = 3
    """Never recorded."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """The parsed answer of a URL.

    Attributes:
        kind: kind of the answer.
        status: HTTP status, 0 without an answer.
        content: title, text and links of a page; empty for others.
        location: URL that a redirect leads to, "" for others.

    """

    kind: AnswerKind
    status: int
    content: PageContent = NOTHING
    location: str = ""


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """The answer of a URL in a replay, see `Parsed`.

    `links` (k,) are numbers of the URLs that `content.links` lead to, `location` that of the URL
    that a redirect leads to, -1 for others.
    """

    kind: AnswerKind
    status: int
    content: PageContent
    links: NDArray[np.int32]
    location: int = -1


@dataclass(slots=True)
class _Header:
    """The header of a file of n URLs, m of them recorded.

    `kinds` and `statuses` are (m,); `offsets` (m, 2) are the places of contents; `links` are
    `targets` as pages spell them.
    """

    urls: list[str]
    answers: NDArray[np.int32]
    kinds: NDArray[np.uint8]
    statuses: NDArray[np.int16]
    offsets: NDArray[np.int64]
    indptr: NDArray[np.int64]
    links: NDArray[np.int32]
    extra: dict[str, Any]


class WebFile(Closing):
    """A recorded web, ready for replay; raises RecordingError for an invalid file.

    Attributes:
        name: name of the web in tasks.
        urls: (n,) canonical URLs by number.
        n_recorded: number of recorded URLs, which come first; pages link to the others.
        answers: (n,) int32 number of the recorded URL that answers for each (itself, or the same
            page under the other scheme), -1 without one.
        kinds: (n,) uint8 of `AnswerKind`.
        extra: further data of the maker of the file.
        indptr: (n_recorded + 1,) int64, and
        targets: int32: URL i < n_recorded leads to targets[indptr[i] : indptr[i + 1]], in page
            order; a redirect has one target. A URL that is answered by another recorded URL is
            given as that one.

    """

    def __init__(self, path: Path, name: str) -> None:
        self.name = name
        self.path = path
        self._header = header = self._open(path)
        self.urls: Sequence[str] = header.urls
        self.answers = header.answers
        self.n_recorded = len(header.kinds)
        self.indptr = header.indptr
        self.extra = header.extra
        resolved = header.answers[header.links]
        self.targets: NDArray[np.int32] = np.where(resolved >= 0, resolved, header.links)
        kinds = np.append(header.kinds, np.uint8(AnswerKind.UNKNOWN))
        self.kinds: NDArray[np.uint8] = kinds[header.answers]
        self._numbers = {url: number for number, url in enumerate(header.urls)}

    def _open(self, path: Path) -> _Header:
        try:
            with path.open("rb") as file:
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            if self._map[-len(_MAGIC) :] != _MAGIC:
                raise ValueError("it has no end")
            end = len(self._map) - _TRAILER
            size = int.from_bytes(self._map[end : end + 8], "big")
            header = pickle.loads(self._map[end - size : end])  # noqa: S301  # our own cache
        except (OSError, ValueError, EOFError, AttributeError, pickle.UnpicklingError) as error:
            raise RecordingError(
                f"expected a parsed recording in {path}, but it cannot be read: {error}. "
                "Delete it; the recording is then parsed again"
            ) from error
        assert isinstance(header, _Header)
        return header

    def close(self) -> None:
        """Unmap the file; closing again does nothing."""
        self._map.close()

    def number(self, canonical: str) -> int:
        """Number of a canonical URL in exactly this spelling; KeyError if no page links to it."""
        return self._numbers[canonical]

    def find(self, url: str) -> int:
        """Number of the recorded URL that answers, else of the URL itself; -1 if it is unknown.

        An unknown spelling is searched as in `RecordedWeb`.
        """
        number = self._numbers.get(canonical_url(url), -1)
        if number < 0:
            normal = normal_url(url)
            number = self._spellings.get(normal, self._spellings.get(other_scheme(normal), -1))
        resolved = int(self.answers[number]) if number >= 0 else -1
        return resolved if resolved >= 0 else number

    @cached_property
    def _spellings(self) -> dict[str, int]:
        recorded = self.urls[: self.n_recorded]
        return {normal_url(url): number for number, url in enumerate(recorded)}

    def landing(self, number: int) -> int:
        """Number of the page behind the redirects of a URL; -1 without one."""
        for _ in range(_MOST_REDIRECTS):
            if number < 0 or self.kinds[number] != AnswerKind.REDIRECT:
                break
            number = int(self.targets[self.indptr[number]])
        return number if number >= 0 and self.kinds[number] == AnswerKind.PAGE else -1

    def hops_from(self, starts: Iterable[int]) -> NDArray[np.int64]:
        """(n,) links from the nearest start to every URL, 0 for starts; else UNREACHED."""
        return self._hops(self._sources, self.targets, starts)

    def hops_to(self, goals: Iterable[int]) -> NDArray[np.int64]:
        """(n,) links from every URL to the nearest goal, 0 for goals; else UNREACHED."""
        return self._hops(self.targets, self._sources, goals)

    @cached_property
    def _sources(self) -> NDArray[np.int32]:
        """Number of the source of each of `targets`."""
        return np.repeat(np.arange(self.n_recorded, dtype=np.int32), np.diff(self.indptr))

    def _hops(
        self, ends: NDArray[np.int32], others: NDArray[np.int32], starts: Iterable[int]
    ) -> NDArray[np.int64]:
        hops = np.full(len(self.urls), UNREACHED, np.int64)
        front = np.zeros(len(hops), np.bool_)
        front[list(starts)] = True
        distance = 0
        while front.any():
            hops[front] = distance
            distance += 1
            onward = others[front[ends]]
            front[:] = False
            front[onward[hops[onward] == UNREACHED]] = True
        return hops

    def read(self, number: int) -> RecordedAnswer:
        """The answer of a URL; links have the numbers of their spelling on the page."""
        row = int(self.answers[number])
        if row < 0:
            return RecordedAnswer(AnswerKind.UNKNOWN, 404, NOTHING, np.empty(0, np.int32))
        header = self._header
        kind, status = AnswerKind(int(header.kinds[row])), int(header.statuses[row])
        links = header.links[self.indptr[row] : self.indptr[row + 1]]
        if kind is not AnswerKind.PAGE:
            location = int(links[0]) if kind is AnswerKind.REDIRECT else -1
            return RecordedAnswer(kind, status, NOTHING, links[:0], location)
        start, end = header.offsets[row].tolist()
        stored = pickle.loads(zlib.decompress(self._map[start:end]))  # noqa: S301  # our own
        return RecordedAnswer(kind, status, _unpacked(*stored), links)

    def text(self, number: int) -> str:
        """Title and text of a page, as of the examples of a crawl; "" without text."""
        content = self.read(number).content
        return f"{content.title}\n{content.text}" if content.text.strip() else ""


class WebWriter:
    """Writes the file, one recorded URL after the other.

    Of several answers of a canonical URL the first of the best kind is kept.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._numbers: dict[str, int] = {}
        self._answers: dict[int, tuple[Parsed, tuple[int, int], array[int]]] = {}

    def add(self, url: str, parsed: Parsed) -> None:
        """Add the answer of a URL."""
        number = self._number(url)
        known = self._answers.get(number)
        if known is not None and known[0].kind <= parsed.kind:
            return
        onward = (
            [parsed.location] if parsed.location else [link.url for link in parsed.content.links]
        )
        links = array("i", map(self._number, onward))
        blob = zlib.compress(pickle.dumps(_packed(parsed.content), protocol=5), _LEVEL)
        start = self._file.tell()
        self._file.write(blob)
        kept = replace(parsed, content=NOTHING)
        self._answers[number] = kept, (start, start + len(blob)), links

    def _number(self, url: str) -> int:
        return self._numbers.setdefault(canonical_url(url), len(self._numbers))

    def finish(self, answered_by: Callable[[str], str | None], extra: dict[str, Any]) -> None:
        """Write the header.

        `answered_by` returns the recorded URL that answers for an unrecorded one.
        """
        blob = pickle.dumps(self._header(answered_by, extra), protocol=5)
        self._file.write(blob + len(blob).to_bytes(8, "big") + _MAGIC)

    def _header(self, answered_by: Callable[[str], str | None], extra: dict[str, Any]) -> _Header:
        order = [*self._answers, *(i for i in range(len(self._numbers)) if i not in self._answers)]
        place = np.empty(len(order), dtype=np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        by_number = list(self._numbers)
        urls = [by_number[i] for i in order]
        rows = list(self._answers.values())
        lengths = np.array([len(links) for _, _, links in rows], dtype=np.int64)
        every = [np.frombuffer(links, dtype=np.int32) for _, _, links in rows if links]
        return _Header(
            urls=urls,
            answers=self._resolved(urls, place, answered_by),
            kinds=np.array([parsed.kind for parsed, _, _ in rows], dtype=np.uint8),
            statuses=np.array([parsed.status for parsed, _, _ in rows], dtype=np.int16),
            offsets=np.array([span for _, span, _ in rows], dtype=np.int64).reshape(-1, 2),
            indptr=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            links=place[np.concatenate([np.empty(0, np.int32), *every])],
            extra=extra,
        )

    def _resolved(
        self,
        urls: list[str],
        place: NDArray[np.int32],
        answered_by: Callable[[str], str | None],
    ) -> NDArray[np.int32]:
        n = len(self._answers)
        answers = np.full(len(urls), -1, dtype=np.int32)
        answers[:n] = np.arange(n)
        for number in range(n, len(urls)):
            recorded = answered_by(urls[number])
            answer = None if recorded is None else self._numbers.get(canonical_url(recorded))
            if answer in self._answers:
                answers[number] = place[answer]
        return answers


def _packed(content: PageContent) -> tuple[list[Any], list[tuple[Any, ...]]]:
    values = [getattr(content, name) for name in _PAGE_FIELDS]
    return values, [tuple(getattr(link, name) for name in _LINK_FIELDS) for link in content.links]


def _unpacked(values: list[Any], links: list[tuple[Any, ...]]) -> PageContent:
    unpacked = [Link(**dict(zip(_LINK_FIELDS, link, strict=True))) for link in links]
    return PageContent(**dict(zip(_PAGE_FIELDS, values, strict=True)), links=unpacked)
