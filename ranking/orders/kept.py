"""Saved state is held against the crawl before an order trusts it.

The file it comes from may be broken, or be put together of what was left of one. An order itself
looks only whether everything is there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.errors import RankingInputError
from ranking.orders.base import Order


def restore(order: Order, arrays: Mapping[str, npt.NDArray[Any]], n: int) -> None:
    """Give a new order the state that was saved in a crawl of n ids by now.

    Raises RankingInputError where the state is another order's, or none: then the order is to be
    thrown away.
    """
    usual = order.state_arrays()
    for name, array in sorted(arrays.items()):
        fault = _misfit(array, usual.get(name))
        if name in order.by_id:
            fault = fault or _too_much(array, n)
        if fault is not None:
            raise RankingInputError(f"{name!r} of the saved state of {order.name!r} {fault}")
    try:
        order.restore(arrays)
        if order.pages_seen < 0:
            raise ValueError(f"{order.pages_seen} pages seen")
    except RankingInputError:
        raise
    except (ValueError, TypeError, LookupError, OverflowError) as error:
        raise RankingInputError(f"the saved state of {order.name!r} is none: {error}") from error


def _misfit(array: npt.NDArray[Any], usual: npt.NDArray[Any] | None) -> str | None:
    """What is wrong with an array, beside that of an order that knows nothing yet.

    Sizes that are 0 there grow with the crawl; the others do not.
    """
    # The least of some numbers is none if one of them is none.
    if array.dtype.kind not in "biuf" or np.isnan(array.min(initial=0)):
        return "holds what is no number"
    wanted = array.shape if usual is None else usual.shape
    if len(wanted) != array.ndim or any(
        size not in (0, found) for size, found in zip(wanted, array.shape, strict=True)
    ):
        return f"has shape {array.shape} where {wanted} was expected"
    return None


def _too_much(array: npt.NDArray[Any], n: int) -> str | None:
    """What is wrong with an array of one value an id, in a crawl of n ids."""
    return f"has {len(array):,} entries for {n:,} URLs" if len(array) > n else None
