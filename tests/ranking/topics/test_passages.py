"""Passages that several texts share: what counts again, and what does not."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ranking.topics.learn import distinct_passages

MENU = ["home", "news", "sport", "weather", "travel", "culture", "science", "contact"]


def reference(texts: list[list[str]]) -> list[list[str]]:
    """The same by looking for each eight terms in the earlier texts, as strings."""
    kept = []
    for number, text in enumerate(texts):
        earlier = [f" {' '.join(one)} " for one in texts[:number]]
        again: set[int] = set()
        for at in range(len(text) - 7):
            if any(f" {' '.join(text[at : at + 8])} " in one for one in earlier):
                again.update(range(at, at + 8))
        kept.append([term for at, term in enumerate(text) if at not in again])
    return kept


def test_a_menu_counts_in_the_first_text_only() -> None:
    texts = [[*MENU, "comet"], ["planet", *MENU, "star"], [*MENU]]
    assert distinct_passages(texts) == [[*MENU, "comet"], ["planet", "star"], []]


def test_seven_terms_in_a_row_may_be_said_again() -> None:
    texts = [MENU[:7], MENU[:7]]
    assert distinct_passages(texts) == texts


def test_what_a_text_itself_repeats_stays() -> None:
    assert distinct_passages([[*MENU, *MENU]]) == [[*MENU, *MENU]]


@given(st.lists(st.lists(st.sampled_from("ab"), max_size=30), max_size=4))
def test_left_out_is_what_a_search_in_the_earlier_texts_finds(texts: list[list[str]]) -> None:
    assert distinct_passages(texts) == reference(texts)
