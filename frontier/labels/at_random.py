"""The harvest rate of a crawl, by labels of pages that were drawn at random.

Drawn are the samples with the smallest draws (`frontier/topic/samples.py`). Only pages of the crawl
count: a page that was merged with another since has no label of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from frontier.estimates import Drawn, HarvestRate, harvest_rate
from frontier.labels.label_file import read_labels
from frontier.topic.samples import EACH, draw_of, weight_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from frontier.config import CrawlConfig
    from frontier.store import UrlRow
    from frontier.store.queries import Queries


class Sampled(NamedTuple):
    """A page whose text is kept, with its weight at that time."""

    draw: float
    url_id: int
    weight: float
    row: UrlRow


def sampled_pages(crawl: Queries, relevance: Mapping[int, float]) -> list[Sampled]:
    """Return sampled pages in the order of their draws; `relevance` by id is that of the sample."""
    return sorted(
        Sampled(
            draw_of(row.fingerprint, relevance[page]),
            *(page, weight_of(relevance[page]), row),
        )
        for page, row in crawl.fetch_urls(relevance).items()
    )


def drawn_pages(crawl: Queries, sampled: Sequence[Sampled]) -> dict[Sampled, float]:
    """Return when the drawn ones among sampled pages were fetched, in Unix seconds.

    In the order of their draws; all of them where fewer than EACH are sampled.
    """
    times = ((page, crawl.fetched_at(page.url_id)) for page in sampled[:EACH])
    return {page: fetched for page, fetched in times if fetched is not None}


def labelled_rate(crawl: Queries, labels: Mapping[int, bool]) -> HarvestRate | None:
    """Return the harvest rate by labels of pages, by fingerprint, as of the last commit."""
    sampled = sampled_pages(crawl, crawl.sampled_relevance())
    drawn = [
        Drawn(page.draw, page.weight, fetched, labels.get(page.row.fingerprint))
        for page, fetched in drawn_pages(crawl, sampled).items()
    ]
    return harvest_rate(drawn, complete=len(sampled) < EACH)


def rate_of_crawl(crawl: Queries, config: CrawlConfig, directory: Path) -> HarvestRate | None:
    """Return the harvest rate by all labels in the directory of a crawl."""
    labels = {config.identify(label.url): label.wanted for label in read_labels(directory)}
    return labelled_rate(crawl, labels) if labels else None
