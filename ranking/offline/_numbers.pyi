import numpy as np
import numpy.typing as npt

from ranking.arrays import IntArray, LongArray, SingleArray

Bits = npt.NDArray[np.uint64]

def parse_numbers(
    text: bytes | bytearray, starts: LongArray, lengths: IntArray, out: IntArray
) -> tuple[int, int]: ...
def mark(numbers: IntArray, bits: Bits) -> None: ...
def count_before(bits: Bits, before: IntArray) -> int: ...
def list_marked(bits: Bits, out: IntArray) -> None: ...
def renumber(numbers: IntArray, bits: Bits, before: IntArray) -> None: ...
def keys_of(
    ends: IntArray,
    weights: SingleArray | None,
    rows: Bits,
    rows_before: IntArray,
    used: Bits,
    used_before: IntArray,
    n_rows: int,
    out: Bits,
) -> int: ...
