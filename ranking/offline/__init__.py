"""Ranking of graphs that were not crawled here: edge lists in, tables of scores out.

edges    an edge list, text or Parquet, as arrays and names
methods  the ranking methods by name
scores   tables of scores, and values by name such as restart values

The command `python -m ranking` is made of these; docs/offline-ranking.md shows both.
"""

from ranking.errors import MissingExtraError, OfflineInputError
from ranking.offline.edges import EdgeList, read_edges
from ranking.offline.methods import METHODS, Method, columns_of, run_method
from ranking.offline.scores import read_values, write_scores

__all__ = [
    "METHODS",
    "EdgeList",
    "Method",
    "MissingExtraError",
    "OfflineInputError",
    "columns_of",
    "read_edges",
    "read_values",
    "run_method",
    "write_scores",
]
