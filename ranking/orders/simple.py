"""Orders without link analysis: bfs, random; fc-mean; and best-first, anchor-parent, shark.

Soft focus (fc-mean) takes a URL for what the pages that link to it are worth on average. The
average is smoothed with the mean relevance m of the crawl, and m moves with every page. Priorities
that were computed at different times must be comparable, so m is taken anew at fixed page counts
only, when all that is queued is priced again.

The last three go by the best of the links to a URL. In shark search a page about the topic passes
on a part of its similarity, any other page the same part of what it inherited itself. So a few
pages that are not about the topic can be crossed on the way to relevant ones, at a price that grows
with each: this is the classic bounded tunnelling.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.arrays import Column, FloatArray
from ranking.evidence import Evidence
from ranking.orders.base import Order, Repricing, State
from ranking.orders.memory import ColumnOrder
from ranking.page_update import ANCHOR, CONTEXT, MATCH_STEPS, PageUpdate
from ranking.priority import PRIOR_PAGES, Ids

MEAN_PARTS = 20
"""m is taken anew when a crawl has grown by one part in so many, so that the cost a page stays
bounded."""


class Bfs(Order):
    """First discovered, first fetched; ids are numbered by discovery."""

    name = "bfs"
    summary = "Breadth first: the URL discovered first."
    source = "Najork and Wiener 2001, Breadth-first crawling yields high-quality pages"
    formula = "−id(v)"
    when = (
        "For whole sites, for mirrors, or when nothing is known: it needs no topic and is hard to "
        "lead astray. On a topic it pays only as long as the pages around the seeds do."
    )

    def value(self, ids: Ids, evidence: Evidence) -> FloatArray:
        return -ids.astype(np.float64)


class RandomOrder(Order):
    """Equal priorities, so that the queue's ties decide: a hash of the URL, keyed by the seed.

    The same random seed gives the same order, another one an independent order.
    """

    name = "random"
    summary = "Any URL: shuffled by a hash of the URL that depends on `FRONTIER_RANDOM_SEED`."
    source = "practice; the baseline of Cho, Garcia-Molina, Page 1998"
    formula = "0; of equal priorities the smallest keyed fingerprint goes first"
    when = (
        "As a baseline, or to sample what the links found so far lead to without favouring what "
        "was found early. Every strategy worth its name must beat it."
    )

    def value(self, ids: Ids, evidence: Evidence) -> FloatArray:
        return np.zeros(len(ids))


class FcMean(ColumnOrder):
    """The average is drawn to m as long as few pages speak."""

    name = "fc-mean"
    summary = "The URL whose linking pages are the most relevant on average."
    source = "Chakrabarti, van den Berg, Dom 1999, with the mean in place of the maximum"
    formula = f"(Σ rel(u) + {PRIOR_PAGES}m) / (n(v) + {PRIOR_PAGES})"
    when = (
        "The simplest strategy that does well where pages on a topic link to one another, as in "
        "an encyclopedia. Fails where a site's menu links everything to everything, and where "
        "link texts tell more than pages do."
    )
    uses_topic = True

    def __init__(self, damping: float = 0.85, tol: float = 1e-4) -> None:
        super().__init__(damping, tol)
        self._sum = self._mean = 0.0
        self._taken = self._due = 0  # pages at which m was taken and is to be taken anew

    def _note(self, update: PageUpdate, evidence: Evidence) -> None:
        self._sum += update.relevance
        pages = self.pages_seen + 1
        if pages >= self._due:
            self._mean, self._taken = self._sum / pages, pages
            self._due = pages + max(1, pages // MEAN_PARTS)

    def repricing(self, pages: int, queued: int) -> Repricing:
        return Repricing.ALL if self._taken == self.pages_seen else Repricing.NONE

    def contributions(self, ids: npt.ArrayLike, evidence: Evidence) -> dict[str, FloatArray]:
        array = np.asarray(ids)
        speakers = evidence.in_links[array] + PRIOR_PAGES
        return {
            "relevance of the linking pages": np.asarray(evidence.parent_sum[array] / speakers),
            "the average of the crawl": PRIOR_PAGES * self._mean / speakers,
        }

    def value(self, ids: Ids, evidence: Evidence) -> FloatArray:
        known = evidence.parent_sum[ids] + PRIOR_PAGES * self._mean
        return np.asarray(known / (evidence.in_links[ids] + PRIOR_PAGES), np.float64)

    def _state(self) -> State:
        return {"mean": np.array([self._sum, self._mean, self._taken, self._due])}

    def _restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        self._sum, self._mean, taken, due = arrays["mean"].tolist()
        self._taken, self._due = int(taken), int(due)


class BestLinkOrder(ColumnOrder):
    """Priority = the largest value that a link gives the URL, whatever the others are."""

    BEST = "best"

    def _new_columns(self) -> dict[str, Column[Any]]:
        return {self.BEST: Column(np.float32)}

    def _note(self, update: PageUpdate, evidence: Evidence) -> None:
        raise_to(self._columns[self.BEST], update, self._link_values(update))

    def value(self, ids: Ids, evidence: Evidence) -> FloatArray:
        return np.asarray(self._columns[self.BEST][ids], np.float64)

    @abstractmethod
    def _link_values(self, update: PageUpdate) -> FloatArray:
        """(k,) in [0, 1], what each link of the page is worth."""


def raise_to(column: npt.NDArray[Any], update: PageUpdate, values: FloatArray) -> None:
    """Raise the rows of a page's targets to `values` (k,); a target may be named repeatedly."""
    np.maximum.at(column, update.targets, values.astype(column.dtype))


def vouched(update: PageUpdate, value: float) -> FloatArray:
    """(k,) `value` of the page for each followed link, 0 for nofollow: it vouches for none."""
    if update.weights is None:
        return np.full(len(update.targets), value)
    return np.where(update.weights > 0, value, 0.0)


def match(update: PageUpdate, column: int) -> FloatArray:
    """(k,) one of the matches, ANCHOR, CONTEXT or ADDRESS, in [0, 1]."""
    return np.asarray(update.matches[:, column] / np.float64(MATCH_STEPS), np.float64)


class BestFirst(BestLinkOrder):
    """One page about the topic is enough, however many others link to a URL too."""

    name = "best-first"
    summary = "The URL that the page most similar to the topic links to."
    source = "Cho, Garcia-Molina, Page 1998; Menczer, Pant, Srinivasan 2004, Topical web crawlers"
    formula = "max of cos(u, q) over fetched pages u that link to v, q the topic"
    when = (
        "When the topic is well described by words and relevant pages link to one another. The "
        "usual yardstick of focused crawling; one page that mentions the topic among much else "
        "leads it astray."
    )
    uses_topic = True

    def _link_values(self, update: PageUpdate) -> FloatArray:
        return vouched(update, update.similarity)


class AnchorParent(BestLinkOrder):
    """Half similarity of the page, half match of the link; of a nofollow link the match alone."""

    name = "anchor-parent"
    summary = "The URL with the best link: from a page about the topic, with words about it."
    source = "Menczer, Pant, Srinivasan 2004; Chakrabarti, Punera, Subramanyam 2002"
    formula = "max over links u → v of ½ cos(u, q) + ½ max of cos(w, q), w anchor, context or URL"
    when = (
        "A sound choice when nothing is known of the web and no learning is wanted: where either "
        "the page or the link text tells, it is rarely far from the better of the two."
    )
    uses_topic = True

    def _link_values(self, update: PageUpdate) -> FloatArray:
        words = update.matches.max(axis=1, initial=0) / np.float64(MATCH_STEPS)
        return np.asarray((vouched(update, update.similarity) + words) / 2, np.float64)


# The paper's algorithm leaves these three to its user; the values are those in common use.
DECAY = 0.5  # δ, of what is passed on
ANCHOR_SHARE = 0.8  # β, of the neighbourhood; the rest is the text around the link
INHERITED_SHARE = 0.5  # γ, of the priority; the rest is the neighbourhood
ABOUT = 0.02
"""Similarity above which a page is about the topic. The paper says 0; with weighted words almost
every page has a trace."""


class Shark(BestLinkOrder):
    """Where several pages link to a URL, the best of each score counts."""

    name = "shark"
    summary = "The URL with the best link text, on the trail of a page about the topic."
    source = "Hersovici, Jacovi, Maarek, Pelleg, Shtalhaim, Ur 1998, The shark-search algorithm"
    formula = (
        "max over links u → v of ½ inh + ½ (0.8 anchor + 0.2 context); "
        f"inh(v) = ½ cos(u, q) if that cosine is above {ABOUT}, else ½ inh(u); context = 1 where "
        "anchor > 0, else cos(text around the link, q)"
    )
    when = (
        "When seeds lie outside the topic and links have telling words: it crosses pages that "
        "are not about the topic for a while. Link text that matches by accident counts for "
        "much."
    )
    uses_topic = True
    INHERITED = "inherited"

    def _new_columns(self) -> dict[str, Column[Any]]:
        return {**super()._new_columns(), self.INHERITED: Column(np.float32)}

    def _note(self, update: PageUpdate, evidence: Evidence) -> None:
        super()._note(update, evidence)
        raise_to(self._columns[self.INHERITED], update, self._passed_on(update))

    def _link_values(self, update: PageUpdate) -> FloatArray:
        anchor = match(update, ANCHOR)
        context = np.where(anchor > 0, 1.0, match(update, CONTEXT))
        neighbourhood = ANCHOR_SHARE * anchor + (1 - ANCHOR_SHARE) * context
        inherited = INHERITED_SHARE * self._passed_on(update)
        return np.asarray(inherited + (1 - INHERITED_SHARE) * neighbourhood, np.float64)

    def _passed_on(self, update: PageUpdate) -> FloatArray:
        inherited = float(self._columns[self.INHERITED][update.page])
        kept = update.similarity if update.similarity > ABOUT else inherited
        return vouched(update, DECAY * kept)
