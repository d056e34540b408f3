"""What is known of some URLs, gathered from the columns that page updates keep current."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray
from ranking.evidence import Evidence
from ranking.orders.apprentice import _signals
from ranking.orders.apprentice.memory import LinkMemory
from ranking.orders.apprentice.places import Yields
from ranking.orders.apprentice.sources import SourceYields
from ranking.orders.apprentice.walks import Walks
from ranking.priority import Ids

PLACE, YIELD, ROWS = 13, 17, 29


class Sight(NamedTuple):
    """Where an apprentice looks, beside the evidence."""

    memory: LinkMemory
    walks: Walks
    sources: SourceYields
    yields: Yields

    def looked(self, ids: Ids, evidence: Evidence) -> FloatArray:
        """(ROWS, k) what is known of ids (k,), in the order of the rows in `_signals`.

        Raises IndexError for an id that is not known.
        """
        found = np.empty((ROWS, len(ids)))
        _signals.gather(self.columns(evidence), np.ascontiguousarray(ids, np.int64), found)
        row = YIELD
        for place, one in enumerate(self.yields, PLACE):
            _signals.gather(one.columns, found[place], found[row:])
            row += len(one.columns)
        return found

    def columns(self, evidence: Evidence) -> tuple[npt.NDArray[Any], ...]:
        """What is known by id, in the order of the rows up to the places; valid until a `grow`."""
        return (
            *(evidence.promise, evidence.parent_sum, evidence.parent_max),
            *(evidence.in_links, evidence.depth),
            *self.memory.columns,
            *self.walks.columns,
            *self.sources.columns,
            *(one.of for one in self.yields),
        )


def exploration(looked: FloatArray) -> FloatArray:
    """(k,) what is added for hosts and folders of which little was seen."""
    found = np.empty(looked.shape[1])
    _signals.explore(looked, found)
    return found


def silence(looked: FloatArray, value: FloatArray) -> FloatArray:
    """(k,) what the chance that nothing new comes of them takes from URLs of this value (k,)."""
    found = np.empty(len(value))
    _signals.silence(looked, value, found)
    return found
