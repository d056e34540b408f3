"""What texts mean beside a topic, and how much of it makes them relevant."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.topics import TfidfTopic, evidence
from ranking.topics.explaining import TITLE
from ranking.topics.judging import SILENT, PageText
from ranking.topics.meaning import Meaning, salience
from ranking.topics.terms import terms
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


def test_a_common_word_tells_less() -> None:
    assert salience(0.0) == pytest.approx(1.0, abs=1e-5)
    assert salience(6.0) == 0.5  # one word in a thousand
    assert salience(7.0) == pytest.approx(1 / 11)


# how much evidence is enough


def test_relevance_is_one_half_at_an_evidence_of_one() -> None:
    assert evidence.graded(1.0) == 0.5
    assert evidence.graded(0.0) == evidence.graded(-1.0) == 0.0
    assert evidence.graded(2.0) == pytest.approx(16 / 17)


def test_words_count_more_where_no_table_knows_the_topic() -> None:
    beside, alone = (evidence.of_words(0.1, 1, known) for known in (1.0, 0.0))
    assert beside == pytest.approx(0.35 * math.log(2))
    assert alone == pytest.approx(1.6 * math.log(2))
    assert evidence.of_words(0.05, 4, 0.5) == pytest.approx((beside + alone) / 2)
    assert evidence.of_words(-0.5, 1, 1.0) == 0.0


@given(st.floats(0.0, 1e9), st.floats(0.0, 9.0))
def test_bounded_evidence_grows_and_stays_below_its_bound(given: float, bound: float) -> None:
    assert 0.0 <= evidence.at_most(given, bound) <= min(bound, given) + 1e-12
    assert evidence.at_most(given + 1.0, bound) >= evidence.at_most(given, bound)


@pytest.mark.parametrize(
    ("title", "own"),
    [
        ("Shaders: first steps", "Shaders: first steps"),
        ("JSAPI reference - SpiderMonkey | Docs", "JSAPI reference SpiderMonkey"),
        ("Lava \u2013 Volcanoes", "Lava"),
        ("Add-ons", "Add-ons"),
        (" | ", " | "),
        ("", ""),
    ],
)
def test_the_last_part_of_a_title_is_the_sites(title: str, own: str) -> None:
    assert evidence.own_title(title) == own


@pytest.mark.parametrize(
    ("title", "heading", "own"),
    [
        ("Shaders: first steps", "First steps", "First steps"),
        ("Shaders: first steps", "Shaders: First Steps", "Shaders: First Steps"),
        ("Lava - Volcanoes", "Lava", "Lava"),
        ("Volcanoes - Lava", "Lava", "Volcanoes - Lava"),  # which of them is the site's?
        ("Lava - Volcanoes", "Volcanoes", "Lava - Volcanoes"),
        ("Lava lamps - Shop", "Lava lamp", "Lava lamps Lava lamp"),
        ("The Board", "Lava?", "The Board Lava?"),
        ("\u9244\u9053\uff5c\u8f9e\u5178", "\u9244\u9053", "\u9244\u9053"),
        ("", "Lava", "Lava"),
        ("", "", ""),
    ],
)
def test_beside_its_heading_a_title_names_the_site(title: str, heading: str, own: str) -> None:
    assert evidence.own_title(title, heading) == own


def test_a_page_whose_heading_names_the_topic_is_relevant() -> None:
    def relevance(title: str, heading: str) -> float:
        return MODEL.judge(PageText(heading + " a page of few words", title, heading)).relevance

    topic = "volcanoes"
    assert relevance("Page 12", topic) >= 0.5
    assert relevance(f"{topic}: cakes", "Cakes") < 0.5, "that stands in every title of this site"
    assert relevance(f"Cakes - {topic}", "Cakes") < 0.5


@pytest.mark.parametrize("vectors", ["off", "built-in"])
@pytest.mark.parametrize(
    ("topic", "title"),
    [
        ("shaders", "Shaders: first steps"),
        ("spidermonkey", "The SpiderMonkey reference - Docs"),
        ("C++", "C++ for beginners | Site"),
        ("covid-19", "COVID-19"),
        ("火山", "火山 - Wiki"),
    ],
)
def test_a_page_whose_title_names_the_topic_is_relevant_but_not_one_of_a_site_of_that_name(
    topic: str, title: str, vectors: str
) -> None:
    model = fitted(topic, vectors=vectors)
    assert model.relevance(BREAD, title) >= 0.5
    assert model.relevance(BREAD, f"Bread - {topic}") < 0.3
    assert model.relevance(BREAD, f"{topic} loans casino bonus - Site") >= 0.5


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


@pytest.mark.parametrize("topic", ["火山", "вулкан", "xyzzyx plughx"])
def test_a_topic_that_the_table_does_not_know_goes_by_words_alone(topic: str) -> None:
    told, plain = fitted(topic), fitted(topic, vectors="off")
    assert told.vectors.startswith("none: ")
    for text in (VOLCANO, f"{topic} {BANK}", f"{topic} " * 9):
        assert told.judge(PageText(text, topic)) == plain.judge(PageText(text, topic))
        assert told.matches([(text, topic, text)]) == plain.matches([(text, topic, text)])


def test_a_word_that_a_table_knows_beside_one_that_it_does_not_is_not_all_of_the_topic() -> None:
    model = fitted("xyzzyx volcano")
    assert model.relevance(f"The xyzzyx of a volcano. {VOLCANO}") > 0.9
    assert model.relevance(BANK) < 0.1


def test_what_a_title_means_counts_and_one_that_nobody_knows_says_nothing() -> None:
    for text in (RAILWAY, VOLCANO):
        plain = MODEL.relevance(text)
        assert MODEL.relevance(text, "Lava and eruptions") > plain
        assert MODEL.relevance(text, "Xyzzyx") == MODEL.relevance(text, "The") == plain
    assert MODEL.relevance(VOLCANO, "Dividends") < MODEL.relevance(VOLCANO)


class Read:
    """A text whose vector has this cosine with the topic, and this squared length."""

    def __init__(self, cosine: float, squares: float) -> None:
        self.cosine, self.squares = cosine, squares

    def length(self, own: float, short: float) -> float:
        return math.sqrt(short + self.squares)

    def nearness(self, own: float, short: float) -> float:
        return self.cosine * math.sqrt(self.squares) / self.length(own, short)


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        (Read(0.9, 1e12), 0.3 + 0.6 * 0.6),
        (Read(0.1, 1e12), 0.3 - 0.6 * 0.2),  # it tells all
        (Read(0.0, 3.0), 0.3 - 0.6 * 0.3 * 3 / 4),
        (Read(0.0, 0.0), 0.3),  # nothing
        (Read(-1.0, 1e12), 0.0),
    ],
)
def test_a_title_counts_for_a_page_and_as_far_as_it_tells_against_it(
    title: Any, expected: float
) -> None:
    text: Any = Read(0.3, 1e12)
    assert Meaning((), None).of_page(text, title) == pytest.approx(expected)


def test_pages_of_a_topic_told_by_examples_are_judged_by_words_and_links_by_both() -> None:
    for topic in ("", "volcano"):
        told, plain = fitted(topic, [VOLCANO]), fitted(topic, [VOLCANO], "off")
        for text in (VOLCANO, BANK, RAILWAY, "volcanic"):
            assert told.relevance(text) == plain.relevance(text)
        likenesses = [told.judge(PageText(text)).similarity for text in (BANK, VOLCANO)]
        assert likenesses == sorted(likenesses)
        link = "volcanic geology", "", URL
        assert told.predict(*link) > plain.predict(*link)


def test_links_are_judged_by_what_they_mean_and_where_it_stands() -> None:
    names = ["anchor", "context", "address"]
    word = "eruption"
    links = [(word, "", URL), ("", word, URL), ("", "", f"http://{word}.example/{word}")]
    found = MODEL.matches(links)
    for name, match in zip(names, found, strict=True):
        assert getattr(match, f"near_{name}") == getattr(match, name) > 0.0
        others = [getattr(match, f"near_{one}") for one in names if one != name]
        assert others == [0.0, 0.0]
    anchor, context, address = (match.predicted for match in found)
    assert anchor > address > context > 0.0
    assert MODEL.matches([("dividends", "", URL)])[0] == SILENT
    assert MODEL.predict("volcano", "", URL) > anchor


# what is kept, and what a crawl cannot change


@pytest.mark.parametrize(("topic", "examples"), [("volcano", []), ("", [VOLCANO]), ("火", [])])
def test_a_restored_model_reads_its_table_again(topic: str, examples: list[str]) -> None:
    model = fitted(topic, examples)
    state = json.loads(json.dumps(model.state()))
    assert len(json.dumps(state)) < 40_000
    again = TfidfTopic("off")  # the crawl's table, not that of the command
    again.restore(state)
    assert (again.state(), again.missing) == (state, "")
    for text in (VOLCANO, BANK, ""):
        page = PageText(text, "Volcanoes")
        assert again.judge(page) == model.judge(page)
        assert again.matches([(text, text, URL)]) == model.matches([(text, text, URL)])


@pytest.mark.parametrize(
    ("table", "reason"),
    [(["built-in", 1], "its files have changed"), (["/nowhere", 1], "got '/nowhere'")],
)
def test_a_table_that_is_not_here_is_told_and_the_crawl_goes_on_by_words(
    table: list[Any], reason: str
) -> None:
    state = {**MODEL.state(), "table": table}
    again = TfidfTopic()
    again.restore(state)
    assert tells(again.missing, "not here", "MiniLM", reason, "by words alone")
    assert again.state() == state
    plain = fitted("volcano", vectors="off")
    for text in (VOLCANO, BANK, "a volcano"):
        assert again.judge(PageText(text)) == plain.judge(PageText(text))


def test_what_was_fetched_changes_nothing() -> None:
    """Of a crawl that does well most pages are on the topic, and no fewer are relevant for it."""
    model = fitted("volcano")
    before = model.state()
    for fetched in ([VOLCANO] * 20, [BANK, BREAD, RAILWAY] * 20, []):
        assert not model.contrast("volcano", (), (), fetched)
        assert model.state() == before


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
    (MODEL, 4.0),
    (fitted("volcano ash train"), 4.0),
    (unlike("volcano money", "built-in"), 4.0),
    (fitted("volcano", vectors="off"), 4.0),
    (fitted("volcano", [VOLCANO]), 1.5),
    (fitted("", [VOLCANO, RAILWAY], "off"), 1.5),
    (unlike("volcano money", "off"), 4.0),
    (fitted("火山 volcano"), 4.0),
]


@given(SPOKEN, SPOKEN, SPOKEN)
def test_parts_of_a_page_add_up_to_its_relevance(text: str, title: str, heading: str) -> None:
    page = PageText(text, title, heading)
    for model, power in EXPLAINED:
        parts, expected = model.explain(page), model.judge(page).relevance
        assert summed(parts, power) == pytest.approx(expected, rel=1e-6, abs=1e-9)
        assert [abs(part) for _, part in parts] == sorted((abs(p) for _, p in parts), reverse=True)


@given(SPOKEN, SPOKEN, SPOKEN.map(lambda text: f"http://lava.example/{text}"))
def test_parts_of_a_link_add_up_to_its_promise(anchor: str, context: str, url: str) -> None:
    for model, _ in EXPLAINED:
        odds = math.fsum(part for _, part in model.explain_link((anchor, context, url)))
        predicted = model.predict(anchor, context, url)
        assert odds / (odds + 1.0) == pytest.approx(predicted, rel=1e-6, abs=1e-9)


def test_words_are_shown_as_they_are_written_with_the_topic_they_are_near() -> None:
    model = fitted("Railways")
    text = PageText("Locomotives pull carriages; one railway stands.", "The railway")
    parts = dict(model.explain(text))
    assert list(parts)[:2] == ["railway", TITLE]
    assert {"locomotives ~ railways", "carriages ~ railways"} < set(parts)
    assert "locomotiv" not in parts
    link = dict(model.explain_link(("Old locomotives", "", "http://railway.example/1")))
    assert max(link, key=link.__getitem__) == "locomotives ~ railways"
    examples = fitted("", [VOLCANO])
    text = PageText(f"volcanoes {VOLCANO}")
    assert all("~" not in word for word, _ in examples.explain(text))
    link = dict(examples.explain_link(("Volcanoes", "", URL)))
    assert "volcanoes ~ the examples" in link
    assert list(dict(fitted("火山").explain(PageText("火山の灰")))) == ["火山"]
    many = fitted(" ".join(f"railway{'s' * n} tramway depot" for n in range(9)))
    parts = dict(many.explain(PageText("locomotive")))
    assert all(len(word) <= len("other words ~ ") + 25 for word in parts)


# what may be given


@pytest.mark.parametrize("text", ["volcano " * 1_250_000, "አ" * 99, "\ud800", "\0", "7 " * 999])
def test_texts_of_any_kind_are_judged(text: str) -> None:
    assert 0.0 <= MODEL.relevance(text, text[:99]) <= 1.0
    assert 0.0 <= MODEL.predict(text[:999], text[:99], URL) <= 1.0


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
    assert tells(model.vectors, "English words (all-MiniLM-L6-v2, built in)")
    assert model.vectors.startswith("none") == (not model._pages.meaning)
    plain = fitted(topic, vectors="off")
    assert (plain.vectors, plain.spelling) == ("none", {})
    again = TfidfTopic()
    again.restore(json.loads(json.dumps(model.state())))
    assert (again.vectors, again.spelling) == (model.vectors, spelling)
