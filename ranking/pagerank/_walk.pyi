import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Weights = npt.NDArray[np.float32] | None
Values = npt.NDArray[np.float64]
Scores = npt.NDArray[np.float64] | npt.NDArray[np.float32]

def inner_links(
    indptr: Longs,
    targets: Ids,
    weights: Weights,
    row_of: Ids,
    sources: Ids,
    rows: Ids,
    inner_weights: Weights,
) -> int: ...
def sweep(
    indptr: Longs,
    sources: Ids,
    weights: Weights,
    restart: Values,
    share: Values,
    y: Values,
    handed: Values,
    change: Values,
) -> float: ...
def owed(pages: Ids, inflow: Values) -> tuple[float, float]: ...
def push(
    indptr: Longs,
    targets: Ids,
    weights: Weights,
    pages: Ids,
    share: Values,
    y: Values,
    inflow: Values,
    threshold: float,
    first: int,
) -> int: ...
def carry_over(
    scores: Values,
    unit: float,
    restart: Scores,
    before: Scores,
    inflow: Values,
) -> bool: ...
