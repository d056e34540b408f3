"""Orders that remember something of every page, and the columns they keep of every URL.

What such an order remembers is a function of the page updates alone, in their order: never of the
evidence, which on resume holds pages that are told later, and never of a clock. So an order that
is given its saved state and the page updates since goes on as if it had never stopped, and so does
one without a saved state that is given all of them.

Columns that a single order needs belong to that order: a crawl does not pay for those of others.

The file that saved state comes from may be broken, so it is held against the crawl before an order
trusts it (`restore`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.arrays import Column, Columns
from ranking.errors import RankingInputError
from ranking.evidence import Evidence
from ranking.orders.base import PAGES_SEEN, Order, State
from ranking.page_update import PageUpdate


class MemoryOrder(Order):
    """An order with a state of its own, which page updates fill and no re-rank touches."""

    def page(self, update: PageUpdate, evidence: Evidence) -> None:
        self._note(without_itself(update), evidence)
        super().page(update, evidence)

    def state_arrays(self) -> State:
        return {PAGES_SEEN: np.array([self.pages_seen]), **self._state()}

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        try:
            self._restore(arrays)
            self.pages_seen = int(arrays[PAGES_SEEN][0])
        except KeyError as missing:
            raise self._foreign(arrays, missing) from None

    @abstractmethod
    def _note(self, update: PageUpdate, evidence: Evidence) -> None:
        """Remember a page; `pages_seen` does not count it yet. Links to itself are taken out.

        Of `evidence` only what was known when the first page was fetched may be read.
        """

    @abstractmethod
    def _state(self) -> State:
        """Copies of all that `_restore` needs."""

    @abstractmethod
    def _restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take over what `_state` gave; KeyError if something is not there."""


class ColumnOrder(MemoryOrder):
    """An order that keeps columns, one row an id."""

    def __init__(self, damping: float = 0.85, tol: float = 1e-4) -> None:
        super().__init__(damping, tol)
        self._columns = Columns(self._new_columns())

    @abstractmethod
    def _new_columns(self) -> dict[str, Column[Any]]:
        """Empty columns by the name under which they are saved."""

    def grow(self, n: int) -> None:
        self._columns.grow(n)

    @property
    def by_id(self) -> frozenset[str]:
        return self._columns.names

    def _state(self) -> State:
        return self._columns.state()

    def _restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        self._columns.restore(arrays)


def without_itself(update: PageUpdate) -> PageUpdate:
    """The page update without links to the page itself; the same one where there are none."""
    others = update.targets != update.page
    if others.all():
        return update
    return update._replace(
        targets=update.targets[others],
        weights=None if update.weights is None else update.weights[others],
        predicted=update.predicted[others],
        matches=update.matches[others],
    )


def restore(order: Order, arrays: Mapping[str, npt.NDArray[Any]], n: int) -> None:
    """Give a new order the state that was saved in a crawl of n ids by now.

    Raises RankingInputError where the state is another order's, or none: then the order is to be
    thrown away.
    """
    usual = order.state_arrays()
    for name, array in sorted(arrays.items()):
        wanted = array.shape if name not in usual else usual[name].shape
        # Sizes that are 0 in an order that knows nothing grow with the crawl; the others do not.
        fits = len(wanted) == array.ndim and all(
            size in (0, found) for size, found in zip(wanted, array.shape, strict=True)
        )
        fits &= name not in order.by_id or len(array) <= n
        # The least of some numbers is none if one of them is none.
        if not fits or array.dtype.kind not in "biuf" or np.isnan(array.min(initial=0)):
            raise RankingInputError(
                f"{name!r} of the saved state of {order.name!r} must be numbers of shape {wanted} "
                f"in a crawl of {n:,} URLs; got {array.dtype} of shape {array.shape}"
            )
    try:
        order.restore(arrays)
        if order.pages_seen < 0:
            raise ValueError(f"{order.pages_seen} pages seen")
    except RankingInputError:
        raise
    except (ValueError, TypeError, LookupError, OverflowError) as error:
        raise RankingInputError(f"the saved state of {order.name!r} is none: {error}") from error
