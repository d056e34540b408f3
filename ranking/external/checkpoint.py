"""Where an iteration was when its process ended."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from ranking.arrays import FloatArray

EVERY = 60.0  # seconds between checkpoints


class Checkpoint:
    """The last vector of an iteration in a file, at most one a minute.

    Args:
        path: of the file, ending in .npz; another vector of another question has another one.
        told: of each iteration: how many were made, and what the change is of the one allowed.
        every: seconds.

    """

    def __init__(
        self, path: Path, told: Callable[[int, float], None], every: float = EVERY
    ) -> None:
        self._path, self._told, self._every = path, told, every
        self._last = time.monotonic()

    def load(self) -> tuple[int, FloatArray | None]:
        """Iterations made and the vector after them; 0 and None where there is none."""
        with suppress(OSError, ValueError, KeyError, BadZipFile), self._path.open("rb") as stream:
            left = np.load(stream)
            return int(left["made"]), left["vector"]
        return 0, None

    def save(self, made: int, vector: FloatArray | None, change: float) -> None:
        """Tell of an iteration, and write its vector, if it has one, where the last one is old."""
        self._told(made, change)
        if vector is None or time.monotonic() - self._last < self._every:
            return
        part = self._path.with_suffix(".part")
        with part.open("wb") as stream:
            np.savez(stream, made=made, vector=vector)
        part.replace(self._path)
        self._last = time.monotonic()
