import numpy as np
import numpy.typing as npt

from ranking.arrays import IntArray

Keys = npt.NDArray[np.uint32]

def find(wanted: Keys, keys: Keys, slots: IntArray, numbers: IntArray) -> bool: ...
def insert(keys: Keys, slots: IntArray, first: int) -> None: ...
