from typing import Final

import numpy as np
from numpy.typing import NDArray

Targets = NDArray[np.int32]
Voices = NDArray[np.uint32]
Bytes = NDArray[np.uint8]

MOST_VOICES: Final[int]

def mark(
    first: Voices,
    marks: Bytes,
    more: Voices,
    targets: Targets,
    voices: Voices,
    seen: NDArray[np.uint64],
    flags: Bytes,
    repeated: int,
    said: int,
) -> None: ...
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
def keep(
    marks: Bytes, targets: Targets, wanted: Bytes, most: int, flags: Bytes, kept: int
) -> None: ...
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
