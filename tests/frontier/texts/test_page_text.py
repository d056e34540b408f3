"""The text of a page comes back as it was kept."""

from __future__ import annotations

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.texts import StoredText

TEXTS = st.text(st.characters(codec=None, exclude_characters="\0"))


@given(TEXTS, TEXTS, TEXTS)
def test_any_text_comes_back_with_question_marks_for_lone_surrogates(
    title: str, text: str, markdown: str
) -> None:
    page = StoredText(title, text, markdown)
    encodable = (part.encode("utf-8", "replace").decode() for part in page)
    assert StoredText.unpacked(page.packed().data) == StoredText(*encodable)


def test_a_nul_becomes_a_blank() -> None:
    assert StoredText.unpacked(StoredText("a\0b", "c\0").packed().data) == StoredText(
        "a b", "c ", ""
    )


@pytest.mark.parametrize("data", [b"", b"none", zlib.compress(b"two\0parts")])
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises((ValueError, zlib.error)):
        StoredText.unpacked(data)
