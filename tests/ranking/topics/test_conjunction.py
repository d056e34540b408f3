"""Of a topic of a few words, a page says more than the commonest."""

from __future__ import annotations

import pytest

from ranking.topics import TfidfTopic
from ranking.topics.conjunction import Conjunction
from ranking.topics.frequencies import Levels

FILLER = " with bread and butter in the old house;"


def fitted(topic: str, vectors: str) -> TfidfTopic:
    model = TfidfTopic(vectors)
    model.fit(topic, ())
    return model


@pytest.mark.parametrize("vectors", ["off", "built-in"])
@pytest.mark.parametrize(
    ("topic", "all_said", "part"),
    [
        ("covid-19", "COVID-19", "19"),
        ("covid-19", "covid19 covid", "19"),
        ("Grace Hopper", "Grace Hopper", "Grace"),
        ("black hole", "black hole", "black"),
        ("C++ templates", "C++ templates", "templates"),
        ("Apollo 11", "Apollo 11", "11"),
        ("mp3-player", "MP3 player", "player"),
        ("space telescopes", "space telescopes", "space"),
        ("space telescopes", "telescopes", "space"),
        ("Katze Leuchtturm", "Leuchttürme Katzen", "Katzen"),
        ("全文検索", "全文検索", "検索"),
    ],
)
def test_a_page_that_says_the_commonest_word_only_is_not_relevant_however_often(
    topic: str, all_said: str, part: str, vectors: str
) -> None:
    model = fitted(topic, vectors)
    for times in (1, 3, 30):
        assert model.relevance((f"{part} " + FILLER) * times, part) < 0.5
        assert model.relevance(f"{part} " * times, part) < 0.5
    assert model.relevance(f"{all_said}, {all_said} {FILLER}", all_said) > 0.5


def test_of_two_words_the_rarer_says_more() -> None:
    model = fitted("space telescopes", "off")
    assert model.relevance("telescopes " * 9) > 0.5 > model.relevance("space " * 9)


def test_a_title_says_its_share_of_the_topic() -> None:
    model = fitted("Grace Hopper", "off")
    text = "Grace wrote it and Grace ran it"
    assert model.relevance(text, "Hopper") > 0.5 > model.relevance(text, "Grace")


@pytest.mark.parametrize(
    ("topic", "said", "share"),
    [
        ("katzen", {"katzen"}, 1.0),
        ("xaxax zyzyz", {"xaxax", "zyzyz"}, 2.0 * 2.0**0.5),
        ("xaxax zyzyz", {"xaxax"}, 0.5**0.5),
        ("xaxax zyzyz", {"a", "b"}, 0.0),
        ("xaxax-7", {"xaxax7"}, 1.0),
        ("xaxax-7", {"7"}, 0.0),
    ],
)
def test_of_n_equal_words_the_fourth_root_of_n_must_be_said(
    topic: str, said: set[str], share: float
) -> None:
    assert Conjunction.of(topic, Levels(("en",))).share(said) == pytest.approx(share)


def test_examples_tell_what_else_a_page_may_say() -> None:
    example = "The telescope on the mountain watches a galaxy and a nebula with its mirror."
    model = TfidfTopic("off")
    model.fit("space telescopes", [example])
    assert model.relevance("A galaxy, a nebula and a mirror on the mountain") > 0.5
