"""Ids and their names: sequences of text by id.

Names that were read are an array of pyarrow: a name costs its bytes and 8 more, where a Python
string costs 60 more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from ranking.arrays import IntArray, LongArray
from ranking.offline.extras import pyarrow

UNKNOWN = -1


class ReadNames(Sequence[str]):
    """Names that were read from a file, by id.

    Attributes:
        array: (n,) large_string array of pyarrow, by id.

    """

    def __init__(self, array: Any) -> None:
        self.array = array

    def __len__(self) -> int:
        return len(self.array)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        places = range(len(self))[index]
        if isinstance(places, range):
            return self.take(np.array(places, np.int64))
        return self.take(np.array([places], np.int64))[0]

    def take(self, ids: LongArray) -> list[str]:
        """Names of ids in [0, n), faster than one by one."""
        return list(self.array.take(pyarrow("reading links").array(ids)).to_pylist())

    def find(self, names: Any) -> IntArray:
        """Ids (k,) of a pyarrow array of names; UNKNOWN where there is no such name."""
        compute = pyarrow("reading values", "pyarrow.compute")
        places = compute.index_in(names, value_set=self.array)
        return np.asarray(places.fill_null(UNKNOWN), np.int32)


def take(names: Sequence[str], ids: npt.NDArray[Any]) -> list[str]:
    """Names of ids (k,) out of any sequence of names."""
    if isinstance(names, ReadNames):
        return names.take(ids.astype(np.int64, copy=False))
    return [names[i] for i in ids.tolist()]
