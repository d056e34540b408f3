"""The scores of pages as they were sent, to tell which have moved since."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from frontier.follow.events import PageEvent

_GROWTH: Final = 65_536
_KIND: Final = np.dtype("<f8")


class SentScores:
    """(n,) float64 by id of the URL; 0 where none is known to have been sent."""

    def __init__(self, path: Path | None) -> None:
        """Go on with those in a file, which is written at once; None: in memory alone."""
        self._path = path
        self._values: NDArray[np.float64] = np.zeros(0)
        if path is not None and path.exists():
            self._grow(path.stat().st_size // _KIND.itemsize)

    def _grow(self, size: int) -> None:
        size = -(-size // _GROWTH) * _GROWTH
        if self._path is None:
            self._values = np.concatenate((self._values, np.zeros(size - len(self._values))))
        elif size:
            with self._path.open("ab") as file:
                file.truncate(size * _KIND.itemsize)
            self._values = np.memmap(self._path, _KIND, "r+")

    def note(self, ids: Sequence[int], events: Sequence[PageEvent]) -> None:
        """Note the scores of events that were sent, with the ids of their URLs."""
        if ids and max(ids) >= len(self._values):
            self._grow(max(ids) + 1)
        self._values[ids] = [event.score or 0.0 for event in events]

    def have_moved(
        self, ids: NDArray[np.int64], scores: NDArray[np.float64], share: float
    ) -> NDArray[np.bool_]:
        """(k,) whether the scores of ids differ by more than a share from those that were sent."""
        if len(ids) and ids[-1] >= len(self._values):
            self._grow(int(ids[-1]) + 1)
        moved = np.zeros(len(ids), np.bool_)
        known = ids < len(scores)
        sent = self._values[ids[known]]
        moved[known] = np.abs(scores[ids[known]] - sent) > share * sent
        return moved

    def forget(self) -> None:
        """Forget all of them: each page counts as moved."""
        self._values = np.zeros(0)
        if self._path is not None:
            self._path.unlink(missing_ok=True)
