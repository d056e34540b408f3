"""The tool that makes the built-in table, with a model of a few words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ranking.topics.vectors import languages
from tools import language_vectors, word_vectors


def test_common_forms_of_a_word_are_asked_for_too() -> None:
    frequencies = {"trains": 0.3, "train": 0.2, "lava": 0.1, "lavas": 0.01, "rare": 0.001}
    words = word_vectors.of_terms(frequencies, 2)
    assert [word.written for word in words] == ["trains", "train", "lava", "lavas"]
    forms = word_vectors.common_forms(words)
    assert [(word.written, word.terms) for word in forms] == [
        *(("trains", ("train",)), ("train", ("train",)), ("lava", ("lava",))),
    ]


def test_what_is_written_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As near to each other as in the levelled table, but for the rounding to 16 values."""
    vectors = np.random.default_rng(5).normal(size=(600, 40))
    words = [
        language_vectors.Word(f"w{n}x", (f"w{n}x",), 0.1 / (n + 1)) for n in range(len(vectors))
    ]
    np.savez(tmp_path / "english.npz", **word_vectors.stored(words, words, vectors))
    monkeypatch.setattr(languages, "_ENGLISH_FILE", tmp_path / "english.npz")
    table = languages.english_words()
    assert table.terms == languages.built_in_words()
    assert table.terms == [word.written for word in words]
    rows = language_vectors.unit(vectors)  # a table so small is not levelled
    near = np.array([table.near([term]) for term in table.terms])
    assert np.abs(near - rows @ rows.T).max() < 0.15
    assert np.abs(near - rows @ rows.T).mean() < 0.03
