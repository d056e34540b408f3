import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

def look_up(
    values: Floats,
    starts: npt.NDArray[np.int64],
    steps: npt.NDArray[np.float32],
    at: Floats,
    between: Floats,
    out: Floats,
) -> None: ...
