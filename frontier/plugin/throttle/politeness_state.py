"""The politeness of one crawl: its limits from Scrapy's settings, what it knows from the store."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol

from frontier.plugin.settings.declare import values
from frontier.plugin.settings.politeness import LIMITS
from frontier.politeness import HostWish, Limits, PolitenessPolicy

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from frontier.store.policy_tables import PolitenessRow


class PolitenessStore(Protocol):
    """Where the wishes of hosts are kept, see `frontier.store`."""

    def politeness(self) -> list[PolitenessRow]: ...

    def set_politeness(
        self, slot: str, until: float | None, delay: float | None, note: str | None = None
    ) -> None: ...

    def drop_politeness(self, slot: str) -> None: ...


def limits_from(settings: BaseSettings) -> Limits:
    """Read the limits; raises SettingsError for a value that is none."""
    return Limits(**values(settings, LIMITS))


def remembered(settings: BaseSettings, notes: PolitenessStore) -> PolitenessPolicy:
    """Return what a crawl knows of its hosts: what earlier runs of it have noted."""
    manners = PolitenessPolicy(limits_from(settings), settings.getint("CONCURRENT_REQUESTS"))
    now = time.time()
    for row in notes.politeness():
        seconds = max(0.0, (row.until or 0.0) - now)
        manners.restore(HostWish(row.slot, seconds, row.delay or 0.0, row.note or ""))
    return manners


def keep(manners: PolitenessPolicy, notes: PolitenessStore) -> None:
    """Write down what has changed, with the next commit."""
    for wish in manners.take_changed():
        if wish.seconds or wish.delay:
            until = time.time() + wish.seconds
            notes.set_politeness(wish.slot, until, wish.delay, wish.note)
        else:
            notes.drop_politeness(wish.slot)
