import numpy as np
import numpy.typing as npt

Hashes = npt.NDArray[np.uint32]
Bytes = npt.NDArray[np.uint8]

def cut(text: str, hashes: Hashes, kinds: npt.NDArray[np.int8]) -> int: ...
def look(
    hashes: Hashes,
    kinds: npt.NDArray[np.int8],
    names: Hashes,
    tables: Bytes,
    new: Bytes,
    counted: Bytes,
    said: Hashes,
) -> tuple[int, int, int, int]: ...
def distinct(hashes: Hashes, of: Bytes, out: Hashes) -> int: ...
def others(hashes: Hashes, names: Hashes, out: Bytes) -> None: ...
def unknown(hashes: Hashes, tables: Bytes, out: Bytes) -> None: ...
def note(hashes: Hashes, table: Bytes) -> int: ...
