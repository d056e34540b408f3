import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray, IntArray, LongArray, SingleArray
from ranking.page_update import ByteArray

UNIT: int
Keys = npt.NDArray[np.uint32]

def note(
    page: int,
    ids: IntArray,
    matches: ByteArray,
    anchor: ByteArray,
    context: ByteArray,
    address: ByteArray,
    anchor_sum: npt.NDArray[np.uint16],
    spoken: ByteArray,
    position: npt.NDArray[np.uint16],
) -> None: ...
def vouch(
    ids: IntArray,
    similarity: float,
    share: float,
    similarities: SingleArray,
    shares: SingleArray,
) -> None: ...
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

class Tries:
    places: int
    rates: int
    tries: int
    fetched: int
    differing: int
    def count(self, pages: int, failed: int, more_pages: int, more_failed: int) -> None: ...
    def take(self, pages: IntArray, failed: IntArray) -> None: ...
