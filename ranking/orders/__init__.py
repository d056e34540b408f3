"""Crawl orders by name. `make_order("apprentice")` is the default of a focused crawl."""

from __future__ import annotations

from typing import Any

from ranking.errors import UnknownOrderError
from ranking.orders.anchors import AnchorOnly, AnchorParent
from ranking.orders.apprentice.order import Apprentice
from ranking.orders.backlinks import Backlinks
from ranking.orders.base import Description, Order
from ranking.orders.best_first import BestFirst, BestNFirst
from ranking.orders.bfs import Bfs
from ranking.orders.chance import RandomOrder
from ranking.orders.dfs import Dfs
from ranking.orders.fusion import Fusion
from ranking.orders.hits import HitsOrder, TopicHitsOrder
from ranking.orders.opic import OpicOrder
from ranking.orders.relevance_ppr import RelevancePprOrder
from ranking.orders.shark import Shark
from ranking.orders.soft_focus import FcMax, FcMean
from ranking.orders.walks import (
    PageRankOrder,
    PprOrder,
    TopicPprIndegreeOrder,
    TopicPprOrder,
    TrustRankOrder,
)

__all__ = ["DEFAULT_ORDER", "ORDERS", "Description", "Order", "make_order"]

ORDERS: dict[str, type[Order]] = {
    order.name: order
    for order in (
        Bfs,
        Dfs,
        RandomOrder,
        Backlinks,
        PageRankOrder,
        PprOrder,
        TrustRankOrder,
        OpicOrder,
        HitsOrder,
        BestFirst,
        BestNFirst,
        AnchorOnly,
        AnchorParent,
        Shark,
        FcMax,
        FcMean,
        TopicPprOrder,
        TopicPprIndegreeOrder,
        TopicHitsOrder,
        RelevancePprOrder,
        Fusion,
        Apprentice,
    )
}
DEFAULT_ORDER = Apprentice.name


def make_order(name: str, **params: Any) -> Order:
    """A new order; `params` are `damping` and `tol`.

    Raises UnknownOrderError for a name that is not in ORDERS, RankingInputError for a
    parameter out of range.
    """
    if name not in ORDERS:
        raise UnknownOrderError(f"no crawl order {name!r}; choose one of: {', '.join(ORDERS)}")
    return ORDERS[name](**params)
