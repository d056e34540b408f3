"""Crawl orders by name or import path. `apprentice` is the default of a focused crawl."""

from __future__ import annotations

from collections.abc import Iterable
from inspect import isabstract
from typing import Any

from ranking.errors import LinkRankError, UnknownOrderError
from ranking.orders.apprentice.order import Apprentice
from ranking.orders.base import Order
from ranking.orders.hits import HitsOrder, TopicHitsOrder
from ranking.orders.opic import OpicOrder
from ranking.orders.simple import AnchorParent, BestFirst, Bfs, FcMean, Shark
from ranking.orders.surfer import PageRankOrder, PprOrder, TopicPprOrder
from ranking.spelling import object_at, or_rather

__all__ = ["DEFAULT_ORDER", "ORDERS", "Order", "make_order", "order_class", "saved_score"]

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


def saved_score(names: Iterable[str]) -> str | None:
    """Which of the saved arrays of an order is the link score of each id; None: none of them.

    By their names alone: the order may be one that cannot be imported here.
    """
    known = {order.saved_score for order in ORDERS.values()}
    return next((name for name in names if name in known), None)


def order_class(strategy: str) -> type[Order]:
    """The class of a crawl order, by its name in ORDERS or its import path.

    Raises UnknownOrderError for any other name, and where the path leads to no Order that can be
    made, or to an Order that has the name of another.
    """
    if strategy in ORDERS:
        return ORDERS[strategy]
    if "." not in strategy:
        raise UnknownOrderError(
            f"no crawl strategy {strategy!r}{or_rather(strategy, ORDERS)}; choose one of: "
            f"{', '.join(ORDERS)}; or give the import path of a subclass of ranking.Order, such as "
            f"myproject.orders.MyOrder"
        )
    order = _class_at(strategy)
    if ORDERS.get(order.name, order) is not order:
        raise UnknownOrderError(
            f"the strategy {strategy} has the name {order.name!r}, which is that of a strategy of "
            f"this library. Give the class another `name`"
        )
    return order


def make_order(strategy: str, **params: Any) -> Order:
    """A new order, by its name or import path; `params` are `damping` and `tol`.

    Raises UnknownOrderError as `order_class` does, and where the constructor fails;
    RankingInputError for a parameter out of range.
    """
    kind = order_class(strategy)
    path = f"{kind.__module__}.{kind.__qualname__}"
    try:
        order = kind(**params)
    except LinkRankError:
        raise
    except Exception as error:  # a constructor of the user's may fail in any way
        reason = f"{type(error).__name__}: {error}"
        raise UnknownOrderError(
            _unusable(path, f"a class that cannot be made with damping and tol ({reason})")
        ) from error
    if not hasattr(order, "pages_seen"):
        raise UnknownOrderError(_unusable(path, "a class whose __init__ does not call Order's"))
    return order


def _class_at(path: str) -> type[Order]:
    """The subclass of Order at `path`; raises UnknownOrderError for anything else."""
    try:
        order = object_at(path)
    except ImportError as error:
        raise UnknownOrderError(_unusable(path, str(error))) from error
    if not isinstance(order, type):
        raise UnknownOrderError(_unusable(path, f"a {type(order).__name__}, not a class"))
    if not issubclass(order, Order):
        raise UnknownOrderError(_unusable(path, _other_class(order)))
    if isabstract(order):
        lacking = ", ".join(sorted(order.__abstractmethods__))
        raise UnknownOrderError(_unusable(path, f"an abstract class, which lacks {lacking}"))
    return order


def _other_class(other: type) -> str:
    if any(base.__module__.startswith("frontera.") for base in other.__mro__):
        return (
            "a crawling strategy of Frontera, which schedules requests itself; here the frontier "
            "does, and an Order says what each URL is worth: move that into its method value"
        )
    return "a class that is no subclass of ranking.Order"


def _unusable(path: str, got: str) -> str:
    return (
        f"expected as strategy its name or the import path of a subclass of ranking.Order, "
        f"such as myproject.orders.MyOrder; got {path!r}: {got}. Correct it, or leave the "
        f'setting out to use the default; "Write your own crawl strategy" in '
        f"the documentation shows such a class"
    )
