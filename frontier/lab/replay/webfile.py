"""A parsed recording, open for replay; see `frontier.lab.replay.webwriter` for what it holds."""

from __future__ import annotations

import math
import mmap
import pickle
import zlib
from dataclasses import replace
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.errors import RecordingError
from frontier.lab.replay.web import Kind, RecordedAnswer, Spoken
from frontier.lab.replay.webwriter import (
    LINK_FIELDS,
    MAGIC,
    NOTHING,
    PAGE_FIELDS,
    PAST,
    TRAILER,
    Header,
)
from frontier.parsing.html import Link, PageContent
from frontier.urls.canonical import canonical_url
from frontier.utils import Closing
from frontier.warc.recorded_urls import normal_url, other_scheme

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray


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

    def _open(self, path: Path) -> Header:
        try:
            with path.open("rb") as file:
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            if self._map[-len(MAGIC) :] != MAGIC:
                raise ValueError("it has no end")
            end = len(self._map) - TRAILER
            size = int.from_bytes(self._map[end : end + 8], "big")
            header = pickle.loads(self._map[end - size : end])  # noqa: S301  # our own cache
        except (OSError, ValueError, EOFError, AttributeError, pickle.UnpicklingError) as error:
            raise RecordingError(
                f"expected a parsed recording in {path}, but it cannot be read: {error}. "
                "Delete it; the recording is then parsed again"
            ) from error
        assert isinstance(header, Header)
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
        """Number of a URL, resolved to the one that answers; -1 if nothing leads to it either.

        A URL that is not there as it is spelled is looked for as `RecordedWeb` would do.
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

    def read_recorded(self, number: int) -> RecordedAnswer:
        """The same, of a web in which nothing leads to URLs that were never recorded."""
        answer = self.read(number)
        if answer.location >= 0 and self.kinds[answer.location] == Kind.UNKNOWN:
            return RecordedAnswer(Kind.FAILED, 404, NOTHING, answer.links)
        there = self.kinds[answer.links] != Kind.UNKNOWN
        if there.all():
            return answer
        content = replace(answer.content, links=[*compress(answer.content.links, there)])
        spoken = None if answer.spoken is None else answer.spoken.where(there)
        return replace(answer, content=content, links=answer.links[there], spoken=spoken)

    def _content(self, row: int) -> tuple[PageContent, Spoken | None]:
        start, end = self._header.offsets[row].tolist()
        stored = pickle.loads(zlib.decompress(self._map[start:end]))  # noqa: S301  # our own
        return _unpacked(*stored)

    def text(self, number: int) -> str:
        """Title and text of a page, as examples of a crawl are read; "" where there is none."""
        content = self.read(number).content
        return f"{content.title}\n{content.text}" if content.text.strip() else ""


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else value


def _unpacked(
    values: list[Any], links: list[tuple[Any, ...]], said: tuple[Any, ...] | None
) -> tuple[PageContent, Spoken | None]:
    found = [Link(**dict(zip(LINK_FIELDS, one, strict=True))) for one in links]
    content = PageContent(**dict(zip(PAGE_FIELDS, values, strict=True)), links=found)
    return content, None if said is None else Spoken(*said)
