"""Ranking of graphs whose links do not fit into memory: nodes in memory, links on disk.

sorting   links sorted in runs that fit into memory, and merged
lists     followed links by target in files, streamed once an iteration
walk      PageRank over them
bipartite HITS and SALSA over them

The same equations as in `ranking.pagerank` and `ranking.hits`, and the same scores within the
tolerance. `python -m ranking rank --memory` is made of these; docs/offline-ranking.md shows it.
"""
