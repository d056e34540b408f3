"""When enough was found: each limit, both, and what must be there before either counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from frontier.enough import LEFT, NEVER, SHARE, Enough
from frontier.errors import SettingsError
from frontier.estimates import Harvest, Outlook, Remaining

if TYPE_CHECKING:
    from collections.abc import Callable

FEW = Harvest([True] * 100 + [False] * 494 + [True] * 6)
"""Of the last 500 pages 6 were relevant."""


def left(high: float | None, *unsearched: str) -> Callable[[], Outlook]:
    """At most so many pages are left; None: it is not known."""
    remaining = None if high is None else Remaining(high / 4, 0, high)
    return lambda: Outlook(remaining, "" if remaining else "why", 0.0, unsearched)


def test_a_small_share_of_the_last_pages_is_enough() -> None:
    found = Enough(500, share=0.02).reached(FEW, 600, left(None))
    assert found is not None
    assert found.reason == SHARE
    assert found.text == (
        "Enough: the last 500 pages brought 6 relevant ones (1.2 %), less than 2 %."
    )


def test_as_large_a_share_as_was_asked_for_is_not() -> None:
    assert Enough(500, share=6 / 500).reached(FEW, 600, left(None)) is None


def test_pages_in_doubt_count_as_well() -> None:
    """A relevance of a third or more: odds of one to two."""
    doubtful = Harvest([0.0] * 494 + [0.34, 0.49, 0.32] + [0.5] * 3)
    found = Enough(500, share=0.02).reached(doubtful, 500, left(None))
    assert found is not None
    assert found.text == (
        "Enough: the last 500 pages brought 3 relevant ones and 2 in doubt (1 %), less than 2 %."
    )
    assert Enough(500, share=0.01).reached(doubtful, 500, left(None)) is None


def test_few_pages_left_are_enough_by_the_upper_end_of_the_estimate() -> None:
    found = Enough(left=50).reached(FEW, 600, left(41))
    assert found is not None
    assert found.reason == LEFT
    assert found.text == (
        "Enough: at most 41 relevant pages are left to fetch (90 % sure), fewer than 50."
    )
    assert Enough(left=50).reached(FEW, 600, left(50)) is None
    assert Enough(left=50).reached(FEW, 600, left(None)) is None, "nothing is known of what is left"


def test_neither_is_enough_while_a_host_is_not_searched() -> None:
    for enough in (Enough(500, share=0.02), Enough(500, left=50)):
        assert enough.reached(FEW, 600, left(41)) is not None
        assert enough.reached(FEW, 600, left(41, "slow.example")) is None


def test_of_two_limits_either_will_do() -> None:
    both = Enough(500, share=0.02, left=50)
    assert [both.reached(FEW, 600, left(high)).reason for high in (41, 500)] == [SHARE, SHARE]  # type: ignore[union-attr]
    harvest = Harvest([True] * 600)
    assert both.reached(harvest, 600, left(41)).reason == LEFT  # type: ignore[union-attr]
    assert both.reached(harvest, 600, left(500)) is None


@pytest.mark.parametrize("enough", [Enough(500, share=0.02), Enough(500, left=50)])
def test_so_many_pages_of_this_run_come_first(enough: Enough) -> None:
    assert enough.reached(FEW, 499, left(41)) is None
    assert enough.reached(FEW, 500, left(41)) is not None


def test_without_a_limit_a_crawl_never_ends_by_itself() -> None:
    assert not NEVER.is_set
    assert NEVER.reached(FEW, 600, left(0)) is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("last", value) for value in (19, 20.5, float("nan"))),
        *(("share", value) for value in (0, -0.1, 1.01, float("nan"))),
        *(("left", value) for value in (0, -1, float("nan"), float("inf"))),
    ],
)
def test_a_limit_that_cannot_be_is_named_with_what_is_expected(name: str, value: float) -> None:
    with pytest.raises(SettingsError, match=f"^{name} in FRONTIER_ENOUGH must be a .*{value}"):
        Enough(**{name: value})  # type: ignore[arg-type]
