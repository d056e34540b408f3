"""Crawls whose pages were revisited, written as a crawl that refreshes writes them."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from frontier.records import RevisitRow
from frontier.refresh.changes import with_revisit
from frontier.refresh.policy import RefreshPolicy
from frontier.states import Change
from frontier.store import Store
from frontier.store.schema import PARAMETERS
from tests.support.driven_crawl import FETCHED, small_crawl

DAY = 86400.0
START = FETCHED - 10 * DAY
_CHANGES = (Change.CHANGED, Change.GONE, Change.MOVED)
Past = tuple[float, int | None, Change]
"""Days after START, status and change of a revisit."""


def revisited(url_id: int, *past: Past, rated: float = 0.0, **more: Any) -> RevisitRow:
    """A page with these revisits, of which the first is its first fetch; others begin from it."""
    history = b""
    for day, status, change in past:
        history = with_revisit(history, START + day * DAY, status, change)
    answered = [(START + day * DAY, change) for day, status, change in past if status]
    changed = [at for at, change in answered if change in _CHANGES]
    values: dict[str, Any] = {
        "first": START + past[0][0] * DAY,
        "last": answered[-1][0],
        "changed": changed[-1] if changed else None,
        "revisits": len(answered) - 1,
        "changes": len(changed),
        "status": past[-1][1],
        "result": past[-1][2],
        "history": history,
    }
    unset = dict.fromkeys(("share", "signalled", "etag", "modified", "blocks", "request"))
    return RevisitRow(url_id=url_id, rated=rated, lied=0, **(unset | values | more))


def revisited_crawl(
    directory: Path, *revisits: RevisitRow, way: str = "auto", **config: Any
) -> Path:
    """The small crawl, closed, as if it had gone on with FRONTIER_REFRESH and these revisits."""
    small_crawl(directory, **config).close()
    with Store.open(directory) as store:
        refresh = {"refresh": asdict(RefreshPolicy(way))}
        store.set_setting(PARAMETERS, store.settings()[PARAMETERS] | refresh)
        for revisit in revisits:
            store.keep_revisit(revisit)
        store.commit()
    return directory
