from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

def gather(
    columns: tuple[npt.NDArray[Any], ...],
    ids: npt.NDArray[np.int64] | Floats,
    out: Floats,
) -> None: ...
def read(of: Floats, mean: float, level: float, out: Floats) -> None: ...
def explore(of: Floats, out: Floats) -> None: ...
def silence(of: Floats, answering: float, value: Floats, out: Floats) -> None: ...
def add_example(x: Floats, value: float, count: float, squares: Floats, sums: Floats) -> None: ...
def weigh(
    surprise: Floats,
    values: Floats,
    graded: npt.NDArray[np.int64],
    weights: Floats,
    onto: Floats,
) -> None: ...
