"""Link analysis of a crawl: arrays in, arrays out.

graph      the link graph as it grows; snapshots of it
pagerank   PageRank with any restart vector, TrustRank
live       its scores between two rankings
hits       HITS, plain or weighted by topic
salsa      SALSA; stable_hits: randomised HITS
distrust   TrustRank turned round
centrality harmonic centrality
rankmass   how much of the web's importance is certainly fetched
hosts      the graph of hosts, and links within a host
opic       importance without re-ranks
evidence   what fetched pages say about every URL
orders     crawl orders by name: evidence and scores -> priority
topics     text -> relevance; link text -> promise
"""

from ranking.centrality import HarmonicRanking, harmonic, hyperball
from ranking.distrust import distrust
from ranking.errors import LinkRankError, RankingInputError, TopicError, UnknownOrderError
from ranking.evidence import Evidence
from ranking.graph import GraphView, LinkGraph
from ranking.hits import hits
from ranking.hosts import (
    discount_internal,
    fold,
    fold_links,
    fold_pages,
    fold_weights,
    spread_back,
)
from ranking.links import sum_repeats
from ranking.live import LiveScores
from ranking.matrices import from_matrix, to_matrix
from ranking.opic import GlobalOpic, Opic
from ranking.orders import DEFAULT_ORDER, ORDERS, Order, make_order
from ranking.pagerank import pagerank, provisional, trustrank
from ranking.rankmass import MassRanking, RankMass, rank_mass
from ranking.result import HitsRanking, Ranking, WalkRanking
from ranking.salsa import WalkHitsRanking, salsa
from ranking.stable_hits import randomized_hits

__all__ = [
    "DEFAULT_ORDER",
    "ORDERS",
    "Evidence",
    "GlobalOpic",
    "GraphView",
    "HarmonicRanking",
    "HitsRanking",
    "LinkGraph",
    "LinkRankError",
    "LiveScores",
    "MassRanking",
    "Opic",
    "Order",
    "RankMass",
    "Ranking",
    "RankingInputError",
    "TopicError",
    "UnknownOrderError",
    "WalkHitsRanking",
    "WalkRanking",
    "discount_internal",
    "distrust",
    "fold",
    "fold_links",
    "fold_pages",
    "fold_weights",
    "from_matrix",
    "harmonic",
    "hits",
    "hyperball",
    "make_order",
    "pagerank",
    "provisional",
    "randomized_hits",
    "rank_mass",
    "salsa",
    "spread_back",
    "sum_repeats",
    "to_matrix",
    "trustrank",
]
