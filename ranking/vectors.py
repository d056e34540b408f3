"""Sums over long vectors, with the same bits on every machine (see `_vectors`)."""

from __future__ import annotations

import math

import numpy as np

from ranking import _vectors
from ranking.arrays import FloatArray


def dots(rows: FloatArray, vector: FloatArray) -> FloatArray:
    """(k,) products of rows (k, n) with a vector (n,)."""
    out = np.empty(len(rows))
    _vectors.dots(rows, vector, out)
    return out


def dot(one: FloatArray, other: FloatArray) -> float:
    """Product of two vectors (n,)."""
    return float(dots(one.reshape(1, -1), other)[0])


def norm(vector: FloatArray) -> float:
    """Euclidean length."""
    return math.sqrt(dot(vector, vector))


def gram(rows: FloatArray) -> FloatArray:
    """(k, k) products of rows (k, n) with each other."""
    out = np.empty((len(rows), len(rows)))
    _vectors.gram(rows, out)
    return out


def combination(factors: FloatArray, rows: FloatArray) -> FloatArray:
    """(n,) sum of rows (k, n), each times its factor."""
    out = np.zeros(rows.shape[1])
    _vectors.combine(rows, factors, out)
    return out


def add_combination(onto: FloatArray, factors: FloatArray, rows: FloatArray) -> None:
    """Add to `onto` (n,) the sum of rows (k, n), each times its factor."""
    _vectors.combine(rows, factors, onto)
