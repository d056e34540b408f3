"""The politeness of one crawl: its limits from Scrapy's settings, what it knows from the store."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from frontier.plugin.settings import POLITENESS, values
from frontier.politeness import HostWish, Limits, PolitenessPolicy

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from frontier.store import Store


def limits_from(settings: BaseSettings) -> Limits:
    """Read the limits; raises SettingsError for a value that is none."""
    return Limits(**values(settings, POLITENESS))


def remembered(settings: BaseSettings, store: Store) -> PolitenessPolicy:
    """Return what a crawl knows of its hosts: what earlier runs of it have noted."""
    politeness = PolitenessPolicy(limits_from(settings))
    now = time.time()
    for row in store.politeness():
        seconds = max(0.0, (row.until or 0.0) - now)
        politeness.restore(HostWish(row.slot, seconds, row.delay or 0.0, row.note or ""))
    return politeness


def keep(politeness: PolitenessPolicy, store: Store) -> None:
    """Write down what has changed, with the next commit."""
    for wish in politeness.take_changed():
        if wish.seconds or wish.delay:
            until = time.time() + wish.seconds
            store.set_politeness(wish.slot, until, wish.delay, wish.note)
        else:
            store.drop_politeness(wish.slot)
