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
import os
import pickle
import zlib
from array import array
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.lab.replay.web import Kind, Spoken
from frontier.parsing.html import Link, PageContent
from frontier.urls.canonical import canonical_url

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

MAGIC = b"linkrank lab 1\n"
TRAILER = 8 + len(MAGIC)
_LEVEL = 1
"""Of zlib; a page is unpacked once a fetch, in about 0.1 ms."""
LINK_FIELDS = tuple(one.name for one in fields(Link))
PAGE_FIELDS = tuple(one.name for one in fields(PageContent) if one.name != "links")
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
class Header:
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

    def _header(self, answered_by: Callable[[str], str | None], extra: dict[str, Any]) -> Header:
        order = [*self._answers, *(i for i in range(len(self._numbers)) if i not in self._answers)]
        place = np.empty(len(order), dtype=np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        by_number = list(self._numbers)
        urls = [by_number[i] for i in order]
        rows = list(self._answers.values())
        lengths = np.array([len(links) for _, _, links in rows], dtype=np.int64)
        every = [np.frombuffer(links, dtype=np.int32) for _, _, links in rows if links]
        return Header(
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
            found = None if other is None else self._numbers.get(canonical_url(other))
            if found in self._answers:
                answers[number] = place[found]
        return answers


def _judgement(parsed: Parsed) -> list[float]:
    """Relevance and similarity; NaN for None."""
    both = parsed.relevance, parsed.similarity
    return [math.nan if value is None else value for value in both]


def _packed(content: PageContent) -> tuple[list[Any], list[tuple[Any, ...]]]:
    values = [getattr(content, name) for name in PAGE_FIELDS]
    return values, [tuple(getattr(one, name) for name in LINK_FIELDS) for one in content.links]
