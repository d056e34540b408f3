"""What the links to a URL say of it beyond the evidence table, one row an id.

Sums, counts and extremes, filled by lessons alone and in their order: a crawl that is resumed from
saved columns and the lessons since has the same ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.arrays import Column, Columns
from ranking.lesson import ADDRESS, ANCHOR, CONTEXT, PageLesson

LAST_POSITION = 65_535
"""Of a link in its page; one further down counts as there. Also: nobody has linked to it yet."""
UNJUDGED = -1.0
_READ = (
    *("anchor", "anchor_sum", "voices", "context", "address", "similarity", "share"),
    "position",
)


class LinkMemory(Columns):
    """What the words say, where the links stand, what was judged."""

    def __init__(self) -> None:
        super().__init__(
            {
                "anchor": Column(np.uint8),
                "context": Column(np.uint8),
                "address": Column(np.uint8),
                "anchor_sum": Column(np.float32),
                "voices": Column(np.int32),
                "similarity": Column(np.float32),
                "share": Column(np.float32),
                "position": Column(np.uint16, fill=LAST_POSITION),
                "judged": Column(np.float32, fill=UNJUDGED),
            }
        )

    @property
    def columns(self) -> tuple[npt.NDArray[Any], ...]:
        """What the signals are read from; arrays (n,), valid until the next `grow`."""
        return tuple(self[name] for name in _READ)

    def judge(self, page: int, relevance: float) -> None:
        """Remember how relevant a page was."""
        self["judged"][page] = relevance

    def note(self, lesson: PageLesson) -> None:
        """Take in the links of a page, without those to itself; O(links)."""
        ids, cues = lesson.targets, lesson.cues
        np.maximum.at(self["anchor"], ids, cues[:, ANCHOR])
        np.maximum.at(self["context"], ids, cues[:, CONTEXT])
        np.maximum.at(self["address"], ids, cues[:, ADDRESS])
        spoken = lesson.voices > 0
        np.add.at(self["anchor_sum"], ids[spoken], cues[spoken, ANCHOR].astype(np.float32))
        np.add.at(self["voices"], ids[spoken], 1)
        places = np.minimum(np.arange(len(ids)), LAST_POSITION).astype(np.uint16)
        np.minimum.at(self["position"], ids, places)
        self._vouch(lesson)

    def _vouch(self, lesson: PageLesson) -> None:
        ids = lesson.targets if lesson.weights is None else lesson.targets[lesson.weights > 0]
        named = np.unique(ids)
        if named.size:
            self["similarity"][named] += np.float32(lesson.similarity)
            self["share"][named] += np.float32(lesson.relevance / named.size)
