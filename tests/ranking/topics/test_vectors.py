"""Tables of word vectors: the built-in one, and what is near to what."""

from __future__ import annotations

import subprocess
import sys

import numpy as np

from ranking.topics.terms import terms
from ranking.topics.vectors import WordVectors, load_vectors
from ranking.topics.vectors.english import built_in_words


def nearest(table: WordVectors, topic: str, n: int) -> list[str]:
    cosines = table.near(terms(topic))
    assert cosines is not None
    assert cosines.shape == (len(table.terms),)
    assert cosines.dtype == np.float64
    return [table.terms[row] for row in np.argsort(-cosines, kind="stable")[:n]]


def built_in() -> WordVectors:
    table = load_vectors("built-in")
    assert table is not None
    return table


def test_the_built_in_table_has_a_vector_of_length_1_for_each_term() -> None:
    table = built_in()
    words, shares = built_in_words()
    assert len(words) == len(set(words)) == 60_000
    assert shares[0] == 0.01
    assert table.vectors.shape == (44_809, 64)
    assert table.vectors.dtype == np.float32
    assert np.abs(np.linalg.norm(table.vectors, axis=1) - 1.0).max() < 1e-5
    assert len(set(table.terms)) == len(table.terms)
    assert set(table.terms) == {term for word in words for term in terms(word)}
    assert (np.diff(table.shares) <= 0.0).all()
    assert 0.0 < table.shares.min() < table.shares.max() < 0.1


def test_the_nearest_terms_of_a_word_are_its_kin() -> None:
    assert nearest(built_in(), "volcano", 6) == [
        *("volcano", "eruption", "volcanic", "merapi", "mayon", "lava"),
    ]
    assert set(nearest(built_in(), "british history", 4)) >= {"british", "histori", "archaeologi"}


def test_a_topic_none_of_whose_words_is_known_is_near_to_nothing() -> None:
    for topic in ("கடல்", "火山", "вулкан", "xyzzyx", ""):
        assert built_in().near(terms(topic)) is None
    assert built_in().knows("volcano")
    assert not built_in().knows("xyzzyx")


def test_words_that_are_unknown_do_not_change_what_the_others_mean() -> None:
    known = built_in().near(["volcano"])
    both = built_in().near(["volcano", "xyzzyx", "volcano"])
    assert known is not None
    assert both is not None
    assert known.tolist() == both.tolist()


def test_off_is_no_table() -> None:
    assert load_vectors("off") is None
    assert load_vectors("OFF") is None


def test_without_a_table_numpy_is_not_loaded() -> None:
    code = "import sys, ranking.topics.vectors; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"]
