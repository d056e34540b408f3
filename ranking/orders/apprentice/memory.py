"""What the links to a URL say of it beyond the evidence table, one row an id.

Sums, counts and extremes, filled by page updates alone and in their order: a crawl that is resumed
from saved columns and the page updates since has the same ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.arrays import Column, Columns, IntArray
from ranking.orders.apprentice import _memory
from ranking.page_update import PageUpdate

LAST_POSITION = 65_535
"""Of a link in its page; one further down counts as there. Also: nobody has linked to it yet."""
MOST_TEXTS = 255
"""Of a URL that its mean link text is taken over, the first ones: one more changes little."""
_SAID = ("anchor", "context", "address", "anchor_sum", "texts", "position")
_READ = ("anchor", "anchor_sum", "texts", "context", "address", "similarity", "share", "position")


class LinkMemory(Columns):
    """What the words say, where the links stand, what was judged."""

    def __init__(self) -> None:
        super().__init__(
            {
                "anchor": Column(np.uint8),
                "context": Column(np.uint8),
                "address": Column(np.uint8),
                "anchor_sum": Column(np.uint16),
                "texts": Column(np.uint8),
                "similarity": Column(np.float32),
                "share": Column(np.float32),
                "position": Column(np.uint16, fill=LAST_POSITION),
                "judged": Column(np.bool_),
            }
        )

    @property
    def columns(self) -> tuple[npt.NDArray[Any], ...]:
        """What the signals are read from; arrays (n,), valid until the next `grow`."""
        columns = self._columns
        return tuple([columns[name].array for name in _READ])

    def judge(self, page: int) -> None:
        """Remember that a page was judged; how relevant it was, says the evidence."""
        self["judged"][page] = True

    def note(self, update: PageUpdate, vouched: IntArray) -> None:
        """Take in the links of a page; those to itself say nothing.

        `vouched` (j,) are the different other pages that it has a followed link to. Raises
        IndexError for ids that are not known.
        """
        _memory.note(
            update.page,
            np.ascontiguousarray(update.targets, np.int32),
            np.ascontiguousarray(update.matches),
            *[self[name] for name in _SAID],
        )
        if vouched.size:
            share = update.relevance / vouched.size
            _memory.vouch(vouched, update.similarity, share, self["similarity"], self["share"])
