from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

class FingerprintTable:
    def enter(self, values: NDArray[np.int64], first: int) -> bool: ...
    def find(self, values: NDArray[np.int64], wanted: Iterable[int]) -> list[int]: ...
