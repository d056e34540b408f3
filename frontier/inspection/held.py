"""What keeps a queued URL from leaving, as far as the store knows.

The reasons are those of `frontier.backend.reasons`, in their order. A running crawl knows more,
which is not stored: which hosts have room, and for which better URLs it waits.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from frontier.backend.reasons import Hold
from frontier.backend.rules.crash_suspects import is_set_aside
from frontier.backend.url_requests import REVISIT_CLASS
from frontier.formatting import number
from frontier.store.schema import DEATHS, TRAPS
from frontier.traps.budgets import Budgets
from frontier.traps.detector import place_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from frontier.inspection.resumed import Known
    from frontier.store import StoreReader


def holds(reader: StoreReader, known: Known, url_id: int, now: float) -> Iterator[tuple[Hold, str]]:
    """Yield what holds a queued URL at a time, in Unix seconds, with particulars or ""."""
    host = known.host_names[int(known.hosts[url_id])]
    for row in reader.politeness():
        seconds = (row.until or 0.0) - now
        if row.slot == host and seconds > 0:
            yield Hold.HOST, f"for {number(seconds)} seconds: {row.note}"
    if attempts := reader.attempts_without_answer(url_id):
        yield Hold.RETRY, f"requested {attempts:,} times without an answer"
    if known.classes[url_id] == REVISIT_CLASS:
        yield Hold.REVISIT, ""
    if is_set_aside(reader.settings().get(DEATHS), url_id):
        yield Hold.CRASH, ""
    spent = _spent(reader, url_id, host)
    if spent is not None:
        yield Hold.TRAP, spent


def _spent(reader: StoreReader, url_id: int, host: str) -> str | None:
    """Return which budget is spent, as last stored; None for a seed, which needs no budget."""
    row, saved = reader.fetch_urls([url_id])[url_id], reader.load_array(TRAPS)
    if row.seed or saved is None:
        return None
    state = json.loads(saved[1].tobytes())
    budgets = Budgets(state["limits"]["budget"])
    budgets.restore(state)
    return budgets.refusal(place_of(row.url, host))
