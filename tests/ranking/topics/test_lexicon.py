"""Texts that are read in compiled code say what they say word for word."""

from __future__ import annotations

import math
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable
from itertools import groupby
from urllib.parse import unquote

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ranking.topics._lexicon import Lexicon
from ranking.topics.stuffing import LIST
from ranking.topics.terms import spelled, terms, words

DIVIDING = [chr(code) for code in (*range(0x2010, 0x2028), 0x3001, 0x3002, 0xFF0C)]
ASCII = [chr(code) for code in range(128) if not chr(code).isalnum()]
NUMBERS = {
    "a": (0.1, 0.7, 1.3, -0.2, 0.7, 0, 2),
    "b": (0.3, -0.1, 1.1, 0.3, 0.1, 1, 2),
    "c": (1.0, 0.9, 1.7, 0.0, 1.0, -1, 2),
    "d": (0.0, 0.2, 0.0, 0.0, 0.0, 2, 2),
    "e": (0.7, 0.3, 1.0, 0.1, 0.9, 3, 2),
    "日本": (1.0, 0.4, 1.0, 1.0, 0.3, 4, 1),
    "x": (0.9, 0.0, 2.1, 0.0, 0.3, 5, 0),
}
"""Level, weight, rarity, learned weight, salience, row, kind."""
OTHER = (0.9, 0.0, 2.1, 0.0, 0.3, -1, 0)
ROWS = np.array(
    [[9, 0, 3], [2, -4, 5], [1, 1, 1], [-7, 2, 0], [0, 8, 0], [3, 3, -9]], dtype=np.int8
)
TOPIC = np.array([0.6, 0.0, 0.8], np.float32)
UNIT = 10.0
APART, TYPICAL = 0.2, 0.5
TRICKY = "aAbcdeé\u0301\u0338\u030c\u0307\uff9e\u3099日本語かガｶﾞ한ᄒ\u1161\u11ab½…“”’"
TRICKY += "-_=<>+#&.12nNtT－＋＃＆．ｎ\u2010\u2011\xadŉßẞİıſ™㎏ﬁ①²٣ᾳσςΣ\ud800😀 \u2028\u00a0"
NAMES = ["c", "++", "#", ".net", "at", "&", "t", "-", "19", "語", "ｎ", "\xad", " ", ".", "_", "é"]
TEXTS = st.one_of(
    st.text(alphabet=st.characters(exclude_categories=()), max_size=300),
    st.text(alphabet=st.sampled_from(TRICKY), max_size=300),
    st.text(alphabet=st.sampled_from("abcdex .A"), max_size=300),
    st.lists(st.sampled_from("abcdex"), max_size=99).map(" ".join),
    st.text(alphabet=st.sampled_from("abn.etNET+#&-12 é語\xad\u2011－"), max_size=40),
    st.lists(st.sampled_from(NAMES), max_size=9).map("".join),
)


def lexicon(memory: int = 50) -> Lexicon:
    table = ROWS, TOPIC, UNIT, APART, TYPICAL
    return Lexicon(spelled, lambda term: NUMBERS.get(term, OTHER), memory, LIST, *table)


def listed(spoken: Iterable[str], keywords: set[str]) -> int:
    runs = (list(run) for is_own, run in groupby(spoken, keywords.__contains__) if is_own)
    return sum(len(run) for run in runs if len(run) >= LIST and len(set(run)) >= LIST - 1)


def plainly(text: str, short: float) -> list[float]:
    said = terms(text)
    listable = {term for term, numbers in NUMBERS.items() if numbers[-1] == 2}
    sums = [short, *[0.0] * 3]
    for term, tf in Counter(said).items():
        numbers = NUMBERS.get(term, OTHER)
        for at in (0, 2):
            value = (1.0 + math.log(tf)) * numbers[at]
            sums[at] += value * value
            sums[at + 1] += value * numbers[at + 1]
    repeated = sum(NUMBERS.get(term, OTHER)[-1] > 0 for term in said)
    return [len(words(text)), len(said), repeated, listed(said, listable), *sums]


def read(one: Lexicon, text: str, short: float) -> list[float]:
    found = one.read(text, short)
    sums = found.squares, found.product, found.rare_squares, found.rare_product
    return [found.words, found.terms, found.repeated, found.listed, *sums]


def vector(text: str, own: float) -> NDArray[np.float64]:
    """The sum of the vectors of a text's terms, those of keywords by `own`."""
    whole = np.zeros(3)
    for term, tf in Counter(terms(text)).items():
        *_, salience, row, kind = NUMBERS.get(term, OTHER)
        if row >= 0:
            whole += (own if kind else 1.0) * tf * salience * ROWS[int(row)] / UNIT
    return whole


SHARED = lexicon()


@given(TEXTS)
@example("=\u0338a x\u0338=b J\u030c\u0323 j\u030c\u0323")
@example("ﷺ" * 40 + " a b c d e " + "語" * 65 + " " + "語" * 64 + "a" * 64 + " " + "a" * 65)
def test_a_text_says_what_its_words_say_one_by_one_to_the_last_bit(text: str) -> None:
    for one in (SHARED, lexicon(1)):
        for _ in range(2):
            assert read(one, text, 10.0) == plainly(text, 10.0)
            assert one.terms_of(text) == terms(text)


@given(TEXTS, st.sampled_from([0.0, 0.3, 1.0]), st.sampled_from([1.0, 10.0]))
def test_nearness_of_a_text_is_the_cosine_of_the_sum_of_its_vectors(
    text: str, own: float, short: float
) -> None:
    whole = vector(text, own)
    length = math.sqrt(short + float(whole @ whole))
    for one in (SHARED, lexicon(1)):
        found = one.read(text)
        assert found.length(own, short) == pytest.approx(length, rel=1e-5)
        expected = float(whole @ TOPIC) / length
        assert found.nearness(own, short) == pytest.approx(expected, abs=1e-5)


def test_without_a_table_nothing_is_near() -> None:
    plain = Lexicon(spelled, lambda term: NUMBERS.get(term, OTHER), 50, LIST)
    assert plain.read("a b e x").nearness(1.0, 0.0) == 0.0
    assert plain.nearness("a") == (0.7, 0.0, 0.0)
    with pytest.raises(ValueError, match="widths"):
        Lexicon(spelled, NUMBERS.__getitem__, 50, LIST, ROWS, TOPIC[:2], UNIT)


def cosine(row: float) -> float:
    if row < 0:
        return 0.0
    vector = ROWS[int(row)].astype(float)
    return float(vector @ TOPIC) / math.sqrt(float(vector @ vector))


def standing_out(cosine: float) -> float:
    return float(min(max(cosine - APART, 0.0) ** 1.5 / TYPICAL, 1.0))


ADDRESSES = st.text(alphabet=st.sampled_from("abx:/%6 é日"), max_size=30)


@given(st.lists(st.tuples(TEXTS, TEXTS, ADDRESSES), max_size=3), st.integers(1, 40))
@example([("x", "x", "http://a/a"), ("x", "x", "http://a"), ("", "", "a://b/%61")], 40)
@example([("x", "x", "://%61/x/b"), ("", "", "://://"), ("", "", "a"), ("", "", "//a/a")], 40)
def test_a_link_says_the_terms_of_the_topic_that_its_parts_say(
    links: list[tuple[str, str, str]], most: int
) -> None:
    def address(url: str) -> str:
        return unquote(url.partition("://")[2].partition("/")[2])

    def topical(text: str) -> list[str]:
        said = dict.fromkeys(terms(text[:most]))
        return [term for term in said if NUMBERS.get(term, OTHER)[1] > 0]

    def nearness(text: str) -> float:
        said = [NUMBERS.get(term, OTHER) for term in terms(text[:most])]
        near = sum(salience * standing_out(cosine(row)) for *_, salience, row, _ in said)
        return near / math.sqrt(1.0 + sum(salience**2 for *_, salience, _, _ in said))

    for one in (SHARED, lexicon(1)):
        found = one.topical(links, most)
        for said, (anchor, context, url) in zip(found, links, strict=True):
            texts = anchor, address(url), context
            plain = [*map(topical, texts)]
            near = [*map(nearness, texts)]
            assert (said is None) == (not any(plain) and sum(near) == 0.0)
            if said is not None:
                assert [*map(list, said[:3])] == plain
                assert said[3:] == pytest.approx(near, abs=1e-12)


def test_a_character_that_divides_is_no_part_of_a_word_and_joins_no_other() -> None:
    joined = [
        list(map(int, unicodedata.decomposition(chr(code)).split(), [16] * 9))
        for code in range(sys.maxunicode + 1)
        if unicodedata.decomposition(chr(code))[:1] not in ("", "<")
    ]
    assert len(joined) > 1000
    for divider in DIVIDING + ASCII:
        assert words(f"abc{divider}d") == ["abc", "d"]
        assert unicodedata.combining(divider) == 0
        assert unicodedata.normalize("NFD", divider) == divider
    parts = {unicodedata.normalize("NFKC", divider) for divider in DIVIDING} | {*DIVIDING, *ASCII}
    codes = {ord(char) for part in parts for char in part}
    assert not any(pair[-1] in codes for pair in joined if len(pair) == 2)
    composed = ["".join(map(chr, pair)) for pair in joined if len(pair) == 2 and pair[0] in codes]
    assert not any(words(text) for text in composed)  # such as = and a stroke


def test_a_long_text_of_many_words_is_read_again_as_before() -> None:
    text = " ".join(f"w{number} wörter{number}" for number in range(4000))
    one = lexicon(5000)
    assert one.terms_of(text) == terms(text)
    assert one.terms_of(text) == terms(text)
    assert len(one) <= 5000


def test_what_cannot_be_weighed_is_asked_again() -> None:
    def weigh(term: str) -> tuple[float, float, float, float, float, float, int]:
        return *OTHER[:6], {"a": 0}[term]

    one = Lexicon(spelled, weigh, 9, LIST)
    for _ in range(2):
        with pytest.raises(KeyError):
            one.read("a b")
    assert one.read("a a").terms == 2
