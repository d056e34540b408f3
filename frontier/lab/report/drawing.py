"""Curves as SVG, in the page of a report or a file of their own: no script, no font, no network.

Colours are classes; the page (`CSS`) or the file (`PICTURE_CSS`) says how they look, by day and by
night. A chart draws few strategies in colour, with their names at the end of the lines, and the
others thin and grey; every line tells its name when pointed at, and shows its band then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import log
from typing import TYPE_CHECKING

from frontier.lab.report.axes import decades, ticks
from frontier.lab.report.styling import PICTURE_CSS
from ranking.printing import shown

if TYPE_CHECKING:
    from frontier.lab.report.curves import Curve

WIDTH, HEIGHT = 640, 380
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 168, 14, 40
_SPAN = WIDTH - _LEFT - _RIGHT
_LINE_OF_TEXT = 14
"""Pixels between two names at the ends of lines."""
PLAIN = "plain"
"""Class of the lines without a colour of their own."""


@dataclass(frozen=True)
class Line:
    """One strategy in a chart: `style` is a class of the page, PLAIN for thin and grey.

    Without `band` only its mean is drawn.
    """

    name: str
    style: str
    curve: Curve
    band: bool = True


@dataclass(frozen=True)
class Scale:
    """From figures to pixels: requests up to `last`, shares up to `highest`."""

    last: float
    highest: float

    def x(self, value: float) -> float:
        """Pixels from the left."""
        return _LEFT + _SPAN * value / self.last

    def y(self, value: float) -> float:
        """Pixels from the top."""
        return HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * value / self.highest

    def steps(self) -> list[float]:
        """Numbers of requests that are written below the axis."""
        return ticks(self.last)


@dataclass(frozen=True)
class EarlyScale(Scale):
    """The same with the logarithm of the requests, from `first`: what is early is what counts."""

    first: float

    def x(self, value: float) -> float:
        return _LEFT + _SPAN * log(value / self.first) / (log(self.last / self.first) or 1.0)

    def steps(self) -> list[float]:
        return decades(self.first, self.last)


def chart(title: str, lines: Sequence[Line], scale: Scale) -> str:
    """One chart of a page, with the names of the coloured lines at their ends."""
    head = f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{_text(title)}">'
    return "\n".join([head, *_parts(lines, scale), "</svg>"])


def picture(title: str, measure: str, lines: Sequence[Line], scale: Scale) -> str:
    """The same as a file of its own, with what is measured above its axis."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" role="img">',
        f"<title>{_text(title)}</title><style>{PICTURE_CSS}</style>",
        f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}"/>',
        f'<text class="tick" x="{_LEFT}" y="{_TOP - 4}">{_text(measure)}</text>',
        *_parts(lines, scale),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def whisker(mean: float, low: float, high: float, reach: float) -> str:
    """A difference with its interval on an axis from -reach to reach, zero in the middle."""
    width, height = 100, 16

    def x(value: float) -> str:
        inside = max(-reach, min(reach, value))
        return f"{width / 2 * (1 + inside / reach):.1f}"

    return (
        f'<svg class="whisker" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'aria-hidden="true"><line class="zero" x1="{width / 2}" y1="0" x2="{width / 2}" '
        f'y2="{height}"/><line class="span" x1="{x(low)}" y1="8" x2="{x(high)}" y2="8"/>'
        f'<circle cx="{x(mean)}" cy="8" r="3"/></svg>'
    )


def _text(name: str) -> str:
    """A name as XML may hold it, which knows no control characters."""
    return escape(shown(name))


def _parts(lines: Sequence[Line], scale: Scale) -> Iterator[str]:
    yield from _axes(scale)
    # Grey first: what has a colour lies above it.
    for line in sorted(lines, key=lambda line: line.style != PLAIN):
        yield _series(line, scale)
    yield from _names([line for line in lines if line.style != PLAIN], scale)


def _axes(scale: Scale) -> Iterator[str]:
    for value in ticks(scale.highest):
        y = scale.y(value)
        yield f'<line class="grid" x1="{_LEFT}" y1="{y:.1f}" x2="{WIDTH - _RIGHT}" y2="{y:.1f}"/>'
        place = f'x="{_LEFT - 7}" y="{y + 4:.1f}" text-anchor="end"'
        yield f'<text class="tick" {place}>{value:g}</text>'
    for value in scale.steps():
        x = scale.x(value)
        yield (
            f'<text class="tick" x="{x:.1f}" y="{HEIGHT - _BOTTOM + 17}" text-anchor="middle">'
            f"{value:,.0f}</text>"
        )
    middle = (_LEFT + WIDTH - _RIGHT) / 2
    yield f'<text class="tick" x="{middle}" y="{HEIGHT - 6}" text-anchor="middle">requests</text>'


def _series(line: Line, scale: Scale) -> str:
    curve = line.curve
    xs = [scale.x(float(at)) for at in curve.at]
    final = f"{_text(line.name)}: {curve.mean[-1]:.3f} at {int(curve.at[-1]):,} requests"
    return (
        f'<g class="series {line.style}"><title>{final}</title>'
        f"{_band(line, xs, scale)}"
        f'<polyline points="{_points(xs, curve.mean.tolist(), scale)}"/></g>'
    )


def _band(line: Line, xs: Sequence[float], scale: Scale) -> str:
    if not line.band:
        return ""
    upper = _points(xs, line.curve.high.tolist(), scale)
    lower = _points(xs[::-1], line.curve.low[::-1].tolist(), scale)
    return f'<polygon class="band" points="{upper} {lower}"/>'


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
