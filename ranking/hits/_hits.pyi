import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int32]
Places = npt.NDArray[np.uint32]
Longs = npt.NDArray[np.int64]
Codes = npt.NDArray[np.uint8] | None
Weights = npt.NDArray[np.float32] | None
Values = npt.NDArray[np.float64]

def in_degrees(targets: Ids, codes: Codes, palette: Weights, degree: Places) -> None: ...
def list_sizes(degree: Places) -> tuple[int, int]: ...
def place_lists(degree: Places, ids: Ids, indptr: Longs) -> None: ...
def fill_lists(
    indptr: Longs,
    targets: Ids,
    codes: Codes,
    palette: Weights,
    relevance: Values | None,
    at: Places,
    sources: Ids,
    list_weights: Weights,
    diagonal: Values,
) -> None: ...
def iterate(
    indptr: Longs,
    sources: Ids,
    weights: Weights,
    relevance: Values | None,
    diagonal: Values | None,
    both: Values,
    first: int,
    last: int,
) -> None: ...
