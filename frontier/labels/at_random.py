"""Pages that a crawl has drawn at random, what people said of them, and what that says of it all.

They are those of the random half of the samples (`frontier/topic/samples.py`) that are still pages
of the crawl: one that was merged with another since has no label of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from frontier.estimates.harvest_rate import Drawn, HarvestRate, harvest_rate
from frontier.labels.label_file import read_labels
from frontier.topic.samples import drawn

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from frontier.config import CrawlConfig
    from frontier.store.queries import Queries


class DrawnPage(NamedTuple):
    """A page by id and fingerprint, and when it was fetched, in Unix seconds."""

    url_id: int
    fingerprint: int
    fetched: float


def drawn_pages(crawl: Queries) -> Iterator[DrawnPage]:
    """Yield the pages in the order of their lots, as of the last commit."""
    fingerprints = {
        page: row.fingerprint for page, row in crawl.fetch_urls(crawl.sampled_ids()).items()
    }
    for page in drawn(fingerprints):
        fetched = crawl.fetched_at(page)
        if fetched is not None:
            yield DrawnPage(page, fingerprints[page], fetched)


def labelled_rate(crawl: Queries, said: Mapping[int, bool]) -> HarvestRate | None:
    """Return the harvest rate by what was said of pages, by fingerprint."""
    return harvest_rate(
        Drawn(page.fetched, said.get(page.fingerprint)) for page in drawn_pages(crawl)
    )


def rate_of_crawl(crawl: Queries, config: CrawlConfig, directory: Path) -> HarvestRate | None:
    """Return the harvest rate by the labels in the directory of a crawl, heard by it or not."""
    said = {config.identify(one.url): one.wanted for one in read_labels(directory)}
    return labelled_rate(crawl, said) if said else None
