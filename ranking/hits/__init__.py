"""Hubs and authorities: HITS, plain or weighted by topic, and SALSA."""
