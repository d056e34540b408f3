from typing import Any

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Weights = npt.NDArray[np.float32] | None
Values = npt.NDArray[np.float64]

def examine(page: int, ids: Ids) -> tuple[int, bool]: ...
def weigh(weights: npt.NDArray[np.float32]) -> tuple[float, bool]: ...
def group(keys: Ids, values: Ids, start: Longs, out: Ids) -> None: ...
def repeats(
    pages: Ids,
    indptr: Longs,
    targets: Ids,
    table: Ids,
    keep: npt.NDArray[Any],
    kept: Longs,
    pairs: Longs,
) -> tuple[int, int]: ...
def gather(indptr: Longs, targets: Ids, weights: Weights, values: Values, out: Values) -> None: ...
def scatter(indptr: Longs, targets: Ids, weights: Weights, values: Values, out: Values) -> None: ...
