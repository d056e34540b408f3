from typing import Any

import numpy.typing as npt

from ranking.arrays import FloatArray, LongArray, SingleArray

_Columns = tuple[npt.NDArray[Any], ...]
_Scales = tuple[LongArray, SingleArray, FloatArray]

def gather(columns: _Columns, ids: LongArray | FloatArray, out: FloatArray) -> None: ...
def read(of: FloatArray, mean: float, level: float, out: FloatArray) -> None: ...
def explore(of: FloatArray, out: FloatArray) -> None: ...
def silence(of: FloatArray, value: FloatArray, out: FloatArray) -> None: ...
def add_example(
    x: FloatArray, value: float, count: float, squares: FloatArray, sums: FloatArray
) -> None: ...
def look_up(
    starts: LongArray, steps: SingleArray, at: FloatArray, values: FloatArray, out: FloatArray
) -> None: ...

class Weighing:
    def __init__(
        self,
        columns: _Columns,
        places: tuple[_Columns, ...],
        mean: float,
        level: float,
        graded: LongArray,
        weights: FloatArray,
        scales: _Scales,
    ) -> None: ...
    def values(self, ids: LongArray, out: FloatArray) -> None: ...
