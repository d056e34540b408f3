import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray, IntArray, LongArray, SingleArray
from ranking.page_update import ByteArray

Keys = npt.NDArray[np.uint32]

def pay(
    ids: IntArray,
    judged: ByteArray,
    relevance: SingleArray,
    prior: float,
    expected: float,
    total: SingleArray,
    best: SingleArray,
    links: npt.NDArray[np.uint16],
) -> None: ...
def pay_all(
    indptr: LongArray,
    targets: IntArray,
    weights: SingleArray | None,
    judged: SingleArray,
    prior: float,
    expected: float,
    total: FloatArray,
    best: SingleArray,
    links: IntArray,
) -> None: ...
def find(wanted: Keys, keys: Keys, slots: IntArray, numbers: IntArray) -> bool: ...
def insert(keys: Keys, slots: IntArray, first: int) -> None: ...
