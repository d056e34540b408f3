import numpy as np
import numpy.typing as npt

from ranking.arrays import IntArray, LongArray, SingleArray

def unite(
    indptr: LongArray,
    targets: IntArray,
    weights: SingleArray | None,
    counted: npt.NDArray[np.uint8],
    parent: IntArray,
    rows: IntArray,
) -> None: ...
