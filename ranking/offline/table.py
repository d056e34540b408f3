"""The result of an offline ranking: names and columns of numbers, one row an id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.arrays import LongArray
from ranking.offline.errors import OfflineInputError
from ranking.offline.precedence import best_first, precedence

SCORE = "score"


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Scores under the names of what was scored.

    Attributes:
        names: n names, by id; any sequence of str, such as `EdgeList.names`.
        columns: name of the column -> (n,) numbers, by id; "score" must be there.

    Raises:
        OfflineInputError: columns of another length, or without "score".

    """

    names: Sequence[str]
    columns: Mapping[str, npt.NDArray[Any]]

    def __post_init__(self) -> None:
        if SCORE not in self.columns:
            raise OfflineInputError(
                f'a table of scores needs a column "{SCORE}", got {", ".join(self.columns)}'
            )
        for name, column in self.columns.items():
            if np.shape(column) != (len(self.names),):
                raise OfflineInputError(
                    f"column {name!r} must have one value for each of the {len(self.names)} "
                    f"names, got shape {np.shape(column)}"
                )

    def with_precedence(self, levels: int) -> ScoreTable:
        """The same table with one more column, int32 `precedence` in [1, levels]."""
        level = precedence(self.columns[SCORE], levels)
        return ScoreTable(self.names, {**self.columns, "precedence": level})

    def best(self, top: int | None = None) -> LongArray:
        """Ids by score, the highest first, ties by id; only the first `top`, if given.

        Raises OfflineInputError for a `top` below 1.
        """
        if top is not None and top < 1:
            raise OfflineInputError(f"the number of top scores must be 1 or more, got {top}")
        return best_first(self.columns[SCORE])[:top]
