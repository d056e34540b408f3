"""The table of the common words of 42 languages: which are read, and what is near to what."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ranking.errors import TopicError
from ranking.topics import TfidfTopic
from ranking.topics.frequencies import WORD_TABLES
from ranking.topics.judging import PageText
from ranking.topics.terms import terms
from ranking.topics.vectors import chosen, load_vectors
from ranking.topics.vectors.languages import (
    all_languages,
    language_words,
    read_terms,
    topic_languages,
)

# What "dog", "mountain", ... are in each language, as in any pocket dictionary.
ENGLISH = "dog mountain school music war king hospital church milk history city"
TRANSLATED = {
    "de": "hund berg schule musik krieg könig krankenhaus kirche milch geschichte stadt",
    "fr": "chien montagne école musique guerre roi hôpital église lait histoire ville",
    "es": "perro montaña escuela música guerra rey hospital iglesia leche historia ciudad",
    "ru": "собака гора школа музыка война король больница церковь молоко история город",
    "zh": "小狗 山脉 学校 音乐 战争 国王 医院 教堂 牛奶 历史 城市",
    "ar": "كلب جبل مدرسة موسيقى حرب ملك مستشفى كنيسة حليب تاريخ مدينة",
}
KIN = {  # a word and others that belong to it, none of which is spelled alike
    "de": ("eisenbahn", {"strassenbahn", "bahnhof", "lokomotive"}, {"kuchen", "gesetz"}),
    "ru": ("химия", {"физика", "кислоты"}, {"футбол", "король"}),
    "fr": ("guerre", {"combats", "armée"}, {"fromage", "cheveux"}),
    "ja": ("鉄道", {"列車", "電車"}, {"料理", "法律"}),
    "zh": ("火山", {"岩石", "瀑布"}, {"足球", "法律"}),
    "ko": ("기차", {"열차", "택시"}, {"음악", "법률"}),
    "hi": ("रेल", {"ट्रेन", "परिवहन"}, {"संगीत", "पुस्तक"}),
}


def test_the_languages_are_those_of_the_word_frequencies() -> None:
    assert all_languages() == tuple(sorted(path.stem for path in WORD_TABLES.glob("*.txt")))


def test_the_terms_are_those_that_texts_have() -> None:
    for language in all_languages():
        held = read_terms([language])
        assert 4_000 < len(held.terms) == len(set(held.terms)) <= 10_000
        assert (np.diff(held.shares) <= 0.0).all()
        written = TRANSLATED.get(language, "").split()
        assert set(terms(" ".join(written))) <= set(held.terms)


def length_one(rows: Any) -> Any:
    rows = rows.astype(np.float32)
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


def test_rows_are_of_about_one_length() -> None:
    """Those of terms in both languages, too."""
    held = read_terms(["de", "en"])
    assert held.rows.dtype == np.int8
    assert held.rows.shape == (len(held.terms), 128)
    lengths = np.linalg.norm(held.rows.astype(np.float32), axis=1)
    assert np.abs(lengths / lengths.mean() - 1.0).max() < 0.25


def test_a_term_of_two_languages_has_the_mean_vector_by_share() -> None:
    both, apart = read_terms(["de", "en"]), [read_terms([one]) for one in ("de", "en")]
    places = [held.terms.index("gift") for held in apart]  # poison in German
    rows = [held.rows[at].astype(np.float32) for held, at in zip(apart, places, strict=True)]
    shares = [held.shares[at] / 2 for held, at in zip(apart, places, strict=True)]
    at = both.terms.index("gift")
    assert both.shares[at] == pytest.approx(sum(shares))
    mean = shares[0] * rows[0] + shares[1] * rows[1]
    assert length_one(both.rows[at]) @ length_one(mean) > 0.99


@pytest.mark.parametrize("language", KIN)
def test_words_are_nearer_to_their_kin_than_to_others(language: str) -> None:
    word, kin, others = KIN[language]
    table = language_words(f"multilingual:{language}", [language])
    near = table.near(terms(word))
    assert near is not None

    def nearness(words: set[str]) -> list[float]:
        known = [table.terms.index(one) for word in words for one in terms(word)[:1]]
        return [float(near[at]) for at in known]

    kin = {one for one in kin if terms(one)[0] in table.terms}
    assert len(kin) > 1
    assert min(nearness(kin)) > max(nearness(others)) + 0.1


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_word_is_near_its_translation_in_another_language(language: str) -> None:
    """Most are among the ten nearest of some 10,000."""
    english, other = read_terms(["en"]), read_terms([language])
    ranks = []
    for word, translated in zip(ENGLISH.split(), TRANSLATED[language].split(), strict=True):
        own = english.terms.index(terms(word)[0])
        cosines = length_one(other.rows) @ length_one(english.rows[own])
        right = cosines[other.terms.index(terms(translated)[0])]
        ranks.append(int((cosines > right).sum()))
    assert np.median(ranks) < 10


LANGUAGES = [
    ("volcano", "en"),
    ("british history", "en"),
    ("Eisenbahn", "de"),
    ("Geschichte der Physik", "de"),
    ("maladies", "fr"),
    ("химия", "bg"),
    ("鉄道", "ja"),
    ("기차", "ko"),
    ("τρένο", "el"),
    ("רכבת", "he"),
]


@pytest.mark.parametrize(("topic", "language"), LANGUAGES)
def test_the_language_of_a_topic_is_that_in_which_its_words_are_common(
    topic: str, language: str
) -> None:
    found = topic_languages(terms(topic))
    assert found[0] == language
    assert 1 <= len(found) <= 3


@pytest.mark.parametrize("topic", ["war", "die", "gift", "rat", "kubernetes", "xyzzyx", ""])
def test_what_is_english_too_or_unknown_is_taken_for_english(topic: str) -> None:
    assert topic_languages(terms(topic))[0] == "en"


def test_auto_is_the_english_table_for_english_topics_only() -> None:
    assert chosen("auto") == chosen("auto", terms("volcano")) == "built-in"
    assert chosen("auto", terms("鉄道")) == "multilingual:ja"
    model = TfidfTopic("auto")
    model.fit("鉄道", ())
    assert model.vectors.startswith("words of ja (")
    train = model.relevance("列車と線路、新しい電車")
    law = model.relevance("法律と裁判、新しい憲法")
    assert train > 2 * law


def test_languages_are_those_of_the_topic_or_named() -> None:
    assert chosen("multilingual", terms("τρένο")) == "multilingual:el"
    assert chosen("Multilingual: de, el", terms("τρένο")) == "multilingual:de,el"
    assert set(read_terms(["all"]).terms) >= {"railwai", "鉄道", "τρένο"}
    assert chosen("multilingual") == "multilingual:en"
    with pytest.raises(TopicError) as raised:
        load_vectors("multilingual:de,klingon")
    for word in ("expected", "got 'klingon'", "FRONTIER_VECTORS", " zh"):
        assert word in str(raised.value)


def test_a_topic_in_one_language_finds_words_of_another() -> None:
    pages = {"de": "Die Lokomotive und der Bahnhof der Straßenbahn", "ja": "列車と線路"}
    alone, across = TfidfTopic("multilingual"), TfidfTopic("multilingual:en,de,ja")
    for topic in (alone, across):
        topic.fit("railway", ())
    for text in pages.values():
        page = PageText(text)
        assert alone.judge(page).similarity == 0.0
        assert across.judge(page).similarity > 0.1


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="tells the most memory held")
def test_three_languages_are_read_in_little_memory() -> None:
    code = r"""if True:
        import re, numpy
        from pathlib import Path
        from ranking.topics.vectors import load_vectors
        def peak():
            return int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1])
        before = peak()
        load_vectors("multilingual:de,en,ja")
        print((peak() - before) // 1024)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 5 < int(done.stdout) < 40
