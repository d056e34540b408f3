"""Orders with a state that is saved, and the columns that some of them keep of every URL.

What an order remembers of pages is a function of the page updates alone, in their order: never of
the evidence, which on resume holds pages whose updates come later, and never of a clock. So an
order with its saved state and the page updates since goes on as if it had never stopped, and so
does an order without saved state and all page updates.

Columns that a single order needs belong to that order: a crawl does not pay for those of others.

The file of the saved state may be broken, so `restore` compares the state with the crawl before an
order trusts it.
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


class SavedOrder(Order):
    """An order with a state that is saved with the crawl: columns, one row an id, and more."""

    def __init__(self, damping: float = 0.85, tol: float = 1e-4) -> None:
        super().__init__(damping, tol)
        self._columns = Columns(self._new_columns())

    def _new_columns(self) -> dict[str, Column[Any]]:
        """Empty columns by the name under which they are saved."""
        return {}

    @property
    def _pages_saved(self) -> int:
        """Number of page updates that `_state` holds."""
        return self.pages_seen

    def grow(self, n: int) -> None:
        self._columns.grow(n)

    @property
    def by_id(self) -> frozenset[str]:
        return self._columns.names

    def state_arrays(self) -> State:
        return {PAGES_SEEN: np.array([self._pages_saved]), **self._state()}

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        try:
            self._restore(arrays)
            self.pages_seen = int(arrays[PAGES_SEEN][0])
        except KeyError as missing:
            raise RankingInputError(
                f"the saved state of order {self.name!r} must hold {missing}, it holds "
                f"{sorted(arrays)}; was it saved by another order?"
            ) from None

    def _state(self) -> State:
        """Copies of all that `_restore` needs."""
        return self._columns.state()

    def _restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take over what `_state` gave; KeyError if something is not there."""
        self._columns.restore(arrays)


class ColumnOrder(SavedOrder):
    """An order whose state is filled by page updates, and that no re-rank touches."""

    def page(self, update: PageUpdate, evidence: Evidence) -> None:
        self._note(without_itself(update), evidence)
        super().page(update, evidence)

    @abstractmethod
    def _note(self, update: PageUpdate, evidence: Evidence) -> None:
        """Remember a page; `pages_seen` does not count it yet. Links to itself are left out.

        Of `evidence` only what was known when the first page was fetched may be read.
        """


def without_itself(update: PageUpdate) -> PageUpdate:
    """The page update without links to the page itself; unchanged if there are none."""
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

    Raises RankingInputError where the state is another order's, or damaged; then the order must not
    be used.
    """
    usual = order.state_arrays()
    for name, array in sorted(arrays.items()):
        wanted = array.shape if name not in usual else usual[name].shape
        # Sizes that are 0 in an order that knows nothing grow with the crawl; the others do not.
        fits = len(wanted) == array.ndim and all(
            size in (0, got) for size, got in zip(wanted, array.shape, strict=True)
        )
        fits &= name not in order.by_id or len(array) <= n
        # The minimum of an array with a NaN is NaN.
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
        raise RankingInputError(f"the saved state of {order.name!r} is damaged: {error}") from error
