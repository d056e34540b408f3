"""Dates as sitemaps, feeds and pages write them, in Unix seconds.

Sources: W3C-DTF (https://www.w3.org/TR/NOTE-datetime) at any precision, as sitemaps and Atom have
it; RFC 822 and its successors, as RSS has it. A date less precise than a second stands for its
first second, and a date without a zone is in UTC.
"""

from __future__ import annotations

import re
import time
from datetime import datetime, timedelta, timezone
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import Final

_LONGEST = 100
"""Characters."""
_AHEAD: Final = 86400.0
"""Seconds that a date may be in the future: its zone may be missing."""
_W3C = re.compile(
    r"([0-9]{4})(?:-([0-9]{1,2})(?:-([0-9]{1,2})"
    r"(?:[Tt ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,][0-9]+)?)?"
    r" ?(?:[Zz]|([+-])([0-9]{2}):?([0-9]{2})?)?)?)?)?"
)


def moment(text: str) -> float | None:
    """Return the time of a date; None for an invalid date, or one more than a day in the future.

    Dates before 1970 are invalid, too: no web page changed then.
    """
    seconds = _seconds(text.strip()) if len(text) <= _LONGEST else None
    return seconds if seconds is not None and 0 < seconds <= time.time() + _AHEAD else None


@lru_cache(1024)  # thousands of pages of a relaunched site have the same date
def _seconds(text: str) -> float | None:
    try:
        written = _W3C.fullmatch(text)
        if written is not None:
            return _w3c(*written.groups())
        when = parsedate_to_datetime(text)
        return (when if when.tzinfo else when.replace(tzinfo=timezone.utc)).timestamp()
    except (ValueError, TypeError, LookupError, OverflowError):  # a month 13, a zone of 99 hours
        return None


def _w3c(*parts: str | None) -> float:
    year, month, day, hour, minute, second = (int(part or 0) for part in parts[:6])
    sign, hours, minutes = parts[6:]
    ahead = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
    # A leap second counts as the second before it.
    there = datetime(year, month or 1, day or 1, hour, minute, min(second, 59), tzinfo=timezone.utc)
    return (there + ahead if sign == "-" else there - ahead).timestamp()
