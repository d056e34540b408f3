"""HITS, plain or weighted by topic."""
