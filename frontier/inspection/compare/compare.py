"""Two crawls beside each other: what they share, what each found first, what only one found.

Both are on disk, so all pages are looked up where that is quick: always if a URL has the same
fingerprint in both, else up to EXACT_PAGES of them. Larger ones are compared by mutual samples:
pages drawn evenly from each and looked up in the other, which bounds time and memory beside
what the fingerprints take, 8 bytes a URL.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from frontier.inspection.compare.pages import NOWHERE, Fetched
from frontier.inspection.compare.records import Comparison, Crawled, Lead, Missed, Overlap
from frontier.inspection.compare.sampling import drawn, estimated, narrower, relative_size
from frontier.store import StoreReader

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frontier.inspection.reports import Figure

EXACT_PAGES = 100_000
"""So many URLs are read, hashed and looked up in some seconds."""
SAMPLE = 10_000
"""Pages drawn from each beyond that: shares are known to a percentage point."""


def compare(one: Path, other: Path, sample: int | None = None, listed: int = 5) -> Comparison:
    """Compare the crawls in two directories, finished or running.

    Args:
        one: directory of the crawl called A.
        other: of the one called B; it may be the same.
        sample: pages to draw from each, at least 1; None: all, or SAMPLE where that takes long.
        listed: how many pages each list names at most.

    Raises what `StoreReader.open` does, and StoreMissingError where no crawl has begun.
    """
    with StoreReader.open(one) as first, StoreReader.open(other) as second:
        a, b = Fetched(first), Fetched(second)
        size = _bound(a, b) if sample is None else sample
        overlaps = _overlap(a, b, size, listed), _overlap(b, a, size, listed)
        early = min(a.pages, b.pages)
        return Comparison(
            crawls=(_crawled(a, early), _crawled(b, early)),
            counted=all(side.drawn == side.pages for side in overlaps),
            shared=narrower(*(side.fetched_too for side in overlaps)),
            relative_size=relative_size(
                *((side.found, side.drawn, side.pages) for side in overlaps)
            ),
            early_pages=early,
            same_topic=_subject(a) == _subject(b),
            overlaps=overlaps,
        )


def _bound(a: Fetched, b: Fetched) -> int | None:
    """How many pages to draw; None for all."""
    if a.config.fingerprint_key == b.config.fingerprint_key:
        return None
    return None if max(a.pages, b.pages) <= EXACT_PAGES else SAMPLE


def _subject(crawl: Fetched) -> tuple[str, ...]:
    config = crawl.config
    kinds = config.examples, config.not_examples
    return config.topic, *kinds, config.topic_model, str(config.relevant)


def _crawled(crawl: Fetched, early: int) -> Crawled:
    config = crawl.config
    judged = ~np.isnan(crawl.relevance)
    relevant = crawl.relevance >= config.relevant
    return Crawled(
        directory=str(crawl.directory),
        strategy=config.strategy,
        topic=config.topic,
        examples=config.examples,
        random_seed=config.random_seed,
        pages=crawl.pages,
        known=crawl.n,
        judged=int(judged.sum()),
        relevant=int(relevant.sum()),
        relevant_from=config.relevant,
        harvest_rate=_rate(relevant, judged),
        early_harvest_rate=_rate(relevant[:early], judged[:early]),
    )


def _rate(relevant: NDArray[np.bool_], judged: NDArray[np.bool_]) -> float | None:
    return float(relevant.sum() / judged.sum()) if judged.any() else None


@dataclass(frozen=True, eq=False)
class _LookedUp:
    """Pages drawn from `total` of a crawl, and where they are in the other.

    Attributes:
        ids: (m,) in their own crawl.
        there: (m,) in the other, NOWHERE if it never met them.
        places: (m,) at which the other fetched them, NOWHERE if it did not.

    """

    total: int
    ids: NDArray[np.int64]
    there: NDArray[np.int64]
    places: NDArray[np.int64]

    @classmethod
    def of(
        cls, ids: NDArray[np.int64], own: Fetched, other: Fetched, sample: int | None
    ) -> _LookedUp:
        chosen = drawn(ids, sample)
        there = own.in_other(chosen, other)
        places = np.full(len(there), NOWHERE, np.int64)
        places[there != NOWHERE] = other.place[there[there != NOWHERE]]
        return cls(len(ids), chosen, there, places)

    @property
    def fetched(self) -> NDArray[np.bool_]:
        fetched: NDArray[np.bool_] = self.places != NOWHERE
        return fetched

    def figure(self, which: NDArray[np.bool_]) -> Figure:
        """How many of all pages are as these (m,) are."""
        return estimated(int(which.sum()), len(self.ids), self.total)


def _overlap(own: Fetched, other: Fetched, sample: int | None, listed: int) -> Overlap:
    pages = _LookedUp.of(own.ids, own, other, sample)
    relevant = _LookedUp.of(own.ids[own.relevant(own.ids)], own, other, sample)
    lead = np.where(pages.fetched, pages.places - own.place[pages.ids], 0)
    alike = relevant.fetched.copy()
    alike[alike] = other.relevant(relevant.there[alike])
    return Overlap(
        pages=pages.total,
        drawn=len(pages.ids),
        found=int(pages.fetched.sum()),
        fetched_too=pages.figure(pages.fetched),
        earlier=pages.figure(lead > 0),
        later=pages.figure(lead < 0),
        known_only=pages.figure((pages.there != NOWHERE) & ~pages.fetched),
        never_met=pages.figure(pages.there == NOWHERE),
        relevant=relevant.total,
        relevant_drawn=len(relevant.ids),
        relevant_too=relevant.figure(alike),
        judged_otherwise=relevant.figure(relevant.fetched & ~alike),
        relevant_missed=relevant.figure(~relevant.fetched),
        leads=_leads(own, pages.ids, lead, listed),
        missed=_missed(own, relevant, listed),
    )


def _leads(
    own: Fetched, ids: NDArray[np.int64], lead: NDArray[np.int64], listed: int
) -> tuple[Lead, ...]:
    order = np.lexsort((own.place[ids], -lead))[:listed]
    order = order[lead[order] > 0]
    places = own.place[ids[order]] + 1
    rows = zip(own.urls(ids[order]), places.tolist(), (places + lead[order]).tolist(), strict=True)
    return tuple(Lead(*row) for row in rows)


def _missed(own: Fetched, relevant: _LookedUp, listed: int) -> tuple[Missed, ...]:
    at = np.flatnonzero(~relevant.fetched)
    places = own.place[relevant.ids[at]]
    at = at[np.lexsort((places, -own.relevance[places]))[:listed]]
    ids, met = relevant.ids[at], relevant.there[at] != NOWHERE
    return tuple(
        Missed(
            url=url,
            title=own.title(url_id),
            relevance=float(own.relevance[own.place[url_id]]),
            place=int(own.place[url_id]) + 1,
            known=known,
        )
        for url, url_id, known in zip(own.urls(ids), ids.tolist(), met.tolist(), strict=True)
    )
