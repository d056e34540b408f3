"""Pages that a crawl has drawn at random, what people said of them, and what that says of it all.

Drawn are the samples with the smallest draws (`frontier/topic/samples.py`), of which those that are
still pages of the crawl count: one that was merged with another since has no label of its own.
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
    """A page whose text is kept, with the weight it had when it drew."""

    draw: float
    url_id: int
    weight: float
    row: UrlRow


def sampled_pages(crawl: Queries, relevance: Mapping[int, float]) -> list[Sampled]:
    """Return pages, by id with the relevance they had when kept, in the order of their draws."""
    return sorted(
        Sampled(
            draw_of(row.fingerprint, relevance[page]),
            *(page, weight_of(relevance[page]), row),
        )
        for page, row in crawl.fetch_urls(relevance).items()
    )


def drawn_pages(crawl: Queries, sampled: Sequence[Sampled]) -> dict[Sampled, float]:
    """Return when those among sampled pages that were drawn were fetched, in Unix seconds.

    In the order of their draws. They are all there are where fewer than EACH are sampled.
    """
    times = ((page, crawl.fetched_at(page.url_id)) for page in sampled[:EACH])
    return {page: fetched for page, fetched in times if fetched is not None}


def labelled_rate(crawl: Queries, said: Mapping[int, bool]) -> HarvestRate | None:
    """Return the harvest rate by what was said of pages, by fingerprint, as of the last commit."""
    sampled = sampled_pages(crawl, crawl.sampled_relevance())
    drawn = [
        Drawn(page.draw, page.weight, fetched, said.get(page.row.fingerprint))
        for page, fetched in drawn_pages(crawl, sampled).items()
    ]
    return harvest_rate(drawn, complete=len(sampled) < EACH)


def rate_of_crawl(crawl: Queries, config: CrawlConfig, directory: Path) -> HarvestRate | None:
    """Return the harvest rate by the labels in the directory of a crawl, heard by it or not."""
    said = {config.identify(label.url): label.wanted for label in read_labels(directory)}
    return labelled_rate(crawl, said) if said else None
