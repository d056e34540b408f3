"""Tables of word vectors: the built-in one, and what is near to what."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ranking.topics.terms import terms, terms_of
from ranking.topics.vectors import load_vectors
from ranking.topics.vectors.languages import built_in_words
from ranking.topics.vectors.levelling import Pieces, by_rank, levelled
from ranking.topics.vectors.table import WordVectors


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


def dense(words: list[str], shares: Any, vectors: Any) -> tuple[list[str], Any, Any]:
    """Terms, their shares and vectors as they are defined: with all vectors at once."""
    places: dict[str, int] = {}
    pairs = [
        (places.setdefault(t, len(places)), at) for at, w in enumerate(words) for t in terms(w)
    ]
    term, word = np.array(pairs).T
    total, sums = np.zeros(len(places)), np.zeros((len(places), vectors.shape[1]))
    np.add.at(total, term, shares[word])
    np.add.at(sums, term, shares[word][:, None] * vectors[word])
    return list(places), total, sums / np.linalg.norm(sums, axis=1, keepdims=True)


def whitened(vectors: Any, weights: Any) -> Any:
    """What vectors become, at once: centred, whitened, of length 1."""
    centred = vectors - weights @ vectors / weights.sum()
    variances, directions = np.linalg.eigh(np.cov(vectors.T, aweights=weights, ddof=0))
    turned = centred @ directions / variances**0.5
    return turned / np.linalg.norm(turned, axis=1, keepdims=True)


def rows(table: Any) -> Pieces:
    """A table of which each row is a word; a row of zeros is that of a word without a vector."""
    known = np.any(table, axis=1)
    starts = np.append(0, np.cumsum(known))
    return Pieces(np.array(table), starts, np.flatnonzero(known), np.ones(sum(known), np.float32))


@pytest.mark.parametrize("topic", ["volcano", "british history", "python asyncio", "the xyzzyx"])
def test_nearness_is_the_cosine_of_a_term_with_the_mean_of_the_topic(topic: str) -> None:
    """Of 3,000 words, two of them of one term, in a table as large ones are."""
    words = [*built_in_words()[:2_500], "volcanoes", "volcano", "british", "history", "python"]
    words = list(dict.fromkeys(words + built_in_words()))[:3_000]
    shares, draw = by_rank(len(words)), np.random.default_rng(2)
    table = draw.normal(size=(len(words), 24)) * np.arange(1, 25) + 9.0
    spelled, total, vectors = dense(words, shares, table)
    held = WordVectors("drawn", "drawn", *levelled(words, shares, rows(table)))
    order = [spelled.index(term) for term in held.terms]
    assert len(order) == len(spelled) < len(words)
    assert np.all(np.diff(total[order]) <= 0.0)
    vectors = whitened(vectors, total * 1e-3 / (1e-3 + total))
    places = [spelled.index(term) for term in terms(topic) if term in spelled]
    mean = (1e-3 / (1e-3 + total[places])) @ vectors[places]
    near = held.near(terms(topic))
    assert near is not None
    expected = vectors @ mean / np.linalg.norm(mean)
    off = np.abs(near - expected[order])  # a number is a byte
    assert off.max() < 0.02
    cosines = vectors @ vectors.T
    assert held.spread == pytest.approx(math.sqrt(np.square(cosines).mean()), abs=0.002)


def test_a_small_table_is_taken_as_it_is() -> None:
    words = ["lava", "crater", "tax", "unknown"]
    table = rows([[1.0, 0.0], [3.0, 4.0], [-0.6, 0.8], [0.0, 0.0]])
    held = WordVectors("small", "small", *levelled(words, by_rank(4), table))
    near = held.near(["lava", "elsewhere"])
    assert near is not None
    assert held.terms == ["lava", "crater", "tax"]
    assert near.tolist() == pytest.approx([1.0, 0.6, -0.6], abs=0.01)
    assert held.near(["unknown"]) is None


def test_a_table_has_the_length_and_the_spread_of_its_rows() -> None:
    turned = np.array([[30, 40], [-40, 30], [50, 0]], np.int8)
    table = WordVectors("t", "t", ["a", "b", "c"], by_rank(3), turned)
    assert table.unit == pytest.approx(50.0)
    cosines = [1.0, 1.0, 1.0, *([0.0, 0.6, -0.8] * 2)]
    assert table.spread == pytest.approx(math.sqrt(np.square(cosines).mean()))


def test_the_built_in_rows_are_of_about_one_length() -> None:
    table = built_in()
    lengths = np.linalg.norm(table.rows.astype(np.float32), axis=1)
    assert np.abs(lengths / table.unit - 1.0).max() < 0.4
    assert np.abs(lengths / table.unit - 1.0).mean() < 0.02


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="tells the most memory held")
def test_a_topic_is_fitted_in_little_memory() -> None:
    code = r"""if True:
        import re, numpy
        from pathlib import Path
        from ranking.topics import TfidfTopic
        def peak():
            return int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1])
        before = peak()
        TfidfTopic("built-in").fit("volcano", ())
        print((peak() - before) // 1024)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 5 < int(done.stdout) < 40


def test_the_nearest_terms_of_a_word_are_its_kin() -> None:
    assert set(nearest(built_in(), "volcano", 12)) >= {"volcano", "eruption", "volcanic", "lava"}
    assert set(nearest(built_in(), "british history", 9)) >= {"british", "histori"}


def test_a_word_is_near_to_what_belongs_to_each_of_its_forms() -> None:
    """Train is written training most often."""
    cosines, places = built_in().near(terms("train")), built_in().places()
    assert cosines is not None
    near = {word: cosines[places[terms(word)[0]]] for word in ("coach", "railway", "locomotive")}
    assert min(near.values()) > 3.0 * built_in().spread


def test_a_topic_none_of_whose_words_is_known_is_near_to_nothing() -> None:
    for topic in ("கடல்", "火山", "вулкан", "xyzzyx", ""):
        assert built_in().near(terms(topic)) is None


def test_words_that_are_unknown_do_not_change_what_the_others_mean() -> None:
    known = built_in().near(["volcano"])
    both = built_in().near(["volcano", "xyzzyx", "volcano"])
    assert known is not None
    assert both is not None
    assert known.tolist() == both.tolist()


def test_the_terms_of_the_table_are_those_that_texts_have() -> None:
    written = [terms_of(word) for word in built_in_words()]
    assert all(len(each) == 1 for each in written)
    assert {term for (term,) in written} <= set(built_in().terms)
    assert len(built_in().terms) == len(set(built_in().terms)) == 60_000


def test_off_is_no_table() -> None:
    assert load_vectors("off") is None
    assert load_vectors("OFF") is None


def test_without_a_table_numpy_is_not_loaded() -> None:
    code = "import sys, ranking.topics.vectors; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"]
