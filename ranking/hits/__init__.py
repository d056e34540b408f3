"""Hubs and authorities: HITS, plain or weighted by topic, and SALSA."""

from ranking.hits.hits import hits

__all__ = ["hits"]
