"""Texts in one spelling, and marks with the letter before them."""

from __future__ import annotations

from typing import Literal
from unicodedata import category, normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.letters import MARKS, clusters, folded


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("STRASSE Straße", "strasse strasse"),
        ("e\u0301 É Vie\u0323\u0302t", "é é việt"),
        ("ΐ Ϊ\u0301", "ΐ ΐ"),
        ("İ i\u0307", "i i"),
        ("مُحَمَّدٌ كتـاب آ", "محمد كتاب آ"),
        ("שָׁלוֹם־שׁ", "שלום־ש"),
        ("ܐܰ", "ܐ"),
        ("क्षि क़", "क्षि क\u093c"),
        ("a\u00adb\u200cc\u200dd\u2060e\ufefff\ufe0fg\u034fh", "abcdefgh"),
        ("ᄒ\u200d\u1161\u11ab", "한"),
        ("a\u200bb a\u00a0b", "a\u200bb a\u00a0b"),  # what divides words
    ],
)
def test_what_reads_alike_is_written_alike(text: str, expected: str) -> None:
    assert folded(text) == normalize("NFC", expected)


@given(st.text(st.characters(exclude_categories=())), st.sampled_from(["NFC", "NFKC"]))
def test_folding_again_or_another_form_changes_nothing(
    text: str, form: Literal["NFC", "NFKC"]
) -> None:
    once = folded(text, form)
    assert folded(once, form) == once
    assert folded(normalize("NFD", text), form) == once


def test_marks_spell_words_in_scripts_that_are_written_today() -> None:
    assert {category(mark) for mark in MARKS} == {"Mn", "Mc"}
    assert folded(MARKS) == normalize("NFC", MARKS)
    assert set("\u07b0\u093f\u09be\u0bbf\u0dd2\u0e34\u0eb4\u1037\u1039\u1920\U00011127") <= set(
        MARKS
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("មែរ", "មែ រ"),
        ("မြန်မာ", "မြ န် မာ"),
        ("ลิ้น", "ลิ้ น"),
        ("日本", "日 本"),
        ("\u17c1a", "\u17c1 a"),
    ],
)
def test_a_letter_has_its_marks(text: str, expected: str) -> None:
    assert clusters(text) == expected.split()
