"""Link analysis of a crawl: arrays in, arrays out.

graph      the link graph as it grows; snapshots of it
pagerank   PageRank with any restart vector, TrustRank
hits       HITS, plain or weighted by topic
evidence   what the fetched pages tell of every URL
orders     crawl orders by name: evidence and scores -> priority
topics     text -> relevance; link text -> prediction
offline    edge lists in, tables of scores out
spark      PageRank on Spark

Importing the package imports none of these: a name is imported from its module at its first use, so
that a crawl holds in memory only what it uses.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ranking.errors import LinkRankError, RankingInputError, TopicError, UnknownOrderError
    from ranking.evidence import Evidence
    from ranking.graph.link_graph import LinkGraph
    from ranking.graph.matrices import graph_of, matrix_of
    from ranking.graph.view import GraphView
    from ranking.hits import hits
    from ranking.orders import DEFAULT_ORDER, ORDERS, Order, make_order
    from ranking.pagerank.pagerank import pagerank, trustrank
    from ranking.result import HitsRanking, Ranking, WalkRanking

__all__ = [
    "DEFAULT_ORDER",
    "ORDERS",
    "Evidence",
    "GraphView",
    "HitsRanking",
    "LinkGraph",
    "LinkRankError",
    "Order",
    "Ranking",
    "RankingInputError",
    "TopicError",
    "UnknownOrderError",
    "WalkRanking",
    "graph_of",
    "hits",
    "make_order",
    "matrix_of",
    "pagerank",
    "trustrank",
]

_HOMES = {
    name: module
    for module, names in (
        ("ranking.errors", "LinkRankError RankingInputError TopicError UnknownOrderError"),
        ("ranking.evidence", "Evidence"),
        ("ranking.graph.link_graph", "LinkGraph"),
        ("ranking.graph.matrices", "graph_of matrix_of"),
        ("ranking.graph.view", "GraphView"),
        ("ranking.hits", "hits"),
        ("ranking.orders", "DEFAULT_ORDER ORDERS Order make_order"),
        ("ranking.pagerank.pagerank", "pagerank trustrank"),
        ("ranking.result", "HitsRanking Ranking WalkRanking"),
    )
    for name in names.split()
}
"""Name -> module that defines it."""


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value


class _Package(ModuleType):
    """A package whose functions are not hidden by modules of their names.

    When `ranking.pagerank` is imported, the import system sets the module as attribute of its
    package; this class keeps the function under that name.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if name not in _HOMES or not isinstance(value, ModuleType):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
