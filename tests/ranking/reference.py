"""The definitions, written down again for dense matrices and without the kernels' shortcuts."""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import networkx as nx
import numpy as np


def dense(edges, n: int) -> np.ndarray:
    """Weights of (source, target, weight) triples; no self-loops, repeats keep the largest."""
    A = np.zeros((n, n))
    for source, target, weight in edges:
        if source != target:
            A[source, target] = max(A[source, target], weight)
    return A


def transition(A: np.ndarray, restart: np.ndarray) -> np.ndarray:
    """Rows of probabilities; a row without links is the restart vector."""
    P = np.empty_like(A)
    for i, row in enumerate(A):
        P[i] = row / row.sum() if row.sum() > 0 else restart
    return P


def pagerank(A: np.ndarray, restart=None, damping: float = 0.85) -> np.ndarray:
    """The stationary distribution, solved for directly."""
    n = len(A)
    r = np.full(n, 1 / n) if restart is None else np.asarray(restart, float) / np.sum(restart)
    return np.linalg.solve(np.eye(n) - damping * transition(A, r).T, (1 - damping) * r)


def hits(A: np.ndarray, relevance=None) -> tuple[np.ndarray, np.ndarray]:
    """Authorities and hubs: the start of all ones projected on the dominant eigenspace."""
    n = len(A)
    R = np.diag(np.ones(n) if relevance is None else relevance)
    values, vectors = np.linalg.eigh(A @ R @ A.T)
    top = vectors[:, values > values[-1] * (1 - 1e-9)]
    hubs = top @ (top.T @ (A @ R @ A.T @ np.ones(n)))
    authorities = A.T @ hubs
    return authorities / authorities.sum(), hubs / hubs.sum()


def polblogs(shared: Path) -> nx.DiGraph:
    with gzip.open(shared / "graphs" / "polblogs.gml.gz", "rt") as file:
        text = file.read()
    # The file lists repeated links, which only a multigraph may hold.
    text = text.replace("directed 1", "directed 1\n  multigraph 1", 1)
    return nx.DiGraph(nx.convert_node_labels_to_integers(nx.parse_gml(text, label="id")))


def hollins(shared: Path) -> nx.DiGraph:
    lines = (shared / "graphs" / "hollins.dat").read_text(encoding="latin-1").splitlines()
    pairs = [line.split() for line in lines if line.strip()]
    graph = nx.DiGraph()
    graph.add_edges_from((int(p[0]) - 1, int(p[1]) - 1) for p in pairs if p[0].isdigit())
    return graph


def cnr(shared: Path) -> np.ndarray:
    with lzma.open(shared / "graphs" / "cnr-2000.edges.xz") as file:
        return np.array(file.read().split(), dtype=np.int32).reshape(-1, 2)


def dense_of(matrix, n):
    """The matrix (m, n) of a view, column by column."""
    empty = np.empty((len(matrix.times(np.zeros(n))), 0))
    return np.column_stack([empty, *(matrix.times(unit) for unit in np.eye(n))])
