"""Crawl orders by name or import path. `apprentice` is the default of a focused crawl."""

from __future__ import annotations

from typing import Any

from ranking.errors import UnknownOrderError
from ranking.orders.apprentice.order import Apprentice
from ranking.orders.base import Description, Order
from ranking.orders.best_links import AnchorParent, BestFirst, Shark
from ranking.orders.bfs import Bfs
from ranking.orders.by_path import class_at, made
from ranking.orders.hits import HitsOrder, TopicHitsOrder
from ranking.orders.opic import OpicOrder
from ranking.orders.soft_focus import FcMean
from ranking.orders.walks import (
    PageRankOrder,
    PprOrder,
    TopicPprOrder,
)
from ranking.spelling import or_rather

__all__ = ["DEFAULT_ORDER", "ORDERS", "Description", "Order", "make_order", "order_class"]

ORDERS: dict[str, type[Order]] = {
    order.name: order
    for order in (
        Bfs,
        PageRankOrder,
        PprOrder,
        OpicOrder,
        HitsOrder,
        BestFirst,
        AnchorParent,
        Shark,
        FcMean,
        TopicPprOrder,
        TopicHitsOrder,
        Apprentice,
    )
}
DEFAULT_ORDER = Apprentice.name


def order_class(strategy: str) -> type[Order]:
    """The class of a crawl order, by its name in ORDERS or its import path.

    Raises UnknownOrderError for any other name, and where the path leads to no Order that can be
    made, or to one that goes by the name of another.
    """
    if strategy in ORDERS:
        return ORDERS[strategy]
    if "." not in strategy:
        raise UnknownOrderError(
            f"no crawl strategy {strategy!r}{or_rather(strategy, ORDERS)}; choose one of: "
            f"{', '.join(ORDERS)}; or give the import path of a subclass of ranking.Order, such as "
            f"myproject.orders.MyOrder"
        )
    found = class_at(strategy)
    if ORDERS.get(found.name, found) is not found:
        raise UnknownOrderError(
            f"the strategy {strategy} goes by the name {found.name!r}, which is that of a strategy "
            f"of this library. Give the class another `name`"
        )
    return found


def make_order(strategy: str, **params: Any) -> Order:
    """A new order, by its name or import path; `params` are `damping` and `tol`.

    Raises UnknownOrderError as `order_class` does, and where the constructor fails;
    RankingInputError for a parameter out of range.
    """
    return made(order_class(strategy), **params)
