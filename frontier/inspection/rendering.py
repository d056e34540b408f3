"""Any record as text: its plain values, then a section for each field that holds records.

Columns are aligned, thousands separated, control characters escaped. Unknown and empty values are
left out, except in tables. The metadata of a field chooses its form: PERCENT, SECONDS, BELOW for a
value too long for a column, JSON_ONLY for a value that is left out here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import Field, fields, is_dataclass
from typing import TYPE_CHECKING, Any

from frontier.estimates import FEWEST
from frontier.formatting import UNKNOWN, clean, duration, moment, number, pairs, percent, table

if TYPE_CHECKING:
    from frontier.estimates import Remaining
    from frontier.inspection.reports import HarvestRateReport

ROWS = 20
"""Rows of a table; the others are counted."""
_WIDTH = 160
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def rendered(record: Any, rows: int = ROWS) -> list[str]:
    """Return the lines of a record; tables show up to so many rows."""
    plain, sections = [], []
    for field in fields(record):
        value = getattr(record, field.name)
        if _is_empty(value) or "json" in field.metadata:
            continue
        if isinstance(value, (Mapping, tuple)) or is_dataclass(value):
            sections += [
                "",
                _name(field),
                *(f"  {line}".rstrip() for line in _section(value, rows)),
            ]
        else:
            plain.append((_name(field), _cell(value, field)))
    return [*pairs(plain), *sections]


def _section(value: Any, rows: int) -> list[str]:
    if is_dataclass(value):
        return [line.removeprefix("  ") for line in rendered(value, rows)]
    if isinstance(value, Mapping):
        return table(
            ("", ""), [(number(n), clean(name)) for name, n in value.items() if n], left=(1,)
        )[1:]
    if not is_dataclass(value[0]):
        return [clean(text) for text in value]
    return listed(value, rows)


def listed(records: Sequence[Any], rows: int = ROWS) -> list[str]:
    """Return a table of records of one kind, without columns whose values are all unknown."""
    shown = records[:rows]
    columns = [
        field
        for field in fields(shown[0])
        if not field.metadata.keys() & {"below", "json"}
        and any(not _is_empty(getattr(row, field.name)) for row in shown)
    ]
    head = [_name(field) for field in columns]
    cells = [[_cell(getattr(row, field.name), field) for field in columns] for row in shown]
    left = [at for at, field in enumerate(columns) if _is_text(field, shown)]
    first, *lines = table(head, cells, left)
    listing = [first]
    for line, row in zip(lines, shown, strict=True):
        listing += [line, *(f"    {text}" for text in _below(row))]
    more = len(records) - len(shown)
    return [*listing, f"... and {more:,} more (--json lists all)"] if more else listing


def _below(row: Any) -> Iterator[str]:
    for field in fields(row):
        value = getattr(row, field.name)
        if field.metadata.get("below") and not _is_empty(value):
            yield f"{_name(field)}: {_inline(value)}"


def _inline(value: Any) -> str:
    """Return a text, or evidence with what it adds, in one line."""
    if isinstance(value, str):
        return clean(value, _WIDTH)
    parts = [f"{clean(part.evidence)} {part.adds:+.2f}" for part in value[:_PARTS]]
    more = len(value) - len(parts)
    return ", ".join(parts) + (f" and {more:,} more" if more > 0 else "")


_PARTS = 6


def _is_text(field: Field[Any], rows: Sequence[Any]) -> bool:
    return any(isinstance(getattr(row, field.name), (str, bool)) for row in rows)


def _is_empty(value: Any) -> bool:
    if isinstance(value, Mapping):
        return not any(value.values())
    return value is None or value is False or value in ("", ())


def _name(field: Field[Any]) -> str:
    return field.name.replace("_", " ")


def _cell(value: Any, field: Field[Any]) -> str:
    if isinstance(value, bool):
        return "yes" if value else ""
    if value is None or value == "":
        return UNKNOWN
    if not isinstance(value, str):
        kinds = {"percent": percent, "seconds": duration}
        return next((kinds[kind](value) for kind in kinds if kind in field.metadata), number(value))
    return moment(value) if _TIME.fullmatch(value) else clean(value)


def harvest_rate_text(rate: HarvestRateReport | None, label: str) -> str:
    """Return the rate in words; `label` is the command that labels pages, "" if there is none."""
    if rate is None:
        if not label:
            return "not known: pages can be labelled in a crawl with JOBDIR"
        return f"not known: judge {FEWEST} pages yourself with `{label}`"
    of = "" if rate.until is None else f" of the pages fetched before {moment(rate.until)}"
    low, high = 100 * rate.low, 100 * rate.high
    interval = f"80 % interval {low:.0f} to {high:.0f} %, by {rate.labelled:,} labelled pages"
    return f"~{100 * rate.estimate:.0f} %{of} ({interval})"


def remaining_text(left: Remaining | None, queued: int, unknown: str = "") -> str:
    """Return how many relevant pages are estimated to be left, or why that is not known.

    "" where the estimate is of no use: it rounds to none, or its interval is wider than half of all
    that is queued.
    """
    if unknown:
        return f"not known: {unknown}"
    if left is None or not round(left.high) or left.high - left.low > queued / 2:
        return ""
    return f"~{left.estimate:,.0f} (80 % interval {left.low:,.0f} to {left.high:,.0f})"
