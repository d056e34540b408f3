"""The last looks at a page, as they are stored."""

from __future__ import annotations

import math

import pytest

from frontier.refresh.changes import (
    KEPT,
    MOST,
    PastRevisit,
    has_change,
    known_since,
    past_revisits,
    revised,
    with_revisit,
)
from frontier.states import Change


def test_revisits_are_given_back_oldest_first_in_whole_seconds() -> None:
    history = with_revisit(b"", 1_700_000_000.75, 200, Change.NEW)
    history = with_revisit(history, 1_700_003_600, 304, Change.UNCHANGED)
    history = with_revisit(history, 1_700_007_200, None, Change.FAILED)
    assert past_revisits(history) == [
        PastRevisit(1_700_000_000.0, 200, Change.NEW),
        PastRevisit(1_700_003_600.0, 304, Change.UNCHANGED),
        PastRevisit(1_700_007_200.0, None, Change.FAILED),
    ]


def test_a_revisit_takes_seven_bytes_seconds_status_and_change() -> None:
    assert with_revisit(b"", 0x01020304, 404, Change.GONE) == bytes((4, 3, 2, 1, 0x94, 1, 3))


def test_the_last_sixteen_revisits_are_kept() -> None:
    history = b""
    for second in range(KEPT + 4):
        history = with_revisit(history, second, 200, Change.UNCHANGED)
    assert len(history) == 16 * 7
    assert [revisit.at for revisit in past_revisits(history)] == list(range(4, 20))


def test_of_earlier_revisits_the_changes_are_kept_and_the_revisit_before_each() -> None:
    history = b""
    for second in range(1000):
        found = Change.CHANGED if second % 100 == 50 else Change.UNCHANGED
        history = with_revisit(history, second, 200, found)
    early = [50 + 100 * n + before for n in range(10) for before in (-1, 0)]
    assert [revisit.at for revisit in past_revisits(history)] == [*early, *range(984, 1000)]


def test_it_is_known_from_when_on_all_changes_are_kept() -> None:
    history = with_revisit(b"", 0, 200, Change.NEW)
    for second in range(1, MOST):
        history = with_revisit(history, second, 200, Change.CHANGED)
    assert len(past_revisits(history)) == MOST
    assert known_since(history) == -math.inf
    for second in range(MOST, MOST + 7):
        history = with_revisit(history, second, 200, Change.CHANGED)
    assert len(past_revisits(history)) == MOST
    assert known_since(history) == 7


def test_a_change_that_was_none_is_something_else() -> None:
    history = b""
    for second, found in enumerate((Change.NEW, Change.CHANGED, Change.CHANGED)):
        history = with_revisit(history, second + 0.5, 200, found)
    found = [revisit.change for revisit in past_revisits(revised(history, 1.5, Change.UNCHANGED))]
    assert found == [Change.NEW, Change.UNCHANGED, Change.CHANGED]
    assert revised(history, 7, Change.UNCHANGED) == history


@pytest.mark.parametrize(
    ("at", "status", "kept"),
    [(-5.0, 200, (0.0, 200)), (2e10, 70_000, (2**32 - 1, 65_535)), (1.0, -1, (1.0, None))],
)
def test_times_and_statuses_that_do_not_fit_are_the_nearest_that_do(
    at: float, status: int, kept: tuple[float, int | None]
) -> None:
    assert past_revisits(with_revisit(b"", at, status, Change.CHANGED)) == [
        PastRevisit(*kept, Change.CHANGED)
    ]


@pytest.mark.parametrize("history", [b"\0" * 6, b"\0" * 6 + b"\xff"])
def test_bytes_that_are_no_revisits_are_an_error(history: bytes) -> None:
    with pytest.raises(ValueError, match=r"6 bytes|255"):
        past_revisits(history)


def test_it_is_known_without_reading_them_whether_revisits_found_some_change_since() -> None:
    history = with_revisit(with_revisit(b"", 3, 2, Change.NEW), 5, 3, Change.UNCHANGED)
    some = frozenset({Change.CHANGED, Change.GONE})
    assert not has_change(history, some, 0)
    gone = with_revisit(history, 7, 1, Change.GONE)
    assert [has_change(gone, some, since) for since in (0, 7, 8)] == [True, True, False]
    assert not has_change(b"", frozenset(Change), 0)
    assert has_change(b"?", some, 0), "past_revisits is to say so"


def test_a_page_without_revisits_has_none() -> None:
    assert past_revisits(b"") == []
