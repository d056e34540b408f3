import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray, IntArray, LongArray

Bits = npt.NDArray[np.uint64]
Bytes = npt.NDArray[np.uint8]

def distances(
    pages: IntArray,
    indptr: LongArray,
    targets: IntArray,
    row: IntArray,
    seen: Bits,
    now: Bits,
    after: Bits,
    wave: IntArray,
    following: IntArray,
    values: FloatArray,
) -> int: ...
def count_self(registers: Bytes, precision: int) -> None: ...
def estimate(registers: Bytes, ids: IntArray, sizes: FloatArray) -> None: ...
def spread(
    indptr: LongArray,
    targets: IntArray,
    rows: IntArray,
    given: Bytes,
    registers: Bytes,
    marked: Bytes,
    changed: IntArray,
) -> int: ...
def copy_rows(registers: Bytes, ids: IntArray, given: Bytes) -> None: ...
