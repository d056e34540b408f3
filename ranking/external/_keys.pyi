import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray, IntArray, SingleArray

Keys = npt.NDArray[np.uint64]
Counts = npt.NDArray[np.uint32]

def distinct(keys: Keys, weights: SingleArray | None) -> int: ...
def split(
    keys: Keys,
    weights: SingleArray | None,
    heads: Counts,
    counts: Counts,
    sources: IntArray,
    totals: FloatArray,
) -> int: ...
