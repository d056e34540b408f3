import numpy as np
import numpy.typing as npt

from ranking.arrays import IntArray

UNIT: int
Keys = npt.NDArray[np.uint32]

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
