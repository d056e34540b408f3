from typing import Any

import numpy as np
import numpy.typing as npt

def sharing(
    rows: npt.NDArray[np.uint64],
    tables: npt.NDArray[np.signedinteger[Any]],
    bits: int,
    keys: npt.NDArray[np.uint64],
    bands: int,
) -> tuple[set[int], set[int]]: ...
def forget(
    rows: npt.NDArray[np.uint64], tables: npt.NDArray[np.signedinteger[Any]], bits: int, row: int
) -> None: ...
def remember(
    keys: npt.NDArray[np.uint64],
    tables: npt.NDArray[np.signedinteger[Any]],
    bits: int,
    row: int,
    capacity: int,
) -> None: ...
