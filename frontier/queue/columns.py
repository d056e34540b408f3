"""The columns of the queue: one row for each URL id, 13 bytes beside the shared columns.

They hold the order key of every URL that was ever queued, and are used for two operations on many
URLs: selecting the k best keys, and sorting. Ties are common, because most crawls give most URLs
the same class, and some strategies the same priority: each column decides only among the URLs that
are equal in the columns before it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranking.arrays import Column

Ids = NDArray[np.int64]
Key = tuple[float, ...]
"""(-class, -priority, fingerprint, id): ascending, so that the best comes first. No two of them
are equal, and the empty tuple lies before all."""

KEY_LENGTH = 4


class KeyColumns:
    """Class int32, priority float64, fingerprint int64, host int32 and place uint8 by URL id."""

    classes: NDArray[np.int32]
    priorities: NDArray[np.float64]
    fingerprints: NDArray[np.int64]
    hosts: NDArray[np.int32]
    places: NDArray[np.uint8]

    def __init__(self, fingerprints: Column[np.int64], hosts: Column[np.int32]) -> None:
        """Share two columns of the URL table, whose rows are written before a push."""
        self._classes = Column(np.int32)
        self._priorities = Column(np.float64)
        self._fingerprints = fingerprints
        self._hosts = hosts
        self._places = Column(np.uint8)
        self.grow(0)

    def grow(self, n: int) -> None:
        """Make room for ids below `n`; what is new is 0."""
        self._classes.resize(n)
        self._priorities.resize(n)
        self._places.resize(n)
        self.classes, self.priorities = self._classes.array, self._priorities.array
        self.places = self._places.array
        known = len(self.places)  # the shared columns may have more rows
        self.fingerprints, self.hosts = self._fingerprints.array[:known], self._hosts.array[:known]

    def keys(self, ids: Ids) -> list[Key]:
        """Return the order keys of ids."""
        return list(
            zip(
                (-self.classes[ids]).tolist(),
                (-self.priorities[ids]).tolist(),
                self.fingerprints[ids].tolist(),
                ids.tolist(),
                strict=True,
            )
        )

    def may_precede(self, key: Key, ids: Ids) -> NDArray[np.bool_]:
        """Return which of the ids, (k,), have a key that precedes this one, or one of the same
        class and priority.
        """
        classes, priorities = self.classes[ids], self.priorities[ids]
        better: NDArray[np.bool_] = classes > -key[0]
        better |= (classes == -key[0]) & (priorities >= -key[1])
        return better

    def best(self, ids: Ids, k: int) -> Ids:
        """Return those of the ids, which ascend, that have the k best keys, best first."""
        chosen = []
        for column, sign in ((self.classes, -1), (self.priorities, -1), (self.fingerprints, 1)):
            if len(ids) <= k:
                break
            values = column[ids]
            if values.min() == values.max():
                continue
            if sign < 0:
                np.negative(values, out=values)
            cut = np.partition(values, k - 1)[k - 1]
            chosen.append(ids[values < cut])
            ids = ids[values == cut]
            k -= len(chosen[-1])
        return self.ranked(np.concatenate([*chosen, ids[:k]]))

    def ranked(self, ids: Ids) -> Ids:
        """Return ids by their keys, best first."""
        classes = self.classes[ids]
        if len(classes) and classes.min() < classes.max():
            columns = ids, self.fingerprints[ids], -self.priorities[ids], -classes
            return ids[np.lexsort(columns)]
        # Sorting by one column takes a tenth; the others are compared only within ties.
        ids = ids[np.argsort(-self.priorities[ids])]
        priorities = self.priorities[ids]
        equal = np.zeros(len(ids) + 1, np.bool_)
        np.equal(priorities[1:], priorities[:-1], out=equal[1 : len(ids)])
        tied = np.flatnonzero(equal[1:] | equal[:-1])
        few = ids[tied]
        ids[tied] = few[np.lexsort((few, self.fingerprints[few], -priorities[tied]))]
        return ids


def rank_within(groups: NDArray[Any]) -> NDArray[np.int64]:
    """Return how many equal elements, which are integers >= 0, stand before each element."""
    narrow = groups.astype(np.uint16) if groups.max(initial=0) < 2**16 else groups
    order = np.argsort(narrow, kind="stable")  # in linear time where numbers have 16 bits
    in_order = groups[order]
    starts = np.flatnonzero(np.append(True, in_order[1:] != in_order[:-1])[: len(groups)])
    sizes = np.diff(np.append(starts, len(groups)))
    ranks = np.empty(len(groups), dtype=np.int64)
    ranks[order] = np.arange(len(groups)) - np.repeat(starts, sizes)
    return ranks
