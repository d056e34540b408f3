import numpy as np
import numpy.typing as npt

from ranking.arrays import IntArray, SingleArray

Scores = npt.NDArray[np.float64] | npt.NDArray[np.float32]

def named(
    ids: IntArray,
    weights: SingleArray | None,
    scale: float,
    authority: Scores,
    told: npt.NDArray[np.uint8] | None,
    relevance: SingleArray | None,
    mean: float,
    out: Scores,
) -> None: ...
def raised(
    ids: IntArray,
    weights: SingleArray | None,
    scale: float,
    handed: float,
    authority: Scores,
) -> None: ...
