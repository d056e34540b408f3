"""Link analysis of a crawl: arrays in, arrays out.

graph      the link graph as it grows; snapshots of it
pagerank   PageRank with any restart vector, TrustRank
hits       HITS, plain or weighted by topic
opic       importance without re-ranks
evidence   what fetched pages say about every URL
orders     crawl orders by name: evidence and scores -> priority
topics     text -> relevance; link text -> promise
"""

from ranking.errors import LinkRankError, RankingInputError, TopicError, UnknownOrderError
from ranking.evidence import Evidence
from ranking.graph import GraphView, LinkGraph
from ranking.hits import hits
from ranking.opic import Opic
from ranking.orders import DEFAULT_ORDER, ORDERS, Order, make_order
from ranking.pagerank import pagerank, trustrank
from ranking.result import HitsRanking, Ranking, WalkRanking

__all__ = [
    "DEFAULT_ORDER",
    "ORDERS",
    "Evidence",
    "GraphView",
    "HitsRanking",
    "LinkGraph",
    "LinkRankError",
    "Opic",
    "Order",
    "Ranking",
    "RankingInputError",
    "TopicError",
    "UnknownOrderError",
    "WalkRanking",
    "hits",
    "make_order",
    "pagerank",
    "trustrank",
]
