"""The default topic model and the door it comes in by."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.errors import LinkRankError, TopicError
from ranking.topics import TfidfTopic, TopicModel, load_topic_model
from ranking.topics.frequencies import Levels
from ranking.topics.judging import PageText
from ranking.topics.learn import learned, page_of, read_examples, topic_terms
from tests.support.told import telling

ASTRONOMY = [
    "The telescope on the mountain watches a distant galaxy. Its mirror collects starlight. "
    "Every galaxy the telescope finds is measured, and the telescope moves on.",
    "A galaxy is a system of stars. With a larger telescope, astronomers see each galaxy and "
    "its stars; a nebula between the stars glows.",
]


def fitted(topic: str = "", examples: Sequence[str] = ()) -> TfidfTopic:
    """A model that goes by words alone; what meaning adds is in test_meaning.py."""
    model = TfidfTopic("off")
    model.fit(topic, examples)
    return model


def weights_of(topic: str, examples: Sequence[str] = (), unwanted: Sequence[str] = ()) -> Any:
    keywords = topic_terms(topic)
    levels = Levels(["en"], keywords)
    likes, dislikes = (read_examples(texts, levels) for texts in (examples, unwanted))
    return learned(keywords, likes, dislikes, levels)


# what is learnt


def test_keywords_weigh_the_same_and_common_ones_less() -> None:
    # "world" is said 800 times in a million words: Zipf 5.9, level (7 - 5.9) / 2.
    common = math.sqrt(0.55)
    length = math.sqrt(2 + 0.55)
    weights = weights_of("planets, comets and the world")
    assert weights == pytest.approx(
        {"comet": 1 / length, "planet": 1 / length, "world": common / length}, abs=1e-6
    )


def test_function_words_are_no_keywords() -> None:
    assert topic_terms("The history of planets, and the planet Mars") == [
        "histori",
        "planet",
        "mar",
    ]
    assert fitted("planets").understood("The planets") == ["planet"]


def test_single_letters_count_only_where_they_are_all_there_is() -> None:
    assert topic_terms("R") == ["r"]
    assert topic_terms("R statistics") == ["statistic"]
    assert fitted("R").relevance("r " * 50) > fitted("R").relevance("bread " * 50) == 0.0


@pytest.mark.parametrize(
    ("topic", "said", "other"),
    [("C++", "C++", "C"), ("c#", "C#", "C"), (".NET", ".NET", "net"), ("AT&T", "AT&T", "at T")],
)
def test_names_with_signs_are_topics_of_their_own(topic: str, said: str, other: str) -> None:
    model = fitted(topic)
    bread = "bread in the oven for it, "
    assert model.relevance(f"{said} {bread}" * 20) > 0.5
    assert model.relevance(f"{other} {bread}" * 20) == 0.0
    assert model.predict(said, "", "http://x.example/") > 0.5
    assert model.predict(other, "", "http://x.example/") == 0.0


def test_what_examples_agree_on_weighs_most() -> None:
    weights = weights_of("", ASTRONOMY)
    assert set(list(weights)[:2]) == {"telescop", "galaxi"}
    assert weights["star"] > weights["mountain"] > 0.0


def test_keywords_and_examples_add_up() -> None:
    weights = weights_of("quasars", ASTRONOMY)
    assert weights["quasar"] == pytest.approx(1.0, abs=1e-6)
    assert weights["galaxi"] == pytest.approx(weights_of("", ASTRONOMY)["galaxi"] / 2, abs=1e-6)


def test_what_any_page_says_speaks_against_it_where_there_are_examples() -> None:
    assert weights_of("", ASTRONOMY)["peopl"] < 0.0
    assert "peopl" not in weights_of("quasars")


def test_what_unwanted_pages_say_speaks_against_a_page() -> None:
    radio = "A telescope for radio waves: antennas, noise and a galaxy of signals from antennas."
    weights = weights_of("", ASTRONOMY, [radio])
    assert weights["antenna"] < 0.0 < weights["telescop"] < weights_of("", ASTRONOMY)["telescop"]


def test_title_of_an_example_counts_more_than_its_text() -> None:
    text = "Quasars are far. Galaxies are near."
    levels = Levels(["en"])
    (plain,), (titled,) = (read_examples([one], levels) for one in (text, f"Quasars\n{text}"))
    assert plain is not None
    assert titled is not None
    assert titled.vector["quasar"] / titled.vector["galaxi"] > 1.2
    assert plain.vector["quasar"] == plain.vector["galaxi"]


@pytest.mark.parametrize(
    ("text", "title"),
    [("A\nb", "A"), ("A b", ""), ("A\n", ""), ("\nA\nb", "A"), ("long " * 200 + "\nb", "")],
)
def test_first_line_is_a_title_if_there_is_more(text: str, title: str) -> None:
    assert page_of(text).title == title


def test_weights_are_bounded_in_number() -> None:
    text = " ".join(f"word{chr(97 + i % 26)}{chr(97 + i // 26)}x" for i in range(600))
    weights = weights_of("", [text])
    assert sum(weight > 0.0 for weight in weights.values()) == 200
    assert len(json.dumps(fitted("", [text]).state())) < 200_000


@pytest.mark.parametrize("topic", ["", "  ", "the and of", "?!... --", "\x00"])
@pytest.mark.parametrize("examples", [[], ["", " the of "]])
def test_nothing_to_learn_from_is_refused(topic: str, examples: list[str]) -> None:
    with pytest.raises(TopicError, match=r"expected.*got.*Name"):
        fitted(topic, examples)


def test_words_that_were_understood_are_named() -> None:
    with pytest.raises(TopicError, match=telling("'What is it?'", "what, is, it")):
        fitted("What is it?")


# relevance


def graded(evidence: float) -> float:
    return evidence**4 / (1 + evidence**4)


def test_evidence_is_the_product_with_the_topic_by_the_length_of_the_page() -> None:
    # A page of two telling words, the topic being one of them; 10 is added to the squared length.
    said = 1 + math.log(2)
    cosine = said / math.sqrt(said**2 + 1 + 10)
    judgement = fitted("comets").judge(PageText("a comet, a comet and a tailfin"))
    assert judgement.similarity == pytest.approx(cosine, abs=1e-12)
    expected = graded(1.6 * math.log1p(10 * cosine))
    assert judgement.relevance == pytest.approx(expected, abs=1e-12)


def test_title_adds_its_share_of_the_topic() -> None:
    text = "a comet and a tailfin"
    plain, titled = (fitted("comets").judge(PageText(text, t)) for t in ("", "Comet tailfins"))
    added = 0.3 / math.sqrt(2)
    cosine = 1 / math.sqrt(2 + 10)
    for judgement, c, named in ((plain, cosine, 0.0), (titled, cosine + added, 1.0)):
        expected = graded(1.6 * math.log1p(10 * c) + named)
        assert judgement.relevance == pytest.approx(expected, abs=1e-12)
    assert plain.similarity == titled.similarity


def test_page_without_a_word_of_the_topic_is_irrelevant() -> None:
    model = fitted("planets and comets")
    assert model.relevance("How to bake bread", "Bread") == 0.0
    assert model.relevance("", "") == 0.0


def test_more_words_of_the_topic_are_more_relevant_than_one_word_repeated() -> None:
    model = fitted("telescope galaxy nebula star orbit")
    spoken = "through a telescope the galaxy shows a nebula and in it a star with its orbit, "
    all_five = model.relevance(
        spoken + "as was seen long before by those who looked for them there"
    )
    assert all_five > 0.8 > model.relevance("telescope " * 1000)


def test_title_counts() -> None:
    model = fitted("space telescopes")
    text = "It was launched and has watched the sky since. " * 5 + "A telescope in space."
    assert model.relevance(text, "Space Telescope") > model.relevance(text, "Home")


def test_long_page_needs_more_than_a_mention() -> None:
    model = fitted("telescope galaxy")
    mention = "telescope galaxy "
    assert model.relevance(mention + "bread " * 50) > model.relevance(mention + "bread " * 5_000)


def test_examples_set_their_own_cut() -> None:
    model = fitted("", ASTRONOMY)
    assert all(model.relevance(text) > 0.5 for text in ASTRONOMY)
    assert model.relevance("A telescope shows stars and a nebula in every galaxy.") > 0.4
    assert model.relevance("The world record in baking bread was measured here.") < 0.1


def test_words_of_text_without_spaces_are_found() -> None:
    model = fitted("全文検索")
    assert model.relevance("高速な全文検索エンジンと全文検索の歴史") > 0.5
    assert model.relevance("今日は天気がいいです") == 0.0


# predictions


def test_anchor_says_more_than_the_address_and_much_more_than_the_surroundings() -> None:
    model = fitted("comets")
    url = "http://x.example/p"
    anchored, addressed, near, none = model.predict_links(
        [
            ("comets", "", url),
            ("more", "", "http://x.example/comets.html"),
            ("more", "about comets", url),
            ("more", "about bread", url),
        ]
    )
    assert anchored > 0.5 > near > none == 0.0
    assert anchored > addressed > near


def test_promise_of_an_anchor_is_its_formula() -> None:
    # One of two keywords, one word: weight 1/2 · 2/sqrt(1 + 3), in units of 1/2.
    predicted = fitted("comets nebulae").predict("comet", "", "http://x.example/")
    assert predicted == pytest.approx(1 / 1.7, abs=1e-12)


def test_word_in_anchor_address_and_context_counts_once() -> None:
    model = fitted("comets")
    once = model.predict("comet", "", "http://x.example/")
    assert model.predict("comet", "comets, comet!", "http://x.example/comets/comet") == once


def test_host_name_is_no_evidence_and_escapes_are_read() -> None:
    model = fitted("Äpfel")
    assert model.predict("", "", "http://äpfel.example/x") == 0.0
    assert model.predict("", "", "http://x.example/%C3%84pfel") > 0.0


# what must always hold

BOTH, TWIN = (fitted("galaxy telescope 全文", ASTRONOMY) for _ in range(2))
ONLY_EXAMPLES = fitted("", ASTRONOMY)
TEXTS = st.text(max_size=60) | st.sampled_from([*ASTRONOMY, "galaxy telescope", "全文 galaxies"])


@given(TEXTS, TEXTS)
def test_relevance_never_raises_and_is_a_share(text: str, title: str) -> None:
    for model in (BOTH, ONLY_EXAMPLES):
        assert 0.0 <= model.relevance(text, title) <= 1.0


@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS), max_size=5))
def test_promises_never_raise_and_equal_promise_for_each(
    links: list[tuple[str, str, str]],
) -> None:
    predicted = BOTH.predict_links(links)
    assert all(0.0 <= predicted <= 1.0 for predicted in predicted)
    assert predicted == [TWIN.predict(*link) for link in links]


@pytest.mark.slow
@given(TEXTS, st.lists(TEXTS, max_size=3), TEXTS)
def test_restored_model_gives_identical_numbers(topic: str, examples: list[str], text: str) -> None:
    try:
        model = fitted(topic, examples)
    except TopicError:
        return
    twin = TfidfTopic()
    twin.restore(json.loads(json.dumps(model.state())))
    assert twin.state() == model.state() == fitted(topic, examples).state()
    assert twin.relevance(text, topic) == model.relevance(text, topic)
    assert twin.predict(text, topic, text) == model.predict(text, topic, text)


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"version": 3, "cut": 0.5, "weights": {"a": 1.0}, "keywords": [], "languages": []},
        {"version": 2, "cut": 0.5, "weights": {"a": 1.0}},
        {"version": 2, "cut": 0.5, "weights": {"a": 1.0}, "keywords": [], "languages": ["xx"]},
        {"version": 2, "cut": "x", "weights": {"a": 1.0}, "keywords": [], "languages": []},
        {"version": 2, "cut": 0.0, "weights": {"a": 1.0}, "keywords": [], "languages": []},
        {"version": 2, "cut": 0.5, "weights": {}, "keywords": [], "languages": []},
        {"version": 2, "cut": 0.5, "weights": [], "keywords": [], "languages": []},
        {"version": 2, "cut": 0.5, "weights": {"a": float("nan")}, "keywords": [], "languages": []},
        {"version": 2, "cut": 0.5, "weights": {"a": -1.0}, "keywords": [], "languages": []},
        {
            "version": 2,
            "cut": 0.5,
            "weights": {"a": 1.0},
            "keywords": [],
            "languages": [],
            "common": {"a": 2.0},
        },
        {"version": 1, "cut": 0.5, "weights": {}},
    ],
)
def test_foreign_state_is_refused_and_changes_nothing(state: dict[str, Any]) -> None:
    model = fitted("comets")
    before = model.state()
    with pytest.raises(TopicError, match=r"expected.*got.*Resume"):
        model.restore(state)
    assert model.state() == before


def test_unfitted_model_says_so() -> None:
    model = TfidfTopic()
    for use in (
        lambda: model.relevance("x"),
        lambda: model.predict_links([]),
        model.state,
    ):
        with pytest.raises(TopicError, match="never fitted"):
            use()


def test_memory_of_words_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ranking.topics.pages._MEMORY", 10)
    model = fitted("comets")
    text = " ".join(f"w{i}" for i in range(100)) + " comet"
    first = model.relevance(text)
    assert len(model._pages.lexicon) <= 10
    assert model.relevance(text) == first


CHILD = """
import json, sys
from ranking.topics import TfidfTopic
model = TfidfTopic("built-in")
model.fit("space telescopes", ["a telescope in orbit sees a galaxy and stars"])
text = "stars and a telescope in orbit around a galaxy"
print(json.dumps([model.state(), model.relevance(text), model.predict(text, text, "http://x/y"),
                  [name for name in ("sklearn", "pandas", "scrapy") if name in sys.modules]]))
"""


def test_fit_loads_no_heavy_library_and_hash_seeds_change_nothing() -> None:
    answers = [
        subprocess.run(
            [sys.executable, "-c", CHILD],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            check=True,
            timeout=60,
        ).stdout
        for seed in ("1", "2")
    ]
    assert answers[0] == answers[1]
    assert json.loads(answers[0])[3] == []


# loading by name


def test_default_model_is_a_topic_model() -> None:
    assert isinstance(TfidfTopic(), TopicModel)


def test_model_is_loaded_by_its_path() -> None:
    assert isinstance(load_topic_model("ranking.topics.tfidf.TfidfTopic"), TfidfTopic)


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("", "without a module"),
        ("TfidfTopic", "without a module"),
        (".TfidfTopic", "without a module"),
        ("no.such.module.Class", "cannot be imported"),
        ("ranking..topics.Class", "cannot be imported"),
        ("ranking.topics.tfidf.Missing", "does not have"),
        ("ranking.topics.learn.page_of", "cannot be called bare"),
        ("collections.Counter", "lacks its methods"),
    ],
)
def test_path_that_leads_to_no_model_is_explained(path: str, found: str) -> None:
    with pytest.raises(LinkRankError, match=f"expected.*{found}.*Correct"):
        load_topic_model(path)
