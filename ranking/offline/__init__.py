"""Ranking of graphs that were not crawled here: edge lists in, tables of scores out.

edges       an edge list, text or Parquet, as arrays and names
methods     the ranking methods by name
scores      tables of scores as files
precedence  scores as integer levels

The command `python -m ranking` is made of these; docs/offline-ranking.md shows both.
"""

from ranking.offline.errors import MissingExtraError, OfflineInputError
from ranking.offline.methods import METHODS, Method, columns_of, rank_by_method, run_method
from ranking.offline.precedence import precedence
from ranking.offline.scores import read_scores, write_scores
from ranking.offline.table import ScoreTable

__all__ = [
    "METHODS",
    "Method",
    "MissingExtraError",
    "OfflineInputError",
    "ScoreTable",
    "columns_of",
    "precedence",
    "rank_by_method",
    "read_scores",
    "run_method",
    "write_scores",
]
