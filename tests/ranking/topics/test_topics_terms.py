"""Text -> terms: what must be alike is alike, and nothing breaks on any script."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.topics.common import COMMON_TERMS, FUNCTION_WORDS
from ranking.topics.terms import MAX_TEXT, fold, terms, words


@pytest.mark.parametrize(
    "family",
    [
        ("crawler", "crawlers"),
        ("theory", "theories"),
        ("movie", "movies"),
        ("index", "indexes", "indexed", "indexing"),
        ("process", "processes", "processing"),
        ("run", "running"),
        ("database", "databases"),
        ("colour", "colours", "coloured"),
        ("city", "cities"),
        ("string", "strings"),
    ],
)
def test_forms_of_one_word_fold_to_one_term(family: tuple[str, ...]) -> None:
    assert len({fold(word) for word in family}) == 1


@pytest.mark.parametrize("word", ["bus", "ring", "seed", "feed", "house1", "häuser", "с", "ss"])
def test_words_without_an_english_ending_stay_as_they_are(word: str) -> None:
    assert fold(word) == word


def test_string_is_not_a_form_of_str() -> None:
    assert fold("string") != fold("str")


def test_width_case_and_underscores_do_not_matter() -> None:
    assert terms("ＡＢＣ STRASSE straße snake_word") == ["abc", "strass", "strass", "snak", "word"]


def test_text_without_spaces_becomes_pairs() -> None:
    assert terms("全文検索 x日本y 水") == ["全文", "文検", "検索", "x", "日本", "y", "水"]


@given(st.text())
def test_ascii_shortcut_gives_what_any_text_gives(text: str) -> None:
    ascii_text = text.encode("ascii", "replace").decode()
    assert words(ascii_text) == words(ascii_text + " é")[:-1]


@given(st.text())
def test_terms_are_never_empty_and_have_no_space(text: str) -> None:
    assert all(term and not any(map(str.isspace, term)) for term in terms(text))


def test_endless_text_is_read_to_a_bound() -> None:
    assert len(words("a " * MAX_TEXT)) == MAX_TEXT // 2


def test_lists_hold_words_as_the_tokens_come() -> None:
    assert all(words(word) == [word] for word in FUNCTION_WORDS)
    assert not {fold(word) for word in ("crawler", "planet", "thread", "transaction")} & (
        COMMON_TERMS | FUNCTION_WORDS
    )
