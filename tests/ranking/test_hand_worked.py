"""Small graphs of lecture notes and textbooks, with the matrices and the results printed there.

IIR    Manning, Raghavan, Schütze, Introduction to Information Retrieval, chapter 21
LM     Langville, Meyer, Google's PageRank and Beyond, chapters 4, 11 and 12
MMDS   Leskovec, Rajaraman, Ullman, Mining of Massive Datasets, chapter 5
NCM    Easley, Kleinberg, Networks, Crowds, and Markets, chapter 14
Links of a page to itself, which some of their examples have, do not count here; those are left out.
"""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest

from ranking import (
    LinkGraph,
    hits,
    pagerank,
    trustrank,
)


def graph(*rows: str) -> LinkGraph:
    """From adjacency matrices as they are printed: one row a page, 1 where it links."""
    A = np.array([[float(entry) for entry in row.split()] for row in rows])
    return LinkGraph.from_edges(*np.nonzero(A), A[np.nonzero(A)], n=len(A))


def exact(*parts: F | int) -> list[float]:
    return [float(part) for part in parts]


# PageRank


def test_iir_example_21_1_three_pages():
    links = graph("0 1 0", "1 0 1", "0 1 0")
    expected = exact(F(5, 18), F(8, 18), F(5, 18))
    assert pagerank(links, damping=0.5, tol=1e-12).scores == pytest.approx(expected, abs=1e-12)


MMDS_5_1 = graph("0 1 1 1", "1 0 0 1", "1 0 0 0", "0 1 1 0")


def test_mmds_example_5_2_four_pages():
    scores = pagerank(MMDS_5_1, damping=0.9999, tol=1e-8).scores
    assert scores == pytest.approx(exact(F(3, 9), F(2, 9), F(2, 9), F(2, 9)), abs=1e-4)


def test_mmds_example_5_10_topic_sensitive():
    expected = exact(F(54, 210), F(59, 210), F(38, 210), F(59, 210))
    topical = pagerank(MMDS_5_1, [0, 1, 0, 1], damping=0.8, tol=1e-12)
    assert topical.scores == pytest.approx(expected, abs=1e-12)


def test_mmds_example_5_12_trusted_pages():
    expected = exact(F(54, 210), F(59, 210), F(38, 210), F(59, 210))
    trusted = trustrank(MMDS_5_1, [1, 3], damping=0.8, tol=1e-12)
    assert trusted.scores == pytest.approx(expected, abs=1e-12)
    plain = pagerank(MMDS_5_1, damping=0.8, tol=1e-12).scores
    assert plain == pytest.approx(exact(F(9, 28), F(19, 84), F(19, 84), F(19, 84)), abs=1e-12)


def test_lm_chapter_4_six_pages_one_of_them_dangling():
    links = graph(
        "0 1 1 0 0 0", "0 0 0 0 0 0", "1 1 0 0 1 0", "0 0 0 0 1 1", "0 0 0 1 0 1", "0 0 0 1 0 0"
    )
    printed = [0.03721, 0.05396, 0.04151, 0.3751, 0.206, 0.2862]
    assert pagerank(links, damping=0.9, tol=1e-12).scores == pytest.approx(printed, abs=5e-5)


def test_ncm_figure_14_6_equilibrium_of_eight_pages():
    links = [[1, 2], [3, 4], [5, 6], [0, 7], [0, 7], [0], [0], [0]]
    pages = LinkGraph(8)
    for page, targets in enumerate(links):
        pages.append(page, targets)
    scores = pagerank(pages, damping=0.9999, tol=1e-8).scores
    expected = exact(F(4, 13), F(2, 13), F(2, 13), *[F(1, 13)] * 5)
    assert scores == pytest.approx(expected, abs=1e-4)


# hubs and authorities

# Pages 1, 2, 3, 5, 6 and 10 of the book.
LM_11 = graph(
    "0 0 1 0 1 0", "1 0 0 0 0 0", "0 0 0 0 1 0", "0 0 0 0 0 0", "0 0 1 1 0 0", "0 0 0 0 1 0"
)


def test_lm_chapter_11_hits():
    ranking = hits(LM_11, tol=1e-12)
    root = 3**0.5
    expected = [0, 0, (root - 1) / 2, (2 - root) / 2, 1 / 2, 0]
    assert ranking.scores == pytest.approx(expected, abs=1e-12)
    printed = [0.3660, 0, 0.2113, 0, 0.2113, 0.2113]
    assert ranking.hubs == pytest.approx(printed, abs=5e-5)
    assert ranking.hub_norm * ranking.authority_norm == pytest.approx(2 + root)


def test_mmds_example_5_14_hits_of_five_pages():
    ranking = hits(
        graph("0 1 1 1 0", "1 0 0 1 0", "0 0 0 0 1", "0 1 1 0 0", "0 0 0 0 0"), tol=1e-12
    )
    authorities, hubs = ranking.scores, ranking.hubs
    printed = [0.2087, 1, 1, 0.7913, 0]
    assert authorities / authorities.max() == pytest.approx(printed, abs=1e-4)
    assert hubs / hubs.max() == pytest.approx([1, 0.3583, 0, 0.7165, 0], abs=2e-4)


def test_weighted_links_of_three_hubs_by_hand():
    # 0 -2-> 3, 0 -1-> 4, 1 -1-> 4, 2 -3-> 5 of relevance 1, 1, 0: A diag(r) Aᵀ has
    # [[5, 1], [1, 1]] on 0 and 1: λ = 3 + √5, h₁ = (λ − 5) h₀ = (√5 − 2) h₀.
    links = LinkGraph.from_edges([0, 0, 1, 2], [3, 4, 4, 5], [2, 1, 1, 3])
    ranking = hits(links, [0, 0, 0, 1, 1, 0], tol=1e-13)
    root = 5**0.5
    hubs = np.array([1, root - 2, 0, 0, 0, 0])
    assert ranking.hubs == pytest.approx(hubs / hubs.sum(), abs=1e-12)
    authorities = np.array([0, 0, 0, 2, root - 1, 0])
    assert ranking.scores == pytest.approx(authorities / authorities.sum(), abs=1e-12)
    assert ranking.hub_norm * ranking.authority_norm == pytest.approx(3 + root)
