"""What a crawl asks of topic models that know much and of those that know little."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.errors import TopicError
from ranking.topics import TfidfTopic, TopicModel
from ranking.topics.judging import Judgement, LinkMatches, PageText, judged, matches_of, teach


class Plain:
    """A user's model: the methods that are asked for and no more."""

    def fit(self, topic: str, examples: Sequence[str]) -> None:
        pass

    def relevance(self, text: str, title: str = "") -> float:
        return 0.75 if title == "yes" else 0.25

    def predict(self, anchor: str, context: str, url: str) -> float:
        return len(anchor) / 10

    def predict_links(self, links: Sequence[tuple[str, str, str]]) -> list[float]:
        return [self.predict(*link) for link in links]

    def state(self) -> dict[str, Any]:
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        pass


def comets() -> TfidfTopic:
    model = TfidfTopic("off")
    model.fit("comets nebulae", [])
    return model


def test_relevance_stands_for_the_similarity_that_a_model_does_not_tell() -> None:
    assert isinstance(Plain(), TopicModel)
    assert judged(Plain(), PageText("text", "yes")) == Judgement(0.75, 0.75)


def test_promise_stands_for_the_anchor_where_a_model_tells_no_parts() -> None:
    assert matches_of(Plain(), [("12345", "x", "y")]) == [LinkMatches(0.5, 0.5, 0.0, 0.0)]


def test_model_that_learns_nothing_from_unwanted_pages_says_so() -> None:
    with pytest.raises(TopicError, match=r"Plain.*fit_labelled.*Leave"):
        teach(Plain(), "comets", ["a"], ["b"])
    teach(Plain(), "comets", ["a"])


def test_unwanted_pages_are_learned_from() -> None:
    taught, plain = TfidfTopic("off"), comets()
    teach(taught, "comets nebulae", [], ["comets of the cinema: films and actors"])
    film = PageText("a comet of the cinema, films with actors")
    assert judged(taught, film).relevance < judged(plain, film).relevance


@pytest.mark.parametrize("model", [Plain(), comets()])
def test_page_without_text_is_about_nothing(model: TopicModel) -> None:
    assert judged(model, PageText("", "yes comets")) == Judgement(0.0, 0.0)


def test_similarity_is_the_cosine_with_the_words_of_the_topic() -> None:
    # Topic: (comet, nebula) with equal weights. Page: comet twice, tailfin once, "the" tells
    # nothing; 10 is added to its squared length, so that few words are not all of a page.
    comet = 1.0 + math.log(2)
    expected = comet / math.sqrt(2) / math.sqrt(comet**2 + 1.0 + 10.0)
    page = PageText("The comet, the tailfin, the comet.")
    assert judged(comets(), page).similarity == pytest.approx(expected, abs=1e-12)


def test_matches_tell_apart_who_named_the_topic() -> None:
    url = "http://x.example/p"
    anchor, context, address = matches_of(
        comets(),
        [("comets", "", url), ("", "comets", url), ("", "", "http://x.example/comets")],
    )
    assert anchor.anchor > 0.5
    assert (anchor.context, anchor.address) == (0.0, 0.0)
    assert context.context > 0.5
    assert (context.anchor, context.address) == (0.0, 0.0)
    assert address.address > 0.5
    assert (address.anchor, address.context) == (0.0, 0.0)


MODEL = comets()
WORDS = st.text(max_size=40) | st.sampled_from(["comets", "a nebula", "nebulae/comets", "bread"])


@given(WORDS, WORDS)
def test_judging_gives_the_relevance_and_two_shares(text: str, title: str) -> None:
    judgement = judged(MODEL, PageText(text, title))
    assert all(0.0 <= value <= 1.0 for value in judgement)
    if text:
        assert judgement.relevance == MODEL.relevance(text, title)


@given(st.lists(st.tuples(WORDS, WORDS, WORDS), max_size=4))
def test_matches_are_shares_and_hold_the_promise(links: list[tuple[str, str, str]]) -> None:
    matches = matches_of(MODEL, links)
    assert [match.predicted for match in matches] == MODEL.predict_links(links)
    assert all(0.0 <= value <= 1.0 for match in matches for value in match)
