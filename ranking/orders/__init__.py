"""Crawl orders by name or import path. `apprentice` is the default of a focused crawl."""

from __future__ import annotations

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

__all__ = ["DEFAULT_ORDER", "ORDERS", "Order", "make_order", "order_class"]

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
    found = _class_at(strategy)
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
        found = object_at(path)
    except ImportError as error:
        raise UnknownOrderError(_unusable(path, str(error))) from error
    if not isinstance(found, type):
        raise UnknownOrderError(_unusable(path, f"a {type(found).__name__}, not a class"))
    if not issubclass(found, Order):
        raise UnknownOrderError(_unusable(path, _other_class(found)))
    if isabstract(found):
        lacking = ", ".join(sorted(found.__abstractmethods__))
        raise UnknownOrderError(_unusable(path, f"an abstract class, which lacks {lacking}"))
    return found


def _other_class(found: type) -> str:
    if any(base.__module__.startswith("frontera.") for base in found.__mro__):
        return (
            "a crawling strategy of Frontera, which schedules requests itself; here the frontier "
            "does, and an Order says what each URL is worth: move that into its method value"
        )
    return "a class that is no subclass of ranking.Order"


def _unusable(path: str, found: str) -> str:
    return (
        f"expected as strategy the name of one or the import path of a subclass of ranking.Order, "
        f"such as myproject.orders.MyOrder; got {path!r}: {found}. Correct it, or leave the "
        f'setting out to use the default; "Write your own crawl strategy" in '
        f"the documentation shows such a class"
    )
