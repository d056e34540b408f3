"""What a replay sees of a recorded web: how each URL answers, and where it leads.

A URL is known by its canonical form and by a number. WARC files and the directory of a past crawl
are read into this one shape.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from itertools import compress
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from frontier.parsing.content import NOTHING, PageContent


class Kind(IntEnum):
    """How a URL answers."""

    PAGE = 0
    """Status below 300."""
    REDIRECT = 1
    FAILED = 2
    """Status 400 or more, a failed download, a redirect that leads nowhere."""
    UNKNOWN = 3
    """Never recorded."""


class Spoken(NamedTuple):
    """What the recorded crawl made of the words of k links, by `frontier.topic.relevance`."""

    promises: list[float]
    cues: list[tuple[int, ...]]
    voices: list[int]

    def where(self, chosen: npt.NDArray[np.bool_]) -> Spoken:
        """Of some of the links."""
        return Spoken(
            [*compress(self.promises, chosen)],
            [*compress(self.cues, chosen)],
            [*compress(self.voices, chosen)],
        )


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a URL answered.

    Attributes:
        kind: how it answered.
        status: of HTTP, 0 where there was no answer.
        content: title, text and links of a page; empty for others.
        location: URL that a redirect leads to, "" for others.
        relevance: as the recorded crawl judged the page; None where nothing was recorded of that.
        similarity: likewise.
        spoken: likewise, of its links.

    """

    kind: Kind
    status: int
    content: PageContent = NOTHING
    location: str = ""
    relevance: float | None = None
    similarity: float | None = None
    spoken: Spoken | None = None


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """What a URL answers in a replay, see `Parsed`.

    `links` (k,) are numbers of the URLs that `content.links` lead to, `location` that of the URL
    that a redirect leads to, -1 for others.
    """

    kind: Kind
    status: int
    content: PageContent
    links: npt.NDArray[np.int32]
    location: int = -1
    relevance: float | None = None
    similarity: float | None = None
    spoken: Spoken | None = None
