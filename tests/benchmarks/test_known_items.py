"""Queries of the search benchmark name one page, and what was left out for them is not indexed."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.known_items import KnownItems, known_items, words_of
from benchmarks.search import ordered
from frontier.search.answers import WEIGHTS
from frontier.web import demo

DEMO = Path(demo.__file__).with_name("demo.warc.gz")


@pytest.fixture(scope="module")
def items() -> KnownItems:
    return known_items(DEMO, 50)


def test_a_query_by_title_lacks_a_word_of_the_title(items: KnownItems) -> None:
    assert items.queries["titles"]
    for words, page, _ in items.queries["titles"]:
        title = set(words_of(items.pages[page].title.lower()))
        assert set(words.split()) < title


def test_a_link_text_that_is_asked_for_is_left_out_and_names_no_other_page(
    items: KnownItems,
) -> None:
    assert known_items(DEMO, 50) == items, "drawn by a seed"
    left = [(to, " ".join(words_of(text.lower()))) for _, to, text in items.links]
    assert items.queries["link texts"]
    for words, page, _ in items.queries["link texts"]:
        assert not any(to != page and words == text for to, text in left)


def test_other_weights_reorder_what_was_ranked_once() -> None:
    found = [(4, {"text": 0.5, "title": 0.1, "authority": 0.2}), (7, {"text": 0.4, "title": 0.6})]
    nothing = dict.fromkeys(WEIGHTS, 0.0)
    assert ordered(found, {**nothing, "text": 1.0}) == [4, 7]
    assert ordered(found, {**nothing, "text": 1.0, "title": 1.0}) == [7, 4]
    assert ordered(found, {**nothing, "text": 1.0, "title": 0.2, "authority": 1.0}) == [4, 7]
