import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray, IntArray, SingleArray

def vouch(
    ids: IntArray,
    promises: SingleArray,
    followed: npt.NDArray[np.uint8] | None,
    own: float,
    in_links: IntArray,
    parent_sum: FloatArray,
    parent_max: SingleArray,
    promise: SingleArray,
) -> None: ...
