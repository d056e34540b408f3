"""Hubs and authorities: HITS, plain or weighted by topic."""

from ranking.hits.hits import hits

__all__ = ["hits"]
