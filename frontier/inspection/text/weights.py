"""What an order has learned, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.inspection.explain.weights import learns
from frontier.inspection.formatting import table
from ranking.orders import ORDERS

if TYPE_CHECKING:
    from frontier.inspection.explain.weights import Learned, LearnedWeight

SURE = 2
"""Standard deviations from 0 from which a weight is more than noise."""


def weights_text(said: Learned) -> list[str]:
    """Lines of `scrapy frontier weights`."""
    if not said.learns:
        return [*_fixed(said), *_table(said)]
    return [
        _title(said),
        *_table(said),
        "",
        "± is the standard deviation of a weight; one within two of them of 0 is undecided.",
    ]


def _table(said: Learned) -> list[str]:
    if not said.weights:
        return []
    head = "weight", "±", "speaks", "what is known of a URL"
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
