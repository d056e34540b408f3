"""A made graph twice: in memory, and as lists in files."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ranking.external.lists import LinkLists
from ranking.graph.link_graph import LinkGraph
from ranking.offline.spill import Spill


def made_graph(
    seed: int, directory: Path, *, weighted: bool, n: int = 300, links: int = 2000
) -> tuple[LinkGraph, LinkLists]:
    """A third of the nodes have links; loops, repeats and, with weights, nofollow links occur."""
    made = np.random.default_rng(seed)
    sources = made.integers(0, -(-n // 3), links).astype(np.int32)
    targets = (n * made.random(links) ** 3).astype(np.int32)
    sources[-1], targets[-1] = 0, n - 1
    weights = made.integers(0, 4, links).astype(np.float32) if weighted else None
    graph = LinkGraph.from_edges(sources, targets, weights, n)
    spill = Spill(directory)
    spill.used.add(np.arange(n, dtype=np.int32))
    spill.extend(np.stack([sources, targets], axis=1).ravel(), weights)
    return graph, spill.lists(directory, 0)
