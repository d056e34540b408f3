from typing import Any

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Weights = npt.NDArray[np.float32] | None
Values = npt.NDArray[np.float64]

def ascending(keys: Ids) -> bool: ...
def count(keys: Ids, counts: Longs) -> None: ...
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
def totals(indptr: Longs, weights: npt.NDArray[np.float32], out: Values) -> None: ...
def gather(indptr: Longs, targets: Ids, weights: Weights, values: Values, out: Values) -> None: ...
def scatter(indptr: Longs, targets: Ids, weights: Weights, values: Values, out: Values) -> None: ...
