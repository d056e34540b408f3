import numpy as np
import numpy.typing as npt

_Keys = npt.NDArray[np.uint64]
_Rows = npt.NDArray[np.int32]

def shingles(text: bytes, out: _Keys) -> tuple[int, int]: ...
def sharing(
    rows: _Keys, tables: _Rows, shift: int, keys: _Keys, bands: int
) -> tuple[set[int], set[int]]: ...
def remember(rows: _Keys, tables: _Rows, shift: int, first: int, n: int, capacity: int) -> None: ...
