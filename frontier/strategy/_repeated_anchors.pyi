from typing import Final

import numpy as np
from numpy.typing import NDArray

Targets = NDArray[np.int32]
Voices = NDArray[np.uint32]
Bytes = NDArray[np.uint8]

MOST_VOICES: Final[int]

def remember(
    first: Voices,
    marks: Bytes,
    more: Voices,
    free: Voices,
    best: Bytes,
    similarities: NDArray[np.float32],
    targets: Targets,
    voices: Voices,
    cues: Bytes,
    similarity: NDArray[np.float32],
) -> None: ...
def count_kept(marks: Bytes, targets: Targets, most: int) -> None: ...
def weigh(
    first: Voices,
    marks: Bytes,
    more: Voices,
    free: Voices,
    best: Bytes,
    similarities: NDArray[np.float32],
    targets: Targets,
    voices: Voices,
    cues: Bytes,
    similarity: NDArray[np.float32],
    contexts: list[str],
    seen: NDArray[np.uint64] | None,
    flags: Bytes,
    repeated: int,
    said: int,
    most: int,
    kept: int,
) -> list[str]: ...
