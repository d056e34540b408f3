import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray, IntArray, LongArray, SingleArray

Bits = npt.NDArray[np.uint64]

def add_to(bits: Bits, ids: IntArray) -> None: ...
def push(
    indptr: LongArray,
    targets: IntArray,
    codes: npt.NDArray[np.uint8] | None,
    palette: SingleArray | None,
    row: IntArray,
    fetched: Bits,
    share: FloatArray,
    damping: float,
    least: float,
    enough: float,
    limit: int,
    size: int,
    queue: IntArray,
    queued: npt.NDArray[np.uint8],
    waiting: FloatArray,
    handed_on: FloatArray,
    owed: FloatArray,
    owing: IntArray,
    totals: FloatArray,
    counts: LongArray,
) -> None: ...
def settle(
    indptr: LongArray,
    targets: IntArray,
    codes: npt.NDArray[np.uint8] | None,
    palette: SingleArray | None,
    fetched: Bits,
    bounds: FloatArray,
    owed: FloatArray,
    owing: IntArray,
    counts: LongArray,
) -> None: ...
