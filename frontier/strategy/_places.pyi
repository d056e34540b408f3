import numpy as np
from numpy.typing import NDArray

def checksums(texts: list[str], folders: bool, out: NDArray[np.uint32]) -> None: ...
