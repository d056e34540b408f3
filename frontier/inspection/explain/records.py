"""Why a URL has its place, as records that JSON can say; what is unknown is None.

Relevance, similarity, promise and cues lie in [0, 1]. A rank counts from 1 and is 1 + the number of
URLs that come first.
"""

from __future__ import annotations

from dataclasses import dataclass

from frontier.inspection.reports import Report


@dataclass(frozen=True)
class Part(Report):
    """One thing that makes a priority what it is, in words.

    `value` is what it adds to the priority where the order tells that (`Explanation.parts_add`),
    else a number that the order's formula reads. `usual` is what the same adds to the priority of
    a URL in the frontier on average; None for a hand-out, and for what does not add.
    """

    words: str
    value: float | None
    usual: float | None = None

    @property
    def telling(self) -> float:
        """How far it sets the URL apart, >= 0."""
        return abs((self.value or 0.0) - (self.usual or 0.0))


@dataclass(frozen=True)
class Carrier(Report):
    """A link to the URL and what it carries.

    Attributes:
        carries: share of all links to the URL, the mean of its shares in what is known of them:
            relevance of the linking page, words of the link, link score handed over.
        relevance, similarity: of the linking page.
        promise: of the link.
        anchor_cue, context_cue, address_cue: how far the words of the link, those around it and
            those of its URL are the topic's.
        score_share: part of the link score that all links hand to the URL.
        repeated: whether its host had said the same of the URL before; then its words count
            no more.
        topical: whether its words make it weigh more in the link graph.
        anchor, context: the words themselves; None without, and where they were not kept.
        topic_words: those that count for the topic; their values add up to the odds of the promise
            by what the topic model knows now, promise / (1 - promise).

    """

    url: str
    title: str | None
    carries: float
    relevance: float | None
    similarity: float | None
    promise: float | None
    anchor_cue: float | None
    context_cue: float | None
    address_cue: float | None
    score_share: float | None
    nofollow: bool
    redirect: bool
    repeated: bool
    topical: bool
    anchor: str | None
    context: str | None
    topic_words: tuple[Part, ...] = ()


@dataclass(frozen=True)
class Neighbour(Report):
    """A queued URL that stands near the one asked about; `place` is its rank."""

    place: int
    url: str
    priority: float | None


@dataclass(frozen=True)
class Explanation(Report):
    """Why a URL has its place, or has none.

    Attributes:
        state: of the URL; "unknown" if the crawl never met it.
        why: sentences that say where it stands and why it is not elsewhere.
        topic_words: of a fetched page whose text is kept, those that count for the topic by what
            the default topic model knows now; values that add up to 1 are a relevance of .5.
        strategy, formula: of the crawl.
        priority: of now for what waits, of the last hand-out for what does not.
        priority_class: Scrapy's, which stands above every priority.
        rank: in the frontier now, or when it was handed out last.
        queued: URLs in the frontier now.
        handout: number of the last hand-out.
        parts: of the priority; where they add up, those that set the URL apart most come first.
        parts_add: whether their values add up to the priority; else they are what the formula
            reads.
        parts_then: whether they are of the last hand-out; else they are of now. What a learning
            order knew of the URL then is weighed by what it has learned until now.
        score: link score now.
        score_before, score_after: link score just before the last re-rank and by it, without what
            pages handed on since; None where they are not on record.
        score_then: link score at the last hand-out.
        epoch: number of re-ranks so far.
        links: pages that link to it.
        links_then: how many of these links counted for its place.
        carriers: those that carry most.
        ahead, behind: what stands next to it in the frontier, nearest first.

    """

    url: str
    state: str
    why: tuple[str, ...]
    strategy: str
    formula: str
    priority: float | None = None
    priority_class: int = 0
    rank: int | None = None
    queued: int = 0
    handout: int | None = None
    parts: tuple[Part, ...] = ()
    parts_add: bool = False
    parts_then: bool = False
    score: float | None = None
    score_before: float | None = None
    score_after: float | None = None
    score_then: float | None = None
    epoch: int = 0
    links: int = 0
    links_then: int = 0
    carriers: tuple[Carrier, ...] = ()
    ahead: tuple[Neighbour, ...] = ()
    behind: tuple[Neighbour, ...] = ()
    topic_words: tuple[Part, ...] = ()
