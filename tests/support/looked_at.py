"""Crawls whose pages were looked at again, written as a crawl that refreshes writes them."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from frontier.records import Look
from frontier.refresh.changes import with_look
from frontier.refresh.policy import RefreshPolicy
from frontier.states import Change
from frontier.store import Store
from frontier.store.schema import PARAMETERS
from tests.support.driven_crawl import FETCHED, small_crawl

DAY = 86400.0
START = FETCHED - 10 * DAY
_CHANGES = (Change.CHANGED, Change.GONE, Change.MOVED)
Past = tuple[float, int | None, Change]
"""Days after START, status and change of a look."""


def looked(url_id: int, *past: Past, rated: float = 0.0, **more: Any) -> Look:
    """A page with these looks, of which the first is its first fetch; others begin from it."""
    history = b""
    for day, status, change in past:
        history = with_look(history, START + day * DAY, status, change)
    answered = [(START + day * DAY, change) for day, status, change in past if status]
    changed = [at for at, change in answered if change in _CHANGES]
    values: dict[str, Any] = {
        "first": START + past[0][0] * DAY,
        "last": answered[-1][0],
        "changed": changed[-1] if changed else None,
        "looks": len(answered) - 1,
        "changes": len(changed),
        "status": past[-1][1],
        "found": past[-1][2],
        "history": history,
    }
    unset = dict.fromkeys(("share", "signalled", "etag", "modified", "blocks", "request"))
    return Look(url_id=url_id, rated=rated, lied=0, **(unset | values | more))


def looked_crawl(directory: Path, *looks: Look, way: str = "auto", **config: Any) -> Path:
    """The small crawl, closed, as if it had gone on with FRONTIER_REFRESH and these looks."""
    small_crawl(directory, **config).close()
    with Store.open(directory) as store:
        refresh = {"refresh": asdict(RefreshPolicy(way))}
        store.set_setting(PARAMETERS, store.settings()[PARAMETERS] | refresh)
        for look in looks:
            store.keep_look(look)
        store.commit()
    return directory
