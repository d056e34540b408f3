"""PageRank with any restart vector, and what is computed as it is."""

from ranking.pagerank.pagerank import pagerank, trustrank

__all__ = ["pagerank", "trustrank"]
