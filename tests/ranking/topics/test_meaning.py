"""Words near to a topic: which they are, and what they tell of pages and links."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.topics import TfidfTopic
from ranking.topics._lexicon import Lexicon
from ranking.topics.judging import PageText
from ranking.topics.meaning import FIRST_SCALE, Meaning, nearest, salience
from ranking.topics.terms import spelled, terms
from ranking.topics.vectors.table import Pieces, Spelling, WordVectors
from tests.support.told import tells

URL = "http://x.example/p"
VOLCANO = (
    "Lava is magma that has reached the surface. During an eruption the crater throws out ash and "
    "pumice, and pyroclastic flows run down its slopes. Lava flows cool to basalt; magma that "
    "stays below becomes granite. Seismologists watch for tremors before an eruption."
)
BANK = (
    "The bank lends money to firms and takes deposits from savers. Interest on a loan pays for the "
    "risk that the borrower fails. Shareholders receive a dividend, and the regulator watches the "
    "capital of the bank and the liquidity of its bonds."
)
BREAD = (
    "Bread is made of flour, water and yeast. The dough is kneaded and left to rise, then baked in "
    "a hot oven until the crust is brown. Butter and jam are spread on it at breakfast, and cakes "
    "are baked from the same flour with sugar and eggs."
)
RAILWAY = (
    "The locomotive pulls six carriages along the railway to the station. Passengers wait on the "
    "platform; the freight wagons stand on the track beside the depot. Trams and the metro run "
    "every five minutes, and the timetable of the express is printed on the wall."
)


def fitted(topic: str = "", examples: Sequence[str] = (), vectors: str = "built-in") -> TfidfTopic:
    model = TfidfTopic(vectors)
    model.fit(topic, examples)
    return model


def table(cosines: Sequence[float]) -> WordVectors:
    """Terms t0, t1 ... of given cosines with t0, whose own is 1."""
    near = np.array([1.0, *cosines])
    n = len(near)
    vectors = np.stack([near, np.sqrt(1.0 - near**2)], axis=1).astype(np.float32)
    pieces = Pieces(vectors, np.arange(n + 1), np.arange(n), np.ones(n, np.float32))
    spelling = Spelling([f"t{at}" for at in range(n)], np.arange(n), np.arange(n))
    return WordVectors("made up", spelling, np.full(n, 1e-5), pieces)


# which words are near


def plainly_nearest(cosines: Sequence[float]) -> dict[str, float]:
    n = len(cosines)
    mean = sum(cosines) / n
    deviation = math.sqrt(sum((one - mean) ** 2 for one in cosines) / n)
    apart = {f"t{i}": (one - mean) / deviation - 1.5 for i, one in enumerate(cosines)}
    near = {term: z**1.5 for term, z in apart.items() if z > 0.0}
    ranked = sorted(near, key=lambda term: -near[term])
    # Terms that are not near count as zeros of the fifty.
    half = 2.0 * sum(near[term] for term in ranked[:50]) / min(50, n)
    return {term: min(near[term] / half, 1.0) for term in ranked[:3000]}


@pytest.mark.parametrize("size", [30, 200, 60_000])
def test_nearness_is_how_far_a_cosine_stands_out_among_all(size: int) -> None:
    chance = np.random.default_rng(size)
    vectors = table(np.clip(chance.normal(0.0, 0.1, size), -1.0, 0.9).tolist())
    cosines = vectors.near(["t0"])
    assert cosines is not None
    found, expected = nearest(["t0"], vectors), plainly_nearest(cosines.tolist())
    expected = {term: n for term, n in expected.items() if n >= 0.0005}
    assert found == pytest.approx(expected, abs=0.000501)
    assert found["t0"] == max(found.values())
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert len(found) <= 3000
    assert (len(found) == 3000) == (size == 60_000)
    assert all(0.0 < n <= 1.0 for n in found.values())


def test_of_equal_cosines_the_more_common_terms_come_first() -> None:
    vectors = table([0.0] * 100 + [0.5] * 5)
    assert list(nearest(["t0"], vectors)) == ["t0", *(f"t{n}" for n in range(101, 106))]


@pytest.mark.parametrize("cosines", [[], [1.0] * 9, [-1.0, 0.0]])
def test_where_nothing_stands_out_nothing_is_near(cosines: list[float]) -> None:
    assert nearest(["t0"], table(cosines)) == {}


def test_without_a_table_or_a_word_that_it_knows_nothing_is_near() -> None:
    assert nearest(["t0"], None) == {}
    assert nearest(["unheard"], table([0.1, 0.2])) == {}
    assert nearest([], table([0.1, 0.2])) == {}


# what a page says by them


def test_a_common_word_tells_less() -> None:
    assert salience(0.0) == pytest.approx(1.0, abs=1e-5)
    assert salience(6.0) == 0.5  # one word in a thousand
    assert salience(7.0) == pytest.approx(1 / 11)


@pytest.mark.parametrize(("told_by", "harder"), [(1, 1.0), (2, 1.0), (8, 2.0), (18, 3.0)])
def test_evidence_of_a_page_is_the_mean_nearness_of_its_words(told_by: int, harder: float) -> None:
    near = {"lava": 1.0, "ash": 0.5}
    told = {"lava": 1.0, "ash": 0.4, "town": 0.8}

    def weigh(term: str) -> tuple[float, float, float, float, float, float, int]:
        return 1.0, 0.0, 0.0, 0.0, told[term], near.get(term, 0.0), 0

    lexicon, meaning = Lexicon(spelled, weigh, 100, 5), Meaning(near, told_by)
    said = [(1 + math.log(3)) * 1.0, 0.4, (1 + math.log(2)) * 0.8]
    product = said[0] * 1.0 + said[1] * 0.5
    length = math.sqrt(sum(one * one for one in said) + 10.0)
    expected = product / length / math.sqrt(1.0 + 0.25) / 0.135 / harder
    found = meaning.of_page(lexicon.read("lava town lava ash town lava"))
    assert found == pytest.approx(expected, rel=1e-12)
    assert meaning.of_page(lexicon.read("town")) == meaning.of_page(lexicon.read("")) == 0.0


def made(near: dict[str, float], keywords: Sequence[str] = ("volcano",), **more: Any) -> TfidfTopic:
    """A model of given near terms, without a table."""
    model = fitted(" ".join(keywords), vectors="off")
    model.restore({**model.state(), "near": near, **more})
    return model


def test_relevance_is_what_words_and_meaning_tell_together() -> None:
    # Words that no table knows have a salience of 1.
    model = made({"magmax": 0.8, "volcano": 1.0}, scale=1.2)
    title = "Volcano magmax"
    judgement = model.judge(PageText("A volcano, magmax and tailfinx.", title))
    one = salience(0.0)
    near = (0.8 + 1.0) * one / math.sqrt(3 * one**2 + 10) / math.hypot(0.8, 1.0) / 0.135
    own = 1 / math.sqrt(3 + 10) + 0.3 / math.sqrt(2)
    odds = near + own / 0.43
    share = (odds / 1.2) ** 2
    assert judgement.relevance == pytest.approx(share / (1 + share), rel=1e-6)
    assert judgement.similarity == pytest.approx(near / (near + 1), rel=1e-6)


def test_words_of_a_topic_of_several_weigh_by_the_fourth_root_of_their_number() -> None:
    model = made({"magmax": 1.0}, ("volcano", "glacierx", "geysirx", "fumarolex"), scale=1.0)
    share = (4**0.25 * 0.5 / math.sqrt(1 + 10) / 0.43) ** 2
    assert model.relevance("geysirx") == pytest.approx(share / (1 + share), rel=1e-6)


def test_near_words_of_links_count_by_where_they_stand() -> None:
    model = made({"magmax": 0.8})
    part = 0.8 / math.sqrt(2) / 0.5  # one word of salience 1; half of a prediction at .5
    anchor, address, context = model.matches(
        [
            ("magmax", "", URL),
            ("", "", "http://magmax.example/magmax"),
            ("", "magmax", URL),
        ]
    )

    def shares(*odds: float) -> list[float]:
        return [pytest.approx(one / (1 + one), rel=1e-5) for one in odds]

    assert list(anchor) == shares(part, part, 0.0, 0.0, part, 0.0, 0.0)
    assert list(address) == shares(0.8 * part, 0.0, 0.0, part, 0.0, 0.0, part)
    assert list(context) == shares(0.3 * part, 0.0, 0.6 * part, 0.0, 0.0, 0.6 * part, 0.0)


def test_a_link_promises_by_its_words_and_by_their_meaning() -> None:
    model = made({"magmax": 0.8, "volcano": 1.0})
    words = 2.0 / math.sqrt(2 + 3.0) / 0.7  # of weight 1, two words in all
    near = 1.8 / math.sqrt(3) / 0.5
    predicted = model.predict("volcano magmax", "", URL)
    assert predicted == pytest.approx((words + near) / (words + near + 1), rel=1e-5)
    # Of anchor and address the nearer counts.
    assert model.predict("volcano magmax", "", "http://x.example/volcano") == predicted


TEXTS = st.lists(
    st.sampled_from(["volcano", "lava", "ash", "the", "train", "火山", "."]), max_size=40
)


@given(TEXTS.map(" ".join), TEXTS.map(" ".join))
def test_relevance_and_promise_are_shares(text: str, title: str) -> None:
    assert all(0.0 <= value <= 1.0 for value in MODEL.judge(PageText(text, title)))
    assert all(0.0 <= value <= 1.0 for value in MODEL.matches([(title, text, URL)])[0])


MODEL = fitted("volcano")


# the built-in table


@pytest.mark.parametrize(
    ("topic", "page"),
    [("volcano", VOLCANO), ("mortgage", BANK), ("pastry", BREAD), ("tramway", RAILWAY)],
)
def test_a_topic_of_one_word_is_found_in_pages_that_do_not_say_it(topic: str, page: str) -> None:
    model = fitted(topic)
    others = [text for text in (VOLCANO, BANK, BREAD, RAILWAY) if text != page]
    assert not set(terms(topic)) & set(terms(page))
    assert model.relevance(page) > 0.5 > 0.25 > max(map(model.relevance, others))
    anchors = [model.predict(text.partition(".")[0], "", URL) for text in (page, *others)]
    assert anchors[0] > max(anchors[1:])


def test_a_page_of_the_topics_word_alone_is_no_more_relevant_than_one_that_speaks_of_it() -> None:
    assert MODEL.relevance("volcano " * 500) < 0.1 < MODEL.relevance(VOLCANO)


@pytest.mark.parametrize("topic", ["火山", "вулкан", "หนังสือ", "xyzzyx plughx"])
def test_a_topic_that_the_table_does_not_know_goes_by_words_alone(topic: str) -> None:
    told, plain = fitted(topic), fitted(topic, vectors="off")
    state = told.state()
    assert state["near"] == {}
    assert {**state, "vectors": plain.state()["vectors"]} == plain.state()
    for text in (VOLCANO, f"{topic} {BANK}", f"{topic} " * 9):
        assert told.judge(PageText(text, topic)) == plain.judge(PageText(text, topic))
        assert told.matches([(text, topic, text)]) == plain.matches([(text, topic, text)])


def test_pages_of_a_topic_told_by_examples_are_judged_by_words_and_links_by_both() -> None:
    for topic in ("", "volcano"):
        told, plain = fitted(topic, [VOLCANO]), fitted(topic, [VOLCANO], "off")
        for text in (VOLCANO, BANK, RAILWAY, "volcanic"):
            assert told.relevance(text) == plain.relevance(text)
        likenesses = [told.judge(PageText(text)).similarity for text in (BANK, VOLCANO)]
        assert likenesses == sorted(likenesses)
        link = "volcanic geology", "", URL
        assert told.predict(*link) > plain.predict(*link)


# what is kept, and learned in a crawl


def test_a_restored_model_needs_no_table(monkeypatch: pytest.MonkeyPatch) -> None:
    model = fitted("volcano")
    model.contrast("volcano", (), (), [VOLCANO, *[BANK, BREAD, RAILWAY] * 4])
    state = json.loads(json.dumps(model.state()))
    assert len(state["near"]) == 3000
    assert state["scale"] != FIRST_SCALE
    assert len(json.dumps(state)) < 200_000
    told = fitted("volcano", [VOLCANO]).state()
    monkeypatch.setattr("ranking.topics.tfidf.load_vectors", None)
    again = TfidfTopic()
    again.restore(state)
    assert again.state() == state
    for text in (VOLCANO, BANK, ""):
        page = PageText(text, "Volcanoes")
        assert again.judge(page) == model.judge(page)
        assert again.matches([(text, text, URL)]) == model.matches([(text, text, URL)])
    assert (told["examples"], state["examples"]) == (True, False)
    again.restore(told)
    assert again.state() == told


def test_what_all_pages_of_a_web_say_tells_nothing_by_its_meaning() -> None:
    """Menus name the topic and a word near to it; the keyword itself still counts as a word."""
    menu = "volcano eruption"
    web = [f"{menu} " + 8 * f"{text} " for text in (BANK, BREAD, RAILWAY) * 4]
    model = fitted("volcano")
    before = model.judge(PageText(web[0])), model.matches([("eruption", "", URL)])[0]
    assert before[0].similarity > 0.0 < before[1].predicted
    assert model.contrast("volcano", (), (), web)
    after = model.judge(PageText(web[0]))
    assert after.similarity < before[0].similarity / 2
    assert model.predict("eruption", "", URL) == 0.0
    assert model.predict("volcano", "", URL) > 0.5
    assert model.relevance(VOLCANO.replace("eruption", "crater")) > 0.5


def test_the_scale_follows_from_what_a_crawl_fetches() -> None:
    some, model = [VOLCANO] * 9 + [BANK, BREAD, RAILWAY] * 7, fitted("volcano")
    before = model.relevance(VOLCANO)
    assert not model.contrast("volcano", (), (), [BANK] * 4)  # too few
    assert model.contrast("volcano", (), (), [BANK, BREAD, RAILWAY] * 20)
    assert model.state()["scale"] == 0.465
    few = model.relevance(VOLCANO)
    assert model.contrast("volcano", (), (), some)
    assert FIRST_SCALE < model.state()["scale"] <= 1.209
    assert model.relevance(VOLCANO) < before < few
    assert not model.contrast("volcano", (), (), some)  # once more the same
    assert not fitted("volcano", vectors="off").contrast("volcano", (), (), some)


# what is explained


def summed(parts: Sequence[tuple[str, float]], power: float) -> float:
    share = max(math.fsum(part for _, part in parts), 0.0) ** power
    return share / (share + 1.0)


SPOKEN = TEXTS.map(" ".join) | st.sampled_from(
    [VOLCANO, BANK, "volcano " * 60, f"Volcanoes\n{VOLCANO}"]
)


def unlike(topic: str, vectors: str) -> TfidfTopic:
    model = TfidfTopic(vectors)
    model.fit_labelled(topic, (), [BANK])
    return model


EXPLAINED = [
    (MODEL, 2.0),
    (made({"lava": 0.4, "volcano": 1.0}, ("volcano", "ash", "train"), scale=0.8), 2.0),
    (unlike("volcano money", "built-in"), 2.0),
    (fitted("volcano", vectors="off"), 1.5),
    (fitted("volcano", [VOLCANO]), 1.5),
    (fitted("", [VOLCANO, RAILWAY], "off"), 1.5),
    (unlike("volcano money", "off"), 1.5),
    (fitted("火山 volcano"), 2.0),
]


@given(SPOKEN, SPOKEN)
def test_parts_of_a_page_add_up_to_its_relevance(text: str, title: str) -> None:
    for model, power in EXPLAINED:
        parts = model.explain(text, title)
        expected = model.relevance(text, title)
        assert summed(parts, power) == pytest.approx(expected, rel=1e-9, abs=1e-12)
        assert [abs(part) for _, part in parts] == sorted((abs(p) for _, p in parts), reverse=True)


@given(SPOKEN, SPOKEN, SPOKEN.map(lambda text: f"http://lava.example/{text}"))
def test_parts_of_a_link_add_up_to_its_promise(anchor: str, context: str, url: str) -> None:
    for model, _ in EXPLAINED:
        odds = math.fsum(part for _, part in model.explain_link((anchor, context, url)))
        predicted = model.predict(anchor, context, url)
        assert odds / (odds + 1.0) == pytest.approx(predicted, rel=1e-9, abs=1e-12)


def test_words_are_shown_as_they_are_written_with_the_topic_they_are_near() -> None:
    model = fitted("Railways and trams")
    parts = dict(
        model.explain("Locomotives pull a Tramway's carriages; one tram stands.", "A tram")
    )
    assert next(iter(parts)) == "tram"
    assert {"locomotives ~ railways trams", "tramway ~ railways trams"} < set(parts)
    assert set(parts) & {"pull", "a", "stands", "locomotiv", "locomotives"} == set()
    link = dict(model.explain_link(("Old locomotives", "by tram", "http://railway.example/1")))
    assert list(link) == ["locomotives ~ railways trams", "tram"]
    assert list(dict(model.explain_link(("", "", f"{URL}/Railway%20s")))) == ["railway"]
    examples = fitted("", [VOLCANO])
    assert all("~" not in word for word, _ in examples.explain(f"volcanoes {VOLCANO}"))
    link = dict(examples.explain_link(("Volcanoes", "", URL)))
    assert list(link) == ["volcanoes ~ the examples"]
    assert list(dict(fitted("火山").explain("火山の灰"))) == [
        "火山"
    ]  # not the whole run of letters
    many = fitted(" ".join(f"railway{'s' * n} tramway depot" for n in range(9)))
    assert len(many.explain("locomotive")[0][0]) <= len("locomotive ~ ") + 25


# the words that no table knows


@pytest.mark.parametrize(
    ("topic", "spelling"),
    [
        ("astronmy", {"astronmy": "astronomy"}),
        ("the Volcnoes and chemsitry", {"volcnoes": "volcanoes", "chemsitry": "chemistry"}),
        ("volcanoes, physics", {}),
        ("kubernetes asyncio sqlalchemy", {}),  # like no word
        ("xyzzyx 火山 вулкн r2d22 phyz", {}),
    ],
)
def test_a_word_that_no_table_knows_has_the_spelling_that_is_nearest(
    topic: str, spelling: dict[str, str]
) -> None:
    model = fitted(topic)
    assert model.spelling == model.state()["spelling"] == spelling
    assert model.vectors == model.state()["vectors"]
    assert tells(model.vectors, "English words (GloVe, built in)")
    assert model.vectors.startswith("none") == (not model.state()["near"])
    plain = fitted(topic, vectors="off")
    assert (plain.vectors, plain.spelling) == ("none", {})
    again = TfidfTopic()
    again.restore(json.loads(json.dumps(model.state())))
    assert (again.vectors, again.spelling) == (model.vectors, spelling)
