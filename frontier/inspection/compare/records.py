"""What is told of two crawls beside each other, as records that JSON can say.

Counts of pages are figures: exact (three equal numbers) where all pages were looked up in the other
crawl, else estimated from pages drawn evenly. Places count fetched pages from 1.
"""

from __future__ import annotations

from dataclasses import dataclass

from frontier.inspection.reports import Figure, Report


@dataclass(frozen=True)
class Crawled(Report):
    """One of the two in numbers.

    `relevant` counts the `judged` pages of at least `relevant_from`, `harvest_rate` is their
    quotient, `early_harvest_rate` that of the pages both crawls have been long enough to fetch.
    """

    directory: str
    strategy: str
    topic: str
    examples: str
    random_seed: int
    pages: int
    known: int
    judged: int
    relevant: int
    relevant_from: float
    harvest_rate: float | None
    early_harvest_rate: float | None


@dataclass(frozen=True)
class Lead(Report):
    """A page that one crawl fetched at an earlier place than the other."""

    url: str
    place: int
    other_place: int


@dataclass(frozen=True)
class Missed(Report):
    """A relevant page that the other crawl did not fetch; `known` if at least it met the URL."""

    url: str
    title: str | None
    relevance: float
    place: int
    known: bool


@dataclass(frozen=True)
class Overlap(Report):
    """The pages of one crawl, looked up in the other.

    Attributes:
        drawn: how many of `pages` were looked up.
        found: how many of those drawn the other fetched.
        fetched_too: the other fetched them; of these, those it fetched at a later place are
            `earlier` here, those it fetched at an earlier one `later`.
        known_only: the other knows the URL and has no page of it.
        never_met: the other does not know the URL.
        relevant_drawn: how many of the `relevant` pages were looked up, drawn for themselves.
        relevant_too: the other fetched them and found them relevant.
        judged_otherwise: the other fetched them and did not.
        relevant_missed: the other did not fetch them.
        leads: those with the longest lead, longest first.
        missed: the most relevant ones that the other did not fetch.

    """

    pages: int
    drawn: int
    found: int
    fetched_too: Figure
    earlier: Figure
    later: Figure
    known_only: Figure
    never_met: Figure
    relevant: int
    relevant_drawn: int
    relevant_too: Figure
    judged_otherwise: Figure
    relevant_missed: Figure
    leads: tuple[Lead, ...]
    missed: tuple[Missed, ...]


@dataclass(frozen=True)
class Comparison(Report):
    """Two crawls, A and B.

    Attributes:
        crawls: A, B.
        counted: every page was looked up; no figure is an estimate.
        shared: pages that both fetched.
        relative_size: pages of A by pages of B, from mutual samples; None if these share none.
        early_pages: over how many pages the early harvest rates are.
        same_topic: what is relevant means the same in both.
        overlaps: pages of A in B, pages of B in A.

    """

    crawls: tuple[Crawled, Crawled]
    counted: bool
    shared: Figure
    relative_size: Figure | None
    early_pages: int
    same_topic: bool
    overlaps: tuple[Overlap, Overlap]
