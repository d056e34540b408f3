"""The Retry-After header (RFC 9110, section 10.2.3).

Its value is a number of seconds, or a date in one of three formats (section 5.6.7). A date is
compared with the Date of the same answer, where there is one: the clocks of many servers are wrong
by hours, and they mean a span. A value that cannot be read asks for no pause.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from frontier.utils import unix_time

_SECONDS = re.compile(r"\+?([0-9]+)(?:\.[0-9]*)?", re.ASCII)
_MANY_DIGITS = 12
"""A number of so many digits is beyond every cap; Python refuses to convert very long ones."""
_LONGEST = 200
"""Characters of a value that are read; no date is as long."""


def retry_after(values: Iterable[str], now: float, date: str | None = None) -> float | None:
    """Return the pause that the headers ask for, in seconds (0 or more); None for no pause.

    Of several headers the longest pause holds. `now` is the unix time of the answer and `date` its
    Date header.
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
    sent = None if date is None else unix_time(date.strip()[:_LONGEST])
    return max(0.0, until - (now if sent is None else sent))
