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
from ranking.topics.vectors.english import built_in_words, english_pieces, stored_spelling
from ranking.topics.vectors.table import Pieces, WordVectors, by_rank, spelling_of


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


def levelled(vectors: Any, weights: Any) -> Any:
    """What vectors become, at once: centred, half whitened, of length 1."""
    centred = vectors - weights @ vectors / weights.sum()
    variances, directions = np.linalg.eigh(np.cov(vectors.T, aweights=weights, ddof=0))
    turned = centred @ directions / variances**0.25
    return turned / np.linalg.norm(turned, axis=1, keepdims=True)


@pytest.mark.parametrize("topic", ["volcano", "british history", "python asyncio", "the xyzzyx"])
def test_nearness_is_the_cosine_of_a_term_with_the_mean_of_the_topic(topic: str) -> None:
    table, words = built_in(), built_in_words()
    shares = by_rank(len(words))
    assert shares[0] == 0.01
    pieces = english_pieces(len(words))
    spelled, total, vectors = dense(words, shares, pieces.table[pieces.rows].astype("f8"))
    common = np.argsort(-total, kind="stable")
    order = [spelled.index(term) for term in table.terms]
    assert np.all(np.diff(total[order]) <= 0.0)
    told = np.where(np.isin(np.arange(len(total)), common[:10_000]), total, 0.0)
    vectors = levelled(vectors, told * 1e-3 / (1e-3 + total))
    rows = [spelled.index(term) for term in terms(topic) if term in spelled]
    mean = (1e-3 / (1e-3 + total[rows])) @ vectors[rows]
    near = table.near(terms(topic))
    assert near is not None
    expected = vectors @ mean / np.linalg.norm(mean)
    off = np.abs(near - expected[order])  # a number is a byte, and the largest are cut
    assert off.mean() < 0.005
    assert off.max() < 0.08
    some = vectors[order[:3000]] @ vectors[order[:3000]].T
    assert table.spread == pytest.approx(math.sqrt(np.square(some).mean()), abs=0.01)


def rows(table: Any) -> Pieces:
    """A table of which each row is a word; a row of zeros is that of a word without a vector."""
    known = np.any(table, axis=1)
    starts = np.append(0, np.cumsum(known))
    return Pieces(np.array(table), starts, np.flatnonzero(known), np.ones(sum(known), np.float32))


def test_a_second_table_has_a_share_in_the_vectors_of_the_terms_that_it_knows() -> None:
    words = spelling_of(["lava", "crater", "ash", "tax", "geyser", "unknown"])
    first = rows([[1.0, 0.0], [0.6, 0.8], [0.6, -0.8], [-0.6, 0.8], [0.8, 0.6], [0.0, 0.0]])
    second = rows([[2], [1], [-1], [1], [0], [1]])
    table = WordVectors("two", "two", words, by_rank(6), first, second)
    near = table.near(["lava", "elsewhere"])
    assert near is not None
    assert table.terms == ["lava", "crater", "ash", "tax", "geyser"]
    # (1, 0, .5) and (.6, .8, .5) ...: one fifth is that of the second, where both know a term.
    expected = [1.0, 0.8 * 0.6 + 0.2, 0.8 * 0.6 - 0.2, -0.8 * 0.6 + 0.2, math.sqrt(0.8) * 0.8]
    assert near.tolist() == pytest.approx(expected, abs=0.01)
    assert table.near(["unknown"]) is None


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="tells the most memory held")
@pytest.mark.parametrize(("vectors", "most"), [("built-in", 40), ("auto", 85)])
def test_a_topic_is_fitted_in_little_memory(vectors: str, most: int) -> None:
    code = f"""if True:
        import re, numpy
        from pathlib import Path
        from ranking.topics import TfidfTopic
        def peak():
            return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
        before = peak()
        TfidfTopic("{vectors}").fit("volcano", ())
        print((peak() - before) // 1024)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 5 < int(done.stdout) < most


def test_the_nearest_terms_of_a_word_are_its_kin() -> None:
    assert nearest(built_in(), "volcano", 6) == [
        *("volcano", "eruption", "volcanic", "merapi", "mayon", "lava"),
    ]
    assert set(nearest(built_in(), "british history", 4)) >= {"british", "histori", "archaeologi"}


def test_a_topic_none_of_whose_words_is_known_is_near_to_nothing() -> None:
    for topic in ("கடல்", "火山", "вулкан", "xyzzyx", ""):
        assert built_in().near(terms(topic)) is None


def test_words_that_are_unknown_do_not_change_what_the_others_mean() -> None:
    known = built_in().near(["volcano"])
    both = built_in().near(["volcano", "xyzzyx", "volcano"])
    assert known is not None
    assert both is not None
    assert known.tolist() == both.tolist()


def test_the_stored_terms_of_the_words_are_those_that_texts_have() -> None:
    spelling = stored_spelling()
    stored = [[spelling.terms[at]] for at in spelling.owners[:60_000].tolist()]
    assert stored == list(map(terms_of, built_in_words()))


def test_off_is_no_table() -> None:
    assert load_vectors("off") is None
    assert load_vectors("OFF") is None


def test_without_a_table_numpy_is_not_loaded() -> None:
    code = "import sys, ranking.topics.vectors; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"]
