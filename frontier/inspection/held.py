"""What keeps a queued URL from leaving, as far as the file of its crawl tells.

The reasons are those of `frontier.backend.reasons`, in their order. A running crawl knows more:
which hosts have room, and for which better URLs it waits; that is in no file.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

from frontier.backend.crash_suspects import is_set_aside
from frontier.backend.ledger import LOOK_CLASS
from frontier.backend.reasons import Hold
from frontier.formatting import number
from frontier.store.schema import DEATHS, TRAPS
from frontier.traps.budgets import Budgets
from frontier.traps.detector import place_of

if TYPE_CHECKING:
    from frontier.inspection.resumed import Known
    from frontier.store import StoreReader


class QueuedUrl(NamedTuple):
    """A URL that waits, and where to read of it; `now` in Unix seconds."""

    reader: StoreReader
    known: Known
    url_id: int
    now: float

    @property
    def host(self) -> str:
        """Its download slot."""
        return self.known.host_names[int(self.known.hosts[self.url_id])]


def holds(queued: QueuedUrl) -> dict[Hold, str]:
    """Return what holds a URL, with particulars, in the order in which it is asked."""
    found = ((hold, tells(queued)) for hold, tells in _TOLD)
    return {hold: particulars for hold, particulars in found if particulars is not None}


def _host(queued: QueuedUrl) -> str | None:
    for row in queued.reader.politeness():
        if row.slot == queued.host and (row.until or 0.0) > queued.now:
            wants = f": {row.note}" if row.note else ""
            return f"for {number((row.until or 0.0) - queued.now)} seconds{wants}"
    return None


def _retry(queued: QueuedUrl) -> str | None:
    attempts = queued.reader.attempts_without_answer(queued.url_id)
    return f"requested {attempts:,} times without an answer" if attempts else None


def _revisit(queued: QueuedUrl) -> str | None:
    return "" if queued.known.classes[queued.url_id] == LOOK_CLASS else None


def _crash(queued: QueuedUrl) -> str | None:
    return "" if is_set_aside(queued.reader.settings().get(DEATHS), queued.url_id) else None


def _trap(queued: QueuedUrl) -> str | None:
    row, saved = queued.reader.fetch_urls([queued.url_id])[queued.url_id], None
    if not row.seed:
        saved = queued.reader.load_array(TRAPS)
    if saved is None:
        return None
    state = json.loads(saved[1].tobytes())
    budgets = Budgets(state["limits"]["budget"])
    budgets.restore(state)
    return budgets.refusal(place_of(row.url, queued.host))


_TOLD: Final[tuple[tuple[Hold, Callable[[QueuedUrl], str | None]], ...]] = (
    (Hold.HOST, _host),
    (Hold.RETRY, _retry),
    (Hold.REVISIT, _revisit),
    (Hold.CRASH, _crash),
    (Hold.TRAP, _trap),
)
