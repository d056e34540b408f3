"""How common words are in their language, and which language a text is in."""

from __future__ import annotations

import math

import pytest

from ranking.topics.frequencies import Levels, text_languages
from ranking.topics.terms import terms

ENGLISH = Levels(["en"])


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("war history", "en"),
        ("history of the German language", "en"),
        ("Geschichte des Krieges", "de"),
        ("звезды и планеты", "ru"),
        ("квазары туманность", "ru"),
        ("天文学 望远镜", "zh"),
        ("望遠鏡の歴史", "ja"),
        ("علم الفلك", "ar"),
        ("αστρονομία", "el"),
        ("ฟิสิกส์", "en"),
        ("", "en"),
        ("42 1984", "en"),
    ],
)
def test_language_of_a_few_words(text: str, language: str) -> None:
    assert language in text_languages([terms(text)])


def test_every_text_may_have_its_language() -> None:
    assert set(
        text_languages([terms("the history of war"), terms("die Geschichte des Krieges")])
    ) >= {
        "en",
        "de",
    }


def test_level_falls_from_rare_to_common_to_function_words() -> None:
    levels = [ENGLISH.level(term) for term in ("quasar", "histori", "peopl", "tim", "the")]
    assert levels == sorted(levels, reverse=True)
    assert levels[0] == 1.0
    assert 1.0 > levels[1] > levels[2] > levels[3] > levels[4] == 0.0


@pytest.mark.parametrize("term", ["42", "x", "ab", "and", "with"])
def test_some_terms_tell_nothing(term: str) -> None:
    assert ENGLISH.level(term) == 0.0


def test_terms_that_were_asked_for_tell_something() -> None:
    levels = Levels(["en"], ["x", "the"])
    assert levels.level("x") > 0.8
    assert levels.level("the") == 0.25


def test_word_that_is_common_in_another_language_only_is_a_word_like_any_other() -> None:
    assert ENGLISH.level("war") > 2 * Levels(["de"]).level("war")


def test_background_is_a_unit_vector_of_words_that_tell_a_little() -> None:
    background = ENGLISH.background
    assert math.hypot(*background.values()) == pytest.approx(1.0)
    assert all(weight > 0.0 for weight in background.values())
    assert "the" not in background
    assert background["peopl"] > 0.0


def test_language_without_a_table_is_refused() -> None:
    with pytest.raises(KeyError, match="xx"):
        Levels(["xx"])


def test_what_all_pages_of_a_web_say_tells_nothing_and_what_half_say_half() -> None:
    levels = Levels(["en"], ["comet"])
    web = levels.on([["comet", "menu", "planet"], ["comet", "menu"], ["menu", "planet"], ["menu"]])
    assert web.level("menu") == 0.0
    assert web.level("planet") == levels.level("planet") / 2
    assert web.level("comet") == levels.level("comet")  # it was asked for
    assert web.level("nebula") == levels.level("nebula")
    assert Levels(web.languages, ["comet"], web.common).level("planet") == web.level("planet")
