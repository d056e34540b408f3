"""Crawl orders of a user's own: a class at an import path, checked before a crawl relies on it."""

from __future__ import annotations

from inspect import isabstract
from typing import Any

from ranking.errors import LinkRankError, UnknownOrderError
from ranking.orders.base import Order
from ranking.spelling import object_at


def class_at(path: str) -> type[Order]:
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


def made(kind: type[Order], **params: Any) -> Order:
    """A new order; raises UnknownOrderError where its constructor fails or leaves Order's out."""
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
