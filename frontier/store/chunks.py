"""Arrays as rows: the bytes of a `.npy` file, which name dtype and shape, cut into chunks."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

CHUNK_BYTES = 4 * 1024 * 1024
"""Far below SQLite's limit of 1 GB a blob, large enough to cost nothing a chunk."""


def split(array: NDArray[Any]) -> list[bytes]:
    """Return the chunks of an array without Python objects in it."""
    stream = BytesIO()
    np.lib.format.write_array(stream, np.ascontiguousarray(array), allow_pickle=False)
    view = stream.getbuffer()
    return [bytes(view[at : at + CHUNK_BYTES]) for at in range(0, len(view), CHUNK_BYTES)]


def joined(chunks: list[bytes]) -> NDArray[Any]:
    """Return the array; ValueError where chunks are missing or broken."""
    array = np.lib.format.read_array(BytesIO(b"".join(chunks)), allow_pickle=False)
    assert isinstance(array, np.ndarray)
    return array
