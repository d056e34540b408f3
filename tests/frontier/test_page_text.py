"""A text that is there, and one of which only came along what was made of it."""

from __future__ import annotations

import pytest

from frontier.page_text import VisibleText


def test_what_is_not_asked_for_is_not_made() -> None:
    asked: list[str] = []

    def noting(text: str) -> int:
        asked.append(text)
        return len(text)

    text = VisibleText("whole text")
    assert asked == []
    assert text.derived(noting) == 10
    assert asked == ["whole text"]


def test_what_was_made_elsewhere_is_not_made_of_the_beginning_that_came_along() -> None:
    text = VisibleText("begin", {len: 10})
    assert text.derived(len) == 10
    with pytest.raises(KeyError):
        text.derived(str.upper)


@pytest.mark.parametrize(
    ("text", "beginning"),
    [
        (VisibleText("whole text"), "whole"),
        (VisibleText("who", {}), "who"),
        (VisibleText(None, {}), None),
    ],
)
def test_the_beginning_is_given_where_it_is_there(text: VisibleText, beginning: str | None) -> None:
    assert text.beginning(5) == beginning
