"""What the parts of a crawl have made of all its pages, left at its end for the next start.

All of it can be made anew of what is stored, as it is where nothing was left, or where it was made
for other settings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.backend.canonical_pages import CLAIMS
from frontier.backend.duplicate_pages import DUPLICATES
from frontier.duplicates.minhash import ALGORITHM
from frontier.store.url_columns import Left, UrlColumns, part

if TYPE_CHECKING:
    from frontier.backend.canonical_pages import CanonicalPages
    from frontier.backend.duplicate_pages import DuplicatePages
    from frontier.backend.ledger import UrlLedger
    from frontier.config import CrawlConfig
    from frontier.store import Loaded, Store
    from frontier.strategy.order_driver import OrderDriver
    from frontier.strategy.repeated_anchors import RepeatedAnchors

VERSION = 1
"""To be raised when a part leaves something else, or makes something else of the same pages."""
VOICES = "voices."
"""Of what is left, names of what stands for repeated anchors."""


def made_for(config: CrawlConfig, driver: OrderDriver) -> str:
    """The settings that decide what the parts make of pages; "" where nothing is to be left."""
    policy = config.duplicates
    remembered = f"{policy.remembered} {ALGORITHM}" if policy.enabled else "none"
    return driver.made_for and f"{VERSION} {driver.made_for} {remembered}"


def load_voices(voices: RepeatedAnchors, loaded: Loaded, store: Store) -> None:
    """Take up what was said in the crawl so far."""
    if loaded.left is None:
        voices.load(store.said(loaded.next_seq))
    else:
        voices.restore(part(VOICES, loaded.left))


def left(
    config: CrawlConfig,
    ledger: UrlLedger,
    driver: OrderDriver,
    voices: RepeatedAnchors,
    canonical_pages: CanonicalPages,
    duplicates: DuplicatePages,
) -> Left:
    """What is left of a crawl; of its URLs alone where a part must read the pages again."""
    evidence = driver.evidence
    urls = UrlColumns(ledger.fingerprint.array, ledger.host.array, evidence.depth, evidence.seed)
    parts = driver.arrays()
    if parts is None:
        return Left(urls)
    for prefix, arrays in (
        (VOICES, voices.arrays()),
        (CLAIMS, canonical_pages.arrays()),
        (DUPLICATES, duplicates.arrays()),
    ):
        parts |= {prefix + name: array for name, array in arrays.items()}
    return Left(urls, parts, made_for(config, driver))
