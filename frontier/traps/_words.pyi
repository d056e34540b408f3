import numpy as np
import numpy.typing as npt

def words(text: str) -> bytes: ...
def read(
    page: bytes, url: bytes, anchors: bytes, tables: npt.NDArray[np.uint8]
) -> tuple[int, int, int, int, int, int, int, int]: ...
