"""A chart as SVG, for the page of a report or a file of its own: no script, no font, no network.

Few strategies are drawn in colour, with their names at the ends of the lines (in a page: in a key
below), the others thin and grey; every line shows its name when pointed at. Colours are classes,
see `styling`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import floor, log, log10
from typing import TYPE_CHECKING, Final

from frontier.lab.report.styling import PICTURE_CSS, PLAIN
from ranking.printing import shown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WIDTH, HEIGHT = 640, 380
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 168, 14, 40
_MARGIN = 28
"""Pixels at the right of a chart without names, for half of the last number of its axis."""
_LINE_OF_TEXT = 14
"""Pixels between two names at the ends of lines."""
_STEPS: Final = (1.0, 2.0, 2.5, 5.0, 10.0)
_TICKS = 6


@dataclass(frozen=True)
class Curve:
    """A mean over topics at numbers of requests `at`, with the quartiles `low` and `high`."""

    at: NDArray[np.int64]
    mean: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


@dataclass(frozen=True)
class Line:
    """One strategy in a chart; `style` is its class, `band` says whether quartiles are drawn."""

    name: str
    style: str
    curve: Curve
    band: bool = False


@dataclass(frozen=True)
class Scale:
    """From figures to pixels: requests up to `last`, shares up to `highest`.

    With `first` the axis of the requests is logarithmic and begins there.
    """

    last: float
    highest: float
    first: float = 0.0

    def x(self, value: float) -> float:
        """Pixels from the left."""
        part = value / self.last
        if self.first:
            part = log(value / self.first) / (log(self.last / self.first) or 1.0)
        return _LEFT + (WIDTH - _LEFT - _RIGHT) * part

    def y(self, value: float) -> float:
        """Pixels from the top."""
        return HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * value / self.highest


def ticks(end: float) -> list[float]:
    """Multiples of a round step from 0 to `end` > 0, about six of them."""
    magnitude = 10.0 ** floor(log10(end / _TICKS))
    step = next(magnitude * one for one in _STEPS if end / (magnitude * one) <= _TICKS)
    return [round(step * number, 12) for number in range(int(end / step + 1e-9) + 1)]


def rounded_up(value: float) -> float:
    """The end of an axis that shows `value` > 0: the next of its ticks."""
    marks = ticks(value)
    return value if value - marks[-1] < 1e-9 else round(marks[-1] + marks[1], 12)


def decades(first: float, last: float) -> list[float]:
    """1, 2 and 5 times powers of ten from `first` > 0 to `last`."""
    powers = range(floor(log10(first)), floor(log10(last)) + 1)
    found = [round(one * 10.0**power, 12) for power in powers for one in (1, 2, 5)]
    return [value for value in found if first <= value <= last]


def chart(title: str, lines: Sequence[Line], scale: Scale) -> str:
    """One chart of a page, which names its lines in a key: on a phone names need that room."""
    width = WIDTH - _RIGHT + _MARGIN
    head = f'<svg viewBox="0 0 {width} {HEIGHT}" role="img" aria-label="{_text(title)}">'
    return "\n".join([head, *_parts(lines, scale), "</svg>"])


def picture(title: str, measure: str, lines: Sequence[Line], scale: Scale) -> str:
    """The same as a file of its own, with what is measured above its axis."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" role="img">',
        f"<title>{_text(title)}</title><style>{PICTURE_CSS}</style>",
        f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}"/>',
        _tick(_LEFT, _TOP - 4, measure, "start"),
        *_parts(lines, scale),
        *_names([line for line in lines if line.style != PLAIN], scale),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _text(name: str) -> str:
    """A name as XML may hold it, which knows no control characters."""
    return escape(shown(name))


def _tick(x: float, y: float, text: str, anchor: str = "middle") -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text class="tick" {place}>{_text(text)}</text>'


def _parts(lines: Sequence[Line], scale: Scale) -> Iterator[str]:
    yield from _axes(scale)
    # Grey first: what has a colour lies above it.
    for line in sorted(lines, key=lambda line: line.style != PLAIN):
        yield _series(line, scale)


def _axes(scale: Scale) -> Iterator[str]:
    for value in ticks(scale.highest):
        y = scale.y(value)
        yield f'<line class="grid" x1="{_LEFT}" y1="{y:.1f}" x2="{WIDTH - _RIGHT}" y2="{y:.1f}"/>'
        yield _tick(_LEFT - 7, y + 4, f"{value:g}", "end")
    for value in decades(scale.first, scale.last) if scale.first else ticks(scale.last):
        yield _tick(scale.x(value), HEIGHT - _BOTTOM + 17, f"{value:,.0f}")
    yield _tick((_LEFT + WIDTH - _RIGHT) / 2, HEIGHT - 6, "requests")


def _series(line: Line, scale: Scale) -> str:
    curve = line.curve
    xs = [scale.x(float(at)) for at in curve.at]
    final = f"{_text(line.name)}: {curve.mean[-1]:.3f} at {int(curve.at[-1]):,} requests"
    band = ""
    if line.band:
        upper = _points(xs, curve.high.tolist(), scale)
        lower = _points(xs[::-1], curve.low[::-1].tolist(), scale)
        band = f'<polygon class="band" points="{upper} {lower}"/>'
    return (
        f'<g class="series {line.style}"><title>{final}</title>{band}'
        f'<polyline points="{_points(xs, curve.mean.tolist(), scale)}"/></g>'
    )


def _points(xs: Sequence[float], values: Sequence[float], scale: Scale) -> str:
    pairs = zip(xs, values, strict=True)
    return " ".join(f"{x:.1f},{scale.y(min(v, scale.highest)):.1f}" for x, v in pairs)


def _names(lines: Sequence[Line], scale: Scale) -> Iterator[str]:
    """Names at the ends of lines, moved apart where they would overlap."""
    ends = sorted((scale.y(float(line.curve.mean[-1])), line.name, line.style) for line in lines)
    heights = spread([y for y, _, _ in ends], _TOP + 4, HEIGHT - _BOTTOM, _LINE_OF_TEXT)
    x = WIDTH - _RIGHT + 6
    for (y, name, style), height in zip(ends, heights, strict=True):
        yield (
            f'<g class="name {style}"><line x1="{x - 4}" y1="{y:.1f}" x2="{x + 6}" '
            f'y2="{height:.1f}"/><text x="{x + 9}" y="{height + 4:.1f}">{_text(name)}</text></g>'
        )


def spread(places: Sequence[float], low: float, high: float, apart: float) -> list[float]:
    """Move ascending places as little as a simple sweep can until all lie `apart`.

    Down from `low`, then back up from `high`; with too many for the room the last ones stay low.
    """
    moved: list[float] = []
    for place in places:
        moved.append(max(place, moved[-1] + apart if moved else low))
    ceiling = high
    for at in range(len(moved) - 1, -1, -1):
        moved[at] = min(moved[at], ceiling)
        ceiling = moved[at] - apart
    return moved
