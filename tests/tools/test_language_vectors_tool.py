"""The tool that makes the table of many languages, with a model of a few words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ranking.topics.vectors import languages
from tools import language_vectors as tool


def test_words_of_one_term_are_one_as_the_commonest_is_written() -> None:
    frequencies = {"trains": 0.2, "the": 0.5, "train": 0.1, "2024": 0.3, "a": 0.4, "don't": 0.2}
    assert tool.common_words(frequencies, 2) == [
        tool.Word("the", ("the",), 0.5),
        tool.Word("trains", ("train",), pytest.approx(0.3)),
    ]


def test_words_in_latin_letters_belong_to_languages_that_have_them() -> None:
    russian = {"поезд": 0.3, "война": 0.2, "google": 0.1}
    assert [one.written for one in tool.common_words(russian, 9)] == ["поезд", "война"]
    (greek,) = tool.common_words({"πόλεμοσ": 0.3}, 9)
    assert (greek.written, greek.terms) == ("πόλεμος", ("πόλεμοσ",))


def test_a_pair_of_letters_has_the_mean_vector_of_its_words_by_share() -> None:
    words = tool.common_words({"火山": 0.3, "火山灰": 0.1, "山": 0.2}, 3)
    terms, shares, rows = tool.by_term(words, np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]))
    assert [one.written for one in words] == ["火山", "山", "火山灰"]
    assert terms == ["火山", "山", "山灰"]
    assert shares.tolist() == pytest.approx([0.4, 0.2, 0.1])
    assert rows == pytest.approx(np.array([[0.3, 0.1], [0.0, 0.2], [0.0, 0.1]]))


def test_the_model_is_asked_once(tmp_path: Path) -> None:
    asked: list[list[str]] = []

    def model(written: list[str]) -> Any:
        asked.append(written)
        return np.eye(len(written))

    words = [tool.Word(one, (one,), 0.1) for one in ("lava", "tax")]
    for some in (words, words, words[:1]):
        assert tool.of_model(tmp_path / "x" / "en.npz", some, model).shape[0] == len(some)
    assert asked == [["lava", "tax"], ["lava"]]


def test_what_is_written_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As near to each other as in the whitened space, but for the rounding to four values."""
    draw = np.random.default_rng(5)
    vectors = {one: draw.normal(size=(600, 160)) + 3.0 for one in ("de", "en")}
    words = {
        one: [tool.Word(f"{one}{n}x", (f"{one}{n}x",), 0.1 / (n + 1)) for n in range(600)]
        for one in vectors
    }
    arrays = tool.stored(words, vectors, 128, tool.TWO_BITS)
    np.savez(tmp_path / "languages.npz", **arrays)
    monkeypatch.setattr(languages, "_FILE", tmp_path / "languages.npz")
    held = languages.read_terms(["de"])
    assert held.terms == [word.terms[0] for word in words["de"]]
    assert held.shares == pytest.approx([word.share for word in words["de"]], rel=0.06)
    centred = {one: tool.unit(v) - tool.unit(v).mean(axis=0) for one, v in vectors.items()}
    rows = centred["de"] @ tool.principal(centred["en"], 128)
    white = tool.whitened(rows)
    assert white.T @ white / len(white) == pytest.approx(np.eye(128), abs=1e-6)
    read = tool.unit(held.rows.astype(np.float64))
    same = (tool.unit(white) * read).sum(axis=1)
    assert same.min() > 0.85
    assert same.mean() > 0.93
