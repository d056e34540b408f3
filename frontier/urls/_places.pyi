from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

class Part(IntEnum):
    WHOLE = 0
    FOLDER = 1
    TEMPLATE = 2

def checksums(texts: list[str], part: Part, out: NDArray[np.uint32]) -> None: ...
