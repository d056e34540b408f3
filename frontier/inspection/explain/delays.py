"""What decides beside its priority when a queued URL is fetched: host, failures, older scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from frontier.backend.deaths import is_set_aside
from frontier.inspection.formatting import number
from frontier.store.keys import DEATHS

if TYPE_CHECKING:
    from frontier.inspection.explain.rank import Queue
    from frontier.inspection.resumed import Known
    from frontier.store import StoreReader


def circumstances(reader: StoreReader, known: Known, queue: Queue, url_id: int) -> list[str]:
    """Say in sentences what else there is to a queued URL; empty if nothing."""
    return [
        *_of_host(known, queue, url_id),
        *_deaths(reader, url_id),
        *_failures(reader.attempts_without_answer(url_id)),
        *_lift(known, url_id),
    ]


def _of_host(known: Known, queue: Queue, url_id: int) -> list[str]:
    own = queue.of_host(int(known.hosts[url_id]))
    if len(own) == len(queue):
        return []
    host = known.host_names[known.hosts[url_id]]
    if len(own) == 1:
        return [f"It is the only one queued for the host {host}."]
    return [f"It is number {own.rank(url_id):,} of the {len(own):,} queued for the host {host}."]


def _deaths(reader: StoreReader, url_id: int) -> list[str]:
    row = reader.url_row(url_id)
    if row is None or not is_set_aside(reader.settings().get(DEATHS), row.fingerprint):
        return []
    return [
        "It was in flight each time the process died: it is fetched when nothing else is left, and "
        "alone (FRONTIER_DEATHS)."
    ]


def _failures(attempts: int) -> list[str]:
    if not attempts:
        return []
    times = "once" if attempts == 1 else f"{attempts:,} times"
    return [
        f"It was handed out {times} without an answer and is tried again, after up to "
        f"FRONTIER_RETRY_HOLD others."
    ]


def _lift(known: Known, url_id: int) -> list[str]:
    ids, driver = np.array([url_id]), known.driver
    alone = float(driver.order.priority(ids, driver.evidence)[0])
    lifted = float(driver.trusting(ids)[0])
    if lifted == alone:
        return []
    return [
        f"Scores of an earlier crawl (FRONTIER_SCORES) lift its priority from {number(alone)} to "
        f"{number(lifted)}."
    ]
