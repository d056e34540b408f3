"""What a replay sees of a recorded web: its URLs, how each answers, and where each leads.

A URL is known by its canonical form and by a number. The first `n_recorded` numbers are the URLs
that were recorded; the others are those that recorded pages link to and that the recording never
held. WARC files and the directory of a past crawl are read into this one shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import compress
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from frontier.parsing.html import PageContent


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
class RecordedAnswer:
    """What one URL answers.

    Attributes:
        kind: how it answers.
        status: of HTTP, 0 where there was no answer.
        content: title, text and links of a page; empty for others.
        links: (k,) numbers of the URLs that `content.links` lead to.
        location: number of the URL that a redirect leads to, -1 for others.
        relevance: as the recorded crawl judged the page; None where nothing was recorded of that.
        similarity: likewise.
        spoken: likewise, of its links.
        length: of the body, in bytes, as far as known.

    """

    kind: Kind
    status: int
    content: PageContent
    links: npt.NDArray[np.int32]
    location: int = -1
    relevance: float | None = None
    similarity: float | None = None
    spoken: Spoken | None = None
    length: int = 0


class LabWeb(Protocol):
    """A recorded web, ready for replay.

    Attributes:
        name: what tasks call it.
        urls: (n,) canonical URLs by number.
        n_recorded: how many of them were recorded, the first ones.
        kinds: (n,) uint8 of `Kind`.
        indptr: (n_recorded + 1,) int64, and
        targets: int32: URL i < n_recorded leads to targets[indptr[i] : indptr[i + 1]], in page
            order: what a crawl follows, so that a redirect has one target. A URL that another
            recorded one answers for (the same page under the other scheme) is given as that.

    """

    name: str
    urls: Sequence[str]
    n_recorded: int
    kinds: npt.NDArray[np.uint8]
    indptr: npt.NDArray[np.int64]
    targets: npt.NDArray[np.int32]

    def find(self, url: str) -> int:
        """Number of a URL, however it is spelled; -1 if no page leads to it either."""
        ...

    def read(self, number: int) -> RecordedAnswer:
        """What a URL answers; of numbers from `n_recorded`, that nothing is known."""
        ...

    def text(self, number: int) -> str:
        """Title and text of a recorded page as one example text; "" where there is none."""
        ...
