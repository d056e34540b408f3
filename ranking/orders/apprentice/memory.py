"""What the links to a URL say of it beyond the evidence table, one row an id.

Maxima, and a sum of how similar the linking pages are to the topic, filled by page updates alone
and in their order: a crawl that is resumed from saved columns and the page updates since has the
same ones.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ranking.arrays import Column, Columns, IntArray, as_known_ids
from ranking.page_update import (
    ADDRESS,
    ANCHOR,
    CONTEXT,
    NEAR_ADDRESS,
    NEAR_ANCHOR,
    NEAR_CONTEXT,
    PageUpdate,
)

_MATCHES: Final = {
    "anchor": ANCHOR,
    "context": CONTEXT,
    "address": ADDRESS,
    "near anchor": NEAR_ANCHOR,
    "near context": NEAR_CONTEXT,
    "near address": NEAR_ADDRESS,
}
_PARENTS: Final = "similar parents"


class LinkMemory(Columns):
    """The best that the words of links say, how similar their pages are, and what was judged."""

    def __init__(self) -> None:
        columns: dict[str, Column[Any]] = {name: Column(np.uint8) for name in _MATCHES}
        columns[_PARENTS] = Column(np.float32)
        super().__init__({**columns, "judged": Column(np.bool_)})

    @property
    def columns(self) -> tuple[npt.NDArray[Any], ...]:
        """What the signals are read from; arrays (n,), valid until the next `grow`."""
        return tuple([self[name] for name in (*_MATCHES, _PARENTS)])

    def judge(self, page: int) -> None:
        """Remember that a page was judged; how relevant it was, says the evidence."""
        self["judged"][page] = True

    def note(self, update: PageUpdate, followed: IntArray) -> None:
        """Take in the links of a page, which may name a target repeatedly.

        `followed` are the targets that it vouches for, each once. Raises RankingInputError for ids
        that are not known.
        """
        targets = as_known_ids("targets", update.targets, len(self["judged"]))
        for name, column in _MATCHES.items():
            np.maximum.at(self[name], targets, update.matches[:, column])
        self[_PARENTS][followed] += np.float32(update.similarity)
