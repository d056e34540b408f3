"""The crawl order that learns which evidence pays on the web it is on."""

from __future__ import annotations

from ranking.orders.apprentice.order import Apprentice
from ranking.orders.apprentice.variants import (
    ApprenticeNoLinks,
    ApprenticeNoWords,
    ApprenticeNoYield,
    FixedWeights,
)

__all__ = [
    "Apprentice",
    "ApprenticeNoLinks",
    "ApprenticeNoWords",
    "ApprenticeNoYield",
    "FixedWeights",
]
