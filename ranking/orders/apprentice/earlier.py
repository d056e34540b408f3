"""Saved state of earlier versions, which knew fewer signals, as this version has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.orders.apprentice.ridge import Ridge
from ranking.orders.apprentice.signals import ZONE, Design

State = Mapping[str, npt.NDArray[Any]]
_MATRIX, _SUMS, _WEIGHTS, _SAMPLE = "ridge.a", "ridge.b", "ridge.weights", "surprise"


def with_zones(saved: State, design: Design) -> State:
    """What was saved before there were zones: nothing was learned of them yet.

    Any other state is returned as it is, also one that is broken.
    """
    names = [one.name for one in design.signals]
    if "zones.of" in saved or ZONE not in names:
        return saved
    known = [names[signal] != ZONE for signal in design.column_of]
    old = np.flatnonzero([*known, True])
    if not _fits(saved, len(old), len(names) - 1):
        return saved
    learned = Ridge(design.beliefs).state()
    learned[_MATRIX][np.ix_(old, old)] = saved[_MATRIX]
    for name in (_SUMS, _WEIGHTS):
        learned[name][old] = saved[name]
    sample = np.insert(saved[_SAMPLE], names.index(ZONE), 0, axis=0)
    changed = {name: learned[name] for name in (_MATRIX, _SUMS, _WEIGHTS)}
    return {**saved, **changed, _SAMPLE: sample}


def _fits(saved: State, columns: int, signals: int) -> bool:
    shapes = {_MATRIX: (columns, columns), _SUMS: (columns,), _WEIGHTS: (columns,)}
    sample = saved.get(_SAMPLE)
    return (
        all(name in saved and saved[name].shape == shape for name, shape in shapes.items())
        and sample is not None
        and sample.ndim == 2
        and len(sample) == signals
    )
