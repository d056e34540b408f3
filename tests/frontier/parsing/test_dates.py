"""Dates of sitemaps and feeds are read at any precision, and what is none never raises."""

from __future__ import annotations

import time
from datetime import datetime, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.parsing.dates import moment

NOON = 1_609_502_400.0  # 2021-01-01 12:00:00 UTC
MIDNIGHT = NOON - 43_200


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2021", MIDNIGHT),
        ("2021-01", MIDNIGHT),
        ("2021-1-1", MIDNIGHT),
        (" 2021-01-01\n", MIDNIGHT),
        ("2021-01-01T12:00Z", NOON),
        ("2021-01-01T12:00", NOON),
        ("2021-01-01 12:00:00", NOON),
        ("2021-01-01t12:00:00z", NOON),
        ("2021-01-01T12:00:00.9999999Z", NOON),
        ("2021-01-01T14:30:00+02:30", NOON),
        ("2021-01-01T14:30+0230", NOON),
        ("2021-01-01T02:00:00-10", NOON),
        ("2021-01-01 12:00:00 +00:00", NOON),
        ("2020-12-31T23:59:60Z", MIDNIGHT - 1),
        ("Fri, 01 Jan 2021 12:00:00 GMT", NOON),
        ("Fri, 1 Jan 2021 07:00:00 EST", NOON),
        ("1 Jan 2021 14:00 +0200", NOON),
        ("Friday, 01-Jan-21 12:00:00 UTC", NOON),
    ],
)
def test_a_date_is_read_at_its_precision(text: str, expected: float) -> None:
    assert moment(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        *("", "today", "2021-13-01", "2021-02-30", "2021-01-01T25:00Z", "0000", "0001-01-01"),
        *("12:30", "PT5M", "2021-W05", "--05-01", "2021-01-01T12:00:00+99:99:99", "1609502400"),
        *("Fri, 99 Jan 2021 12:00:00 GMT", "1 Jan 99999999999999999999", "0001-01-01T00:00:00Z"),
        *("1969-12-31", "Thu, 01 Jan 1970 00:00:00 GMT", "9999-12-31", "2021" * 100, "\ud800"),
    ],
)
def test_what_is_no_date_of_a_change_is_none(text: str) -> None:
    assert moment(text) is None


def test_a_clock_may_be_a_day_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: NOON)
    assert moment("2021-01-02T12:00:00Z") == NOON + 86_400
    assert moment("2021-01-02T12:00:01Z") is None
    assert moment("2021-01-03") is None


@given(st.datetimes(min_value=datetime(1970, 1, 2), max_value=datetime(2024, 1, 1)))
def test_iso_is_read_as_python_reads_it(when: datetime) -> None:
    expected = when.replace(microsecond=0, tzinfo=timezone.utc).timestamp()
    assert moment(when.isoformat() + "Z") == expected


@given(st.text(max_size=40) | st.text("0123456789-:TZ+., GMTJanFri", max_size=40))
def test_nothing_raises(text: str) -> None:
    found = moment(text)
    assert found is None or found > 0
