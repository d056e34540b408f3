"""What a Retry-After asks for: RFC 9110, sections 10.2.3 and 5.6.7."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.politeness import retry_after

NOW = 784_111_777.0
"""Sun, 06 Nov 1994 08:49:37 GMT, the date of the RFC's examples."""


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        ("0", 0.0),
        (" 7 ", 7.0),
        ("007", 7.0),
        ("+5", 5.0),
        ("1.5", 1.5),
        ("Sun, 06 Nov 1994 08:51:37 GMT", 120.0),
        ("Sunday, 06-Nov-94 08:51:37 GMT", 120.0),
        ("Sun Nov  6 08:51:37 1994", 120.0),
        ("sun, 06 nov 1994 08:51:37 gmt", 120.0),
        ("Sun, 06 Nov 1994 09:51:37 +0100", 120.0),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 0.0),
        ("Sun, 06 Nov 1994 08:00:00 GMT", 0.0),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
    ],
)
def test_seconds_and_dates_in_three_formats(value: str, seconds: float) -> None:
    assert retry_after([value], NOW) == seconds


@pytest.mark.parametrize(
    "value",
    [
        "",
        "soon",
        "-5",
        "1e3",
        "0x10",
        "5 minutes",
        "NaN",
        "inf",
        "Sun, 99 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 99999 08:49:37 GMT",
        "\x00",
        "\u0665",
        "5;5",
        "5, 6",
    ],
)
def test_what_cannot_be_read_asks_for_nothing(value: str) -> None:
    assert retry_after([value], NOW) is None


def test_a_number_beyond_all_numbers_is_for_ever() -> None:
    assert retry_after(["9" * 5000], NOW) == math.inf
    assert retry_after(["1" + "0" * 30], NOW) == math.inf


def test_of_several_headers_the_longest_that_can_be_read_holds() -> None:
    assert retry_after(["5", "soon", "60", "-900"], NOW) == 60.0
    assert retry_after([], NOW) is None


def test_a_date_is_held_against_the_clock_of_the_server_that_names_it() -> None:
    fast = "Sun, 06 Nov 1994 10:49:37 GMT"
    assert retry_after(["Sun, 06 Nov 1994 10:50:07 GMT"], NOW, fast) == 30.0
    assert retry_after(["Sun, 06 Nov 1994 08:50:07 GMT"], NOW, "no date") == 30.0
    assert retry_after(["30"], NOW, fast) == 30.0


@given(st.lists(st.text(max_size=300), max_size=3), st.none() | st.text(max_size=300))
def test_it_never_raises_and_never_asks_for_less_than_nothing(
    values: list[str], date: str | None
) -> None:
    seconds = retry_after(values, NOW, date)
    assert seconds is None or seconds >= 0
