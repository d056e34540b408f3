"""When a server wants to be asked again: the Retry-After header (RFC 9110, section 10.2.3).

It holds seconds, or a date in one of three formats (section 5.6.7). A date is held against the
server's own clock, the Date of the same answer, where it tells it: many are wrong by hours, and
what is meant is a span. Whatever cannot be read asks for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from frontier.utils import unix_time

_SECONDS = re.compile(r"\+?([0-9]+)(?:\.[0-9]*)?", re.ASCII)
_MANY_DIGITS = 12
"""So long a number is beyond every cap, and Python refuses to convert very long ones."""
_LONGEST = 200
"""Characters; no date is as long, and no header needs to cost more."""


def retry_after(values: Iterable[str], now: float, date: str | None = None) -> float | None:
    """Return for how many seconds (0 or more) the headers ask to be left alone, None if for none.

    Of several headers the one that asks for most holds. `now` is the unix time of the answer and
    `date` its Date header.
    """
    found = [span for value in values if (span := _span(value, now, date)) is not None]
    return max(found, default=None)


def _span(value: str, now: float, date: str | None) -> float | None:
    text = value.strip()[:_LONGEST]
    number = _SECONDS.fullmatch(text)
    if number is not None:
        digits = number.group(1).lstrip("0")
        return float("inf") if len(digits) >= _MANY_DIGITS else float(text)
    until = unix_time(text)
    if until is None:
        return None
    told = None if date is None else unix_time(date.strip()[:_LONGEST])
    return max(0.0, until - (now if told is None else told))
