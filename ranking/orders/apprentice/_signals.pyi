from typing import Any

import numpy.typing as npt

from ranking.arrays import FloatArray, LongArray
from ranking.orders.apprentice._scales import Scales

_Columns = tuple[npt.NDArray[Any], ...]

def gather(columns: _Columns, ids: LongArray | FloatArray, out: FloatArray) -> None: ...
def read(of: FloatArray, mean: float, level: float, out: FloatArray) -> None: ...
def explore(of: FloatArray, out: FloatArray) -> None: ...
def add_menus(of: FloatArray, weight: float, out: FloatArray) -> None: ...
def silence(
    of: FloatArray, answers: tuple[float, float, float], value: FloatArray, out: FloatArray
) -> None: ...
def add_example(
    x: FloatArray, value: float, count: float, squares: FloatArray, sums: FloatArray
) -> None: ...

class Weighing:
    def __init__(
        self,
        columns: _Columns,
        places: tuple[_Columns, ...],
        mean: float,
        level: float,
        answers: tuple[float, float, float],
        menus: float,
        kept: LongArray,
        graded: LongArray,
        weights: FloatArray,
        scales: Scales | None,
    ) -> None: ...
    def values(self, ids: LongArray, out: FloatArray) -> None: ...
