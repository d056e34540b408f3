"""Parameters of tests that every crawl order must pass."""

from __future__ import annotations

import pytest

from ranking.orders import ORDERS

all_orders = pytest.mark.parametrize("name", ORDERS)
re_ranked = pytest.mark.parametrize(
    "name", [name for name, order in ORDERS.items() if order.uses_links]
)
