"""Texts that repeat a topic's words, and texts that speak of it."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.topics._lexicon import Lexicon, Reading
from ranking.topics.judging import PageText
from ranking.topics.stuffing import LIST, Stuffing
from ranking.topics.terms import spelled
from ranking.topics.tfidf import TfidfTopic

TOPIC = "glaciers moraines crevasses firn icefalls"
STUFFING = Stuffing("abcde")
HONEST = (
    "A glacier forms where more snow falls than melts in a year. The snow turns to firn, and under "
    "its own weight to ice, which creeps down the valley. Where the bed is steep, crevasses open, "
    "and at the end moraines tell how far it once reached before the summers became warmer. "
)
OTHER = (
    "Cheap loans and a casino bonus are waiting for you, order today with free shipping, no "
    "questions asked, and get your money back within thirty days if you are not happy with it. "
)


def said(spoken: Iterable[str], stuffing: Stuffing = STUFFING) -> Reading:
    lexicon = Lexicon(spelled, lambda term: (1.0, *[0.0] * 5, stuffing.kind(term)), 100, LIST)
    return lexicon.read(" ".join(spoken))


@pytest.fixture(scope="module")
def model() -> TfidfTopic:
    found = TfidfTopic("off")
    found.fit(TOPIC, [])
    assert isinstance(found, TfidfTopic)
    return found


STUFFED = {
    "nothing but the words": f"{TOPIC} " * 60,
    "one of them": "glaciers " * 200,
    "behind other matters": OTHER * 3 + f"{TOPIC} " * 30,
    "between other matters": " ".join(
        f"{word} {TOPIC.split()[i % 5]}" for i, word in enumerate(OTHER.split() * 8)
    ),
    "as texts of links": OTHER * 3 + " ".join(f"{TOPIC} {i}" for i in range(20)),
}


@pytest.mark.parametrize("text", STUFFED.values(), ids=STUFFED)
def test_a_text_that_repeats_the_topic_is_worth_less_than_one_that_speaks_of_it(
    model: TfidfTopic, text: str
) -> None:
    assert model.relevance(text, TOPIC) < 0.3 < 0.6 < model.relevance(HONEST, "What glaciers are")


def test_a_title_counts_for_no_more_than_the_text_bears_out(model: TfidfTopic) -> None:
    assert model.judge(PageText(OTHER, TOPIC)).relevance == 0.0
    assert model.judge(PageText(OTHER, f"{TOPIC} " * 12)).relevance == 0.0


def test_a_link_by_the_list_of_keywords_promises_less_than_one_by_a_name(model: TfidfTopic) -> None:
    def predicted(anchor: str) -> float:
        return model.predict(anchor, "", "http://a.example/1")

    assert predicted(TOPIC) == 0.0
    assert predicted(f"{TOPIC} now") < predicted("What glaciers are")
    assert predicted("Glaciers, moraines and crevasses of the north") > 0.5


def test_a_word_of_a_script_without_spaces_is_no_list() -> None:
    model = TfidfTopic("off")
    model.fit("天文望远镜", [])
    assert model.predict("天文望远镜", "", "http://a.example/1") > 0.5


def test_lists_are_five_in_a_row_of_which_four_differ() -> None:
    assert said("abcd").listed == 0
    assert said("abcda").listed == 5
    assert said("xabacdxxdcbaee").listed == 5 + 6
    assert said("abcabcxcd").listed == 0


def test_a_name_of_four_words_is_no_list() -> None:
    model = TfidfTopic("off")
    model.fit("new york public library", [])
    text = "The New York Public Library opened in 1911. Readers of the New York Public Library may "
    text += "take home what they like, but for the old books, which are read where they are kept. "
    assert model.relevance(text * 3, "New York Public Library") > 0.9
    assert model.predict("New York Public Library", "", "http://a.example/1") > 0.7


def test_up_to_a_fifth_of_a_text_may_be_its_topic() -> None:
    def plausible(own: int, others: int) -> float:
        return STUFFING.plausible(said(["a", *["x"] * (others // max(own, 1))] * own))

    assert plausible(20, 100) == 1.0
    assert plausible(100, 100) == pytest.approx((0.2 / (100 / 240)) ** 4)


def test_a_topic_told_by_examples_alone_has_nothing_to_repeat() -> None:
    nothing = Stuffing(())
    assert nothing.plausible(said(["a"] * 1000, nothing)) == 1.0


@given(st.lists(st.sampled_from("abcdexyz"), max_size=300))
def test_plausibility_is_never_out_of_bounds(spoken: list[str]) -> None:
    text = said(spoken)
    assert 0 <= STUFFING.plausible(text) <= 1
    assert 0 <= STUFFING.named(text) <= 1
