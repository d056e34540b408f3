"""What the order of a crawl has learned, as records that JSON can say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from frontier.inspection.reports import Report
from ranking.orders import Order

if TYPE_CHECKING:
    from frontier.inspection.resumed import Known


@dataclass(frozen=True)
class LearnedWeight(Report):
    """What one thing that is known of a URL is worth; `deviation` is the uncertainty of that."""

    name: str
    words: str
    value: float
    deviation: float


@dataclass(frozen=True)
class Learned(Report):
    """What was learned from `pages` judged pages, the largest weight first, whatever its sign.

    An order that `learns` nothing may have weights too: those it was given.
    """

    strategy: str
    summary: str
    formula: str
    learns: bool
    pages: int
    weights: tuple[LearnedWeight, ...]


def learns(order: type[Order]) -> bool:
    """Whether an order has weights that change with what the crawl fetches."""
    return order.weights is not Order.weights and bool(getattr(order, "learns", True))


def learned(known: Known, pages: int) -> Learned:
    """Return what the crawl's order has learned; `pages` taught it."""
    order = known.driver.order
    weights = sorted(order.weights(), key=lambda weight: (-abs(weight.value), weight.name))
    return Learned(
        strategy=order.name,
        summary=order.summary,
        formula=order.formula,
        learns=learns(type(order)),
        pages=pages if learns(type(order)) else 0,
        weights=tuple(
            LearnedWeight(weight.name, weight.words, float(weight.value), float(weight.deviation))
            for weight in weights
        ),
    )
