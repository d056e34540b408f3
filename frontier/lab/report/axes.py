"""Round numbers along an axis."""

from __future__ import annotations

from math import floor, log10
from typing import Final

_STEPS: Final = (1.0, 2.0, 2.5, 5.0, 10.0)
_WANTED = 6


def ticks(end: float) -> list[float]:
    """Multiples of a round step from 0 to `end` > 0, about six of them."""
    magnitude = 10.0 ** floor(log10(end / _WANTED))
    step = next(magnitude * one for one in _STEPS if end / (magnitude * one) <= _WANTED)
    return [round(step * number, 12) for number in range(int(end / step + 1e-9) + 1)]


def rounded_up(value: float) -> float:
    """The end of an axis that shows `value` > 0: the next of its ticks."""
    shown = ticks(value)
    return value if value - shown[-1] < 1e-9 else round(shown[-1] + shown[1], 12)


def decades(first: float, last: float) -> list[float]:
    """1, 2 and 5 times powers of ten from `first` > 0 to `last`."""
    powers = range(floor(log10(first)), floor(log10(last)) + 1)
    found = [round(one * 10.0**power, 12) for power in powers for one in (1, 2, 5)]
    return [value for value in found if first <= value <= last]
