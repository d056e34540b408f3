"""Cells and columns for people: separated thousands, no control characters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf
from numbers import Integral

from ranking.printing import columns, cut, padded, shown

UNKNOWN = "-"
THOUSAND = 1000
_MINUTE, _HOUR, _DAY = 60, 3600, 86400


def clean(text: str, width: int = 1000) -> str:
    """A text as one line of `width` columns at most, with white space collapsed."""
    return cut(shown(" ".join(text.split())), width)


def number(value: float | None) -> str:
    """A whole number with thousands separated, any other with four significant digits or more."""
    if value is None:
        return UNKNOWN
    if value == int(value):
        return f"{value:,.0f}"
    return f"{value:,.1f}" if abs(value) >= THOUSAND else f"{value:.4g}"


def rounded(value: float) -> float:
    """A figure rounded to six significant digits, from 1,000 on to a whole number."""
    if isinstance(value, Integral):
        return int(value)
    return round(value) if THOUSAND <= abs(value) < inf else float(f"{value:.6g}")


def counted(count: int, noun: str) -> str:
    """A number and its noun: "1 page", "2,000 pages"."""
    return f"{count:,} {noun if count == 1 else f'{noun}s'}"


def percent(share: float | None) -> str:
    """A share of 1 as percentage."""
    return UNKNOWN if share is None else f"{100 * share:.1f} %"


def moment(iso: str | None) -> str:
    """An ISO time in a readable form."""
    return UNKNOWN if iso is None else iso.replace("T", " ").replace("Z", " UTC")


def duration(seconds: float) -> str:
    """Seconds in the units that people use."""
    whole = round(seconds)
    if whole < _MINUTE:
        return f"{seconds:.1f} s"
    if whole < _HOUR:
        return f"{whole // _MINUTE} min {whole % _MINUTE} s"
    if whole < 2 * _DAY:
        return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE} min"
    return f"{whole // _DAY:,} d {whole % _DAY // _HOUR} h"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], left: Iterable[int]) -> list[str]:
    """Align columns, those in `left` to the left; the last one is never padded."""
    cells = [[shown(cell) for cell in row] for row in (head, *rows)]
    widths = [max(columns(row[at]) for row in cells) for at in range(len(head))]
    to_left = set(left)
    return [
        "  ".join(
            padded(cell, width, left=at in to_left)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    ]


def pairs(entries: Iterable[tuple[str, str]]) -> list[str]:
    """Align names and values, indented."""
    listed = [(shown(name), shown(value)) for name, value in entries]
    width = max((columns(name) for name, _ in listed), default=0)
    return [f"  {padded(name, width, left=True)}  {value}" for name, value in listed]
