"""What distrust has to do with the place of a URL, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.inspection.formatting import number
from frontier.states import State
from frontier.store.keys import IDENTITY
from frontier.strategy.distrust import SUSPECT

if TYPE_CHECKING:
    from frontier.inspection.resumed import Known
    from frontier.store import StoreReader
    from frontier.strategy.distrust import Distrust


def of_trust(reader: StoreReader, known: Known, url_id: int) -> list[str]:
    """Say who is suspect; empty in a crawl that distrusts nobody."""
    file = (reader.settings().get(IDENTITY) or {}).get("distrust")
    if not file:
        return []
    distrust = known.driver.distrust
    if not distrust.enabled:
        return [
            f"Whether it is suspect is not known: {file}, the file of FRONTIER_DISTRUST, cannot "
            f"be read from here."
        ]
    if distrust.is_bad(url_id):
        return [f"It is marked bad in {file} (FRONTIER_DISTRUST), so it is not fetched."]
    if known.states[url_id] == State.QUEUED:
        return [] if known.driver.evidence.seed[url_id] else _waiting(distrust, url_id)
    return _suspicion(distrust.suspicion(url_id))


def _suspicion(suspicion: float) -> list[str]:
    if not suspicion:
        return []
    own = f"Its suspicion is {number(suspicion)}, the share of its links that lead to bad pages"
    if suspicion < SUSPECT:
        return [f"{own}; it would be suspect from {number(SUSPECT)} on."]
    return [f"{own}: it is suspect, so its outgoing links carry no weight."]


def _waiting(distrust: Distrust, url_id: int) -> list[str]:
    said = []
    if distrust.is_led_to_by_suspects(url_id):
        said.append("Suspect pages alone have led to it")
    if distrust.is_among_bad(url_id):
        said.append("At least half of what is known of its host is marked bad")
    return [f"{one}, so it waits until nothing else is left." for one in said]
