"""The link graph of a crawl: its log, snapshots of it, and the same folded to hosts."""

from ranking.graph.link_graph import LinkGraph
from ranking.graph.view import GraphView

__all__ = ["GraphView", "LinkGraph"]
