"""One file that holds a recorded web as a replay needs it: parsed once, read by many processes.

Parsing HTML is what a crawl costs most, and a lab replays the same pages hundreds of times. So a
recording is parsed once into a file of the user's cache:

    pages     the content of each recorded URL, pickled and compressed, one after the other
    header    all URLs, how they answer, where they lead, where their content lies; pickled
    trailer   length of the header (8 bytes) and MAGIC

The file is mapped, not read: processes share its pages through the system's cache, and what each
holds of its own is the header. It is written by this class alone, under a name that is a digest of
what it was made from, and renamed into place when it is whole.
"""

from __future__ import annotations

import math
import mmap
import os
import pickle
import zlib
from array import array
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.closing import Closing
from frontier.errors import RecordingError
from frontier.html import Link, PageContent
from frontier.lab.replay.web import Kind, RecordedAnswer, Spoken
from frontier.urls import canonical_url

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

MAGIC = b"linkrank lab 1\n"
_TRAILER = 8 + len(MAGIC)
_LEVEL = 1
"""Of zlib; a page is unpacked once a fetch, in about 0.1 ms."""
_LINK_FIELDS = tuple(one.name for one in fields(Link))
_PAGE_FIELDS = tuple(one.name for one in fields(PageContent) if one.name != "links")
PAST = "past crawl"
"""Among what a file says beside its pages, of the directory of a crawl: what that was about."""
WARNINGS = "warnings"
NOTHING = PageContent("", "", [])


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a URL answered, as it goes into the file; `location` is a URL, "" for no redirect."""

    kind: Kind
    status: int
    content: PageContent = NOTHING
    location: str = ""
    relevance: float | None = None
    similarity: float | None = None
    spoken: Spoken | None = None
    length: int = 0

    @property
    def leads_to(self) -> list[str]:
        """Where a crawl goes from here."""
        if self.kind is Kind.REDIRECT:
            return [self.location]
        return [link.url for link in self.content.links]


@dataclass(slots=True)
class _Header:
    """See the arrays of `WebFile`; `extra` is what the maker of the file wants to know again."""

    urls: list[str]
    answers: NDArray[np.int32]
    kinds: NDArray[np.uint8]
    statuses: NDArray[np.int16]
    judgements: NDArray[np.float64]
    lengths: NDArray[np.int64]
    offsets: NDArray[np.int64]
    indptr: NDArray[np.int64]
    links: NDArray[np.int32]
    extra: dict[str, Any] = field(default_factory=dict)


class WebWriter:
    """Writes the file, one recorded URL after the other.

    Of several answers of one canonical URL the first of the best kind stays.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._draft = path.with_name(f".{path.name}.{os.getpid()}")
        self._file = self._draft.open("wb")
        self._numbers: dict[str, int] = {}
        self._answers: dict[int, tuple[Parsed, tuple[int, int], array[int]]] = {}

    def add(self, url: str, parsed: Parsed) -> None:
        """Take what one URL answered."""
        number = self._number(url)
        known = self._answers.get(number)
        if known is not None and known[0].kind <= parsed.kind:
            return
        links = array("i", map(self._number, parsed.leads_to))
        said = *_packed(parsed.content), None if parsed.spoken is None else tuple(parsed.spoken)
        blob = zlib.compress(pickle.dumps(said, protocol=5), _LEVEL)
        start = self._file.tell()
        self._file.write(blob)
        self._answers[number] = (
            replace(parsed, content=NOTHING, spoken=None),
            (start, start + len(blob)),
            links,
        )

    def _number(self, url: str) -> int:
        return self._numbers.setdefault(canonical_url(url), len(self._numbers))

    def finish(self, answered_by: Callable[[str], str | None], extra: dict[str, Any]) -> None:
        """Write the rest and give the file its name.

        `answered_by` names the recorded URL that answers for one that was not recorded itself.
        """
        header = self._header(answered_by, extra)
        blob = pickle.dumps(header, protocol=5)
        self._file.write(blob + len(blob).to_bytes(8, "big") + MAGIC)
        self._file.close()
        self._draft.replace(self._path)

    def discard(self) -> None:
        """Leave nothing behind."""
        self._file.close()
        self._draft.unlink(missing_ok=True)

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
            kinds=np.array([one.kind for one, _, _ in rows], dtype=np.uint8),
            statuses=np.array([one.status for one, _, _ in rows], dtype=np.int16),
            judgements=np.array([_judgement(one) for one, _, _ in rows]).reshape(-1, 2),
            lengths=np.array([one.length for one, _, _ in rows], dtype=np.int64),
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
            other = answered_by(urls[number])
            tmp = None if other is None else self._numbers.get(canonical_url(other))
            if tmp in self._answers:
                answers[number] = place[tmp]
        return answers


class WebFile(Closing):
    """A recorded web, see `LabWeb`; raises RecordingError for a file that is none.

    `answers` (n,) int32 is the number of the recorded URL that answers for each, itself where it
    was recorded, -1 where nothing was.
    """

    def __init__(self, path: Path, name: str) -> None:
        self.name = name
        self.path = path
        header = self._open(path)
        self.urls: Sequence[str] = header.urls
        self.answers = header.answers
        self.n_recorded = len(header.kinds)
        self.indptr = header.indptr
        self.extra = header.extra
        self._links = header.links
        resolved = header.answers[header.links]
        self.targets: NDArray[np.int32] = np.where(resolved >= 0, resolved, header.links)
        kinds = np.append(header.kinds, np.uint8(Kind.UNKNOWN))
        self.kinds: NDArray[np.uint8] = kinds[header.answers]
        self._header = header
        self._numbers = {url: number for number, url in enumerate(header.urls)}

    def _open(self, path: Path) -> _Header:
        try:
            with path.open("rb") as file:
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            if self._map[-len(MAGIC) :] != MAGIC:
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

    @property
    def is_past_crawl(self) -> bool:
        """Whether it is what a crawl saw, without texts, and no recording of responses."""
        return PAST in self.extra

    def judged_from(self, least: float) -> list[int]:
        """Numbers of the pages that the recorded crawl judged at least that relevant."""
        found: list[int] = np.flatnonzero(self._header.judgements[:, 0] >= least).tolist()
        return found

    def number(self, canonical: str) -> int:
        """Number of a canonical URL, as it is spelled; KeyError where no page leads to it."""
        return self._numbers[canonical]

    def find(self, url: str) -> int:
        """Number of a URL, resolved to the one that answers; -1 if nothing leads to it either."""
        number = self._numbers.get(canonical_url(url), -1)
        resolved = int(self.answers[number]) if number >= 0 else -1
        return resolved if resolved >= 0 else number

    def read(self, number: int) -> RecordedAnswer:
        """What a URL answers; links are numbered as the page spells them."""
        row = int(self.answers[number])
        if row < 0:
            return RecordedAnswer(Kind.UNKNOWN, 404, NOTHING, np.empty(0, np.int32))
        header = self._header
        kind = Kind(int(header.kinds[row]))
        links = self._links[self.indptr[row] : self.indptr[row + 1]]
        location = int(links[0]) if kind is Kind.REDIRECT else -1
        relevance, similarity = map(_or_none, header.judgements[row].tolist())
        content, spoken = self._content(row) if kind is Kind.PAGE else (NOTHING, None)
        return RecordedAnswer(
            kind=kind,
            status=int(header.statuses[row]),
            content=content,
            links=links if kind is Kind.PAGE else links[:0],
            location=location,
            relevance=relevance,
            similarity=similarity,
            spoken=spoken,
            length=int(header.lengths[row]),
        )

    def _content(self, row: int) -> tuple[PageContent, Spoken | None]:
        start, end = self._header.offsets[row].tolist()
        stored = pickle.loads(zlib.decompress(self._map[start:end]))  # noqa: S301  # our own
        return _unpacked(*stored)

    def text(self, number: int) -> str:
        """Title and text of a page, as examples of a crawl are read; "" where there is none."""
        content = self.read(number).content
        return f"{content.title}\n{content.text}" if content.text.strip() else ""


def _judgement(parsed: Parsed) -> list[float]:
    """Relevance and similarity; NaN for None."""
    both = parsed.relevance, parsed.similarity
    return [math.nan if value is None else value for value in both]


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else value


def _packed(content: PageContent) -> tuple[list[Any], list[tuple[Any, ...]]]:
    values = [getattr(content, name) for name in _PAGE_FIELDS]
    return values, [tuple(getattr(one, name) for name in _LINK_FIELDS) for one in content.links]


def _unpacked(
    values: list[Any], links: list[tuple[Any, ...]], said: tuple[Any, ...] | None
) -> tuple[PageContent, Spoken | None]:
    found = [Link(**dict(zip(_LINK_FIELDS, one, strict=True))) for one in links]
    content = PageContent(**dict(zip(_PAGE_FIELDS, values, strict=True)), links=found)
    return content, None if said is None else Spoken(*said)
