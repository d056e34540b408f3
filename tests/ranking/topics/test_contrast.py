"""Examples set against other texts: the numbers of a ridge regression, and what it does."""

from __future__ import annotations

import json
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import Ridge

from ranking.errors import TopicError
from ranking.topics import TfidfTopic
from ranking.topics._lexicon import Lexicon
from ranking.topics.contrast import Contrast, Counted
from ranking.topics.judging import PageText, contrasted
from ranking.topics.terms import spelled

TEXTS = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 9), min_size=1)
WANTED = [
    "The comet orbits the sun once in seventy years.",
    "A comet shows its tail near the sun.",
    "Astronomers found a comet with a broken tail.",
]
OTHERS = [f"The town of Number{n} has a market, a church and roads to the sun." for n in range(9)]


def evidence(judge: Contrast, text: Counted) -> float:
    lexicon = Lexicon(spelled, lambda term: (1.0, 0.0, *judge.of(term), 0.0, 0.0, 0), 1000, 5)
    return judge.evidence(lexicon.read(" ".join(term for term in text for _ in range(text[term]))))


def reference(wanted: list[Counted], others: list[Counted], held_out: int | None) -> np.ndarray:
    """Evidence of all texts by scikit-learn's primal regression; one of the wanted left out."""
    texts = [*wanted, *others]
    names = sorted({term for text in texts for term in text})
    tf = np.array([[text.get(name, 0) for name in names] for text in texts], float)
    rarity = np.log((1 + len(texts)) / (1 + (tf > 0).sum(0))) + 1
    design = np.where(tf > 0, 1 + np.log(np.maximum(tf, 1)), 0) * rarity
    design /= np.linalg.norm(design, axis=1, keepdims=True)
    rows = [i for i in range(len(texts)) if i != held_out]
    goal = np.array([float(i < len(wanted)) for i in rows])
    weight = np.where(goal == 1, 0.25 * (goal == 0).sum() / goal.sum(), 1.0)
    model = Ridge(alpha=1.0, solver="cholesky").fit(design[rows], goal, sample_weight=weight)
    return np.asarray(model.predict(design))


@given(st.lists(TEXTS, min_size=2, max_size=5), st.lists(TEXTS, min_size=1, max_size=9))
def test_evidence_and_cut_are_those_of_a_weighted_ridge_regression(
    wanted: list[Counted], others: list[Counted]
) -> None:
    judge = Contrast.fitted(wanted, [*others, *others], above=1.5)  # twice: every term is kept
    expected = reference(wanted, [*others, *others], None)
    found = [evidence(judge, text) for text in (*wanted, *others, *others)]
    assert found == pytest.approx(expected, abs=1e-4)
    left_out = [
        max(reference(wanted, [*others, *others], held)[held], 0) for held in range(len(wanted))
    ]
    assert judge.cut == pytest.approx(max(1.5 * np.mean(left_out), 0.02), abs=1e-4)


@given(st.lists(TEXTS, min_size=2, max_size=4), st.lists(TEXTS, min_size=1), TEXTS)
def test_evidence_is_finite_and_the_same_after_a_round_trip_through_json(
    wanted: list[Counted], others: list[Counted], text: Counted
) -> None:
    judge = Contrast.fitted(wanted, others, above=1.2)
    again = Contrast.restored(json.loads(json.dumps(judge.state)))
    assert again == judge
    assert math.isfinite(evidence(again, {**text, "unheard": 3}))
    assert evidence(again, {}) == judge.level


@pytest.mark.parametrize(
    "wrong", [{}, {"terms": {}}, {"terms": {"a": [1]}, "unseen": 1, "level": 0, "cut": 1}]
)
def test_foreign_state_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        Contrast.restored(wrong)


@pytest.mark.parametrize("number", ["unseen", "level", "cut"])
def test_numbers_that_are_not_finite_and_cuts_that_are_not_above_zero_are_refused(
    number: str,
) -> None:
    state = Contrast.fitted([{"a": 1}, {"b": 1}], [{"c": 1}], above=1.0).state
    with pytest.raises(ValueError, match="finite"):
        Contrast.restored({**state, number: math.nan})
    with pytest.raises(ValueError, match="above 0"):
        Contrast.restored({**state, "cut": 0.0})


def fitted(examples: list[str]) -> TfidfTopic:
    model = TfidfTopic("off")
    model.fit("", examples)
    return model


def test_what_examples_share_with_all_pages_of_the_web_counts_less_once_pages_were_seen() -> None:
    """All pages here speak of a town's market; only the examples also speak of comets."""
    furniture = " ".join(["market church roads"] * 4)
    model = fitted([f"{text} {furniture}" for text in WANTED])
    town, comet = PageText(furniture, ""), PageText("comet tail astronomers sun orbits", "")
    before = model.judge(town).relevance, model.judge(comet).relevance
    others = [f"{text} {furniture}" for text in OTHERS]
    assert contrasted(model, "", [f"{text} {furniture}" for text in WANTED], (), others)
    after = model.judge(town).relevance, model.judge(comet).relevance
    assert after[0] < before[0]
    assert after[1] * before[0] > 2 * before[1] * after[0]


def test_menu_of_the_site_promises_nothing_once_pages_were_seen() -> None:
    """Each page names all sections; examples are of one, and so is what they speak of."""
    menu = "sections comets planets towns roads churches markets schools"
    examples = [f"{text} {menu}" for text in WANTED]
    links = [("churches", "", "http://a.example/churches"), ("a tail", "", "http://a.example/1")]
    model = fitted(examples)
    before = model.predict_links(links)
    assert model.contrast("", examples, (), [f"{text} {menu}" for text in OTHERS])
    after = model.predict_links(links)
    assert before[0] > 0.0 == after[0]
    assert after[1] > 0.0


def test_words_and_unwanted_texts_still_count_once_pages_were_seen() -> None:
    model, told = (
        TfidfTopic("off"),
        ("nebula", WANTED, ["A broken pot, a broken chair, broken glass."]),
    )
    model.fit_labelled(*told)
    assert model.contrast(*told, OTHERS)
    weights = model.state()["weights"]
    assert weights["nebula"] > weights["comet"] > 0.0 > weights["broken"]


def test_relevance_is_the_geometric_mean_of_both_opinions() -> None:
    model, learned_anew = fitted(WANTED), TfidfTopic("off")
    page = PageText("a comet and a castle", "")
    assert model.contrast("", WANTED, (), OTHERS)
    state = model.state()
    other = Contrast.restored(state.pop("contrast"))
    learned_anew.restore(state)
    alone = learned_anew.judge(page).relevance
    said = Counter({"comet": 1, "castle": 1})
    share = (evidence(other, said) / other.cut) ** 1.5
    assert model.judge(page).relevance == pytest.approx(math.sqrt(alone * share / (1 + share)))


def test_pages_like_the_topic_are_not_what_examples_are_set_against() -> None:
    model, same = fitted(WANTED), fitted(WANTED)
    assert model.contrast("", WANTED, (), OTHERS[:7] + ["comet tail"] * 3)
    assert same.contrast("", WANTED, (), OTHERS[:7] + ["comet sun tail"] * 3)
    assert model.state() == same.state()


def test_one_example_is_read_beside_the_crawl_and_set_against_nothing() -> None:
    model = fitted(WANTED[:1])
    before = model.state()["weights"]
    assert model.contrast("", WANTED[:1], (), OTHERS)
    state = model.state()
    assert "contrast" not in state
    assert "sun" in before
    assert "sun" not in state["weights"]  # all other pages say it


def test_no_example_or_few_other_pages_change_nothing() -> None:
    model = fitted(WANTED)
    before = model.state()
    assert not model.contrast("comet", (), (), OTHERS)
    assert not model.contrast("", WANTED, (), OTHERS[:4])
    assert not model.contrast("", WANTED, (), ["", "the of and"] * 9)
    assert not contrasted(model, "", [], [], [])
    assert model.state() == before


def test_restored_model_judges_as_the_one_it_was() -> None:
    model = fitted(WANTED)
    model.contrast("", WANTED, (), OTHERS)
    again = TfidfTopic("off")
    again.restore(json.loads(json.dumps(model.state())))
    for text in (*WANTED, *OTHERS):
        assert again.judge(PageText(text, "")) == model.judge(PageText(text, ""))
    broken = model.state()
    broken["contrast"]["cut"] = "much"
    with pytest.raises(TopicError):
        again.restore(broken)
