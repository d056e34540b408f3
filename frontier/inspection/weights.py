"""What the order of a crawl has learned: as records that JSON can say, and for people."""

from __future__ import annotations

from dataclasses import dataclass

from frontier.formatting import table
from frontier.inspection.reports import Report
from frontier.inspection.resumed import Known
from ranking.orders import ORDERS, Order

SURE = 2
"""Standard deviations from 0 from which a weight is more than noise."""


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


def weights_text(said: Learned) -> list[str]:
    """Lines of `scrapy frontier weights`."""
    if not said.learns:
        return [*_fixed(said), *_table(said)]
    return [
        _title(said),
        *_table(said),
        "",
        "± is the standard deviation; a weight less than two of them from 0 is undecided.",
    ]


def _table(said: Learned) -> list[str]:
    if not said.weights:
        return []
    head = "weight", "±", "speaks", "evidence"
    return ["", *table(head, [_row(weight) for weight in said.weights], left=(2, 3))]


def _title(said: Learned) -> str:
    if not said.pages:
        return f"{said.strategy} has not learned from any page yet; it begins with these weights"
    pages = "1 judged page" if said.pages == 1 else f"{said.pages:,} judged pages"
    return f"What {said.strategy} has learned from {pages}"


def _row(weight: LearnedWeight) -> tuple[str, ...]:
    return f"{weight.value:+.4f}", f"{weight.deviation:.4f}", _speaks(weight), weight.words


def _speaks(weight: LearnedWeight) -> str:
    if abs(weight.value) < SURE * weight.deviation:
        return "undecided"
    return "for" if weight.value > 0 else "against"


def _fixed(said: Learned) -> list[str]:
    lines = [
        f"The strategy {said.strategy} does not learn: its formula is the same in every crawl.",
        f"  {said.summary}",
        f"  {said.formula}",
    ]
    learners = [name for name, order in ORDERS.items() if learns(order)]
    return [*lines, f"Strategies that learn: {', '.join(learners)}"] if learners else lines
