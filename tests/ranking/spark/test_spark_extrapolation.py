"""Extrapolation of iterates, by the products of their changes alone."""

from __future__ import annotations

import numpy as np
import pytest

from ranking.spark.extrapolation import steps_back


def extrapolated(y: np.ndarray, changes: np.ndarray) -> np.ndarray:
    return y - np.array(steps_back((changes @ changes.T).tolist())) @ changes


def iterated(size: int, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The last of k iterates of a linear equation, their changes, and the solution."""
    rng = np.random.default_rng(size)
    matrix = rng.random((size, size))
    matrix *= 0.85 / matrix.sum(0)
    y, changes = np.ones(size), np.empty((k, size))
    for j in range(k):
        following = 1 + matrix @ y
        changes[j], y = following - y, following
    return y, changes, np.linalg.solve(np.eye(size) - matrix, np.ones(size))


@pytest.mark.parametrize(("size", "k"), [(1, 2), (3, 4), (3, 8), (5, 6)])
def test_as_many_changes_as_span_the_space_give_the_solution(size, k):
    y, changes, solution = iterated(size, k)
    assert np.abs(extrapolated(y, changes) - solution).max() <= 1e-4 * np.abs(y - solution).max()


def test_fewer_bring_the_iterate_nearer():
    y, changes, solution = iterated(40, 8)
    assert np.abs(extrapolated(y, changes) - solution).sum() < np.abs(y - solution).sum() / 2


def test_the_combination_is_that_of_the_smallest_change():
    _, changes, _ = iterated(40, 4)
    back = np.array(steps_back((changes @ changes.T).tolist()))
    weights = np.diff([*back, 1.0])
    best = np.linalg.norm(weights @ changes)
    for other in np.eye(4):
        assert best <= np.linalg.norm((0.9 * weights + 0.1 * other) @ changes)


def test_without_changes_nothing_is_taken_back():
    assert steps_back([[0.0, 0.0], [0.0, 0.0]]) == [0.0, 0.0]
