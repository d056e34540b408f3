"""Orders by the best of the links to a URL: best-first, anchor-parent, shark.

In shark search a page about the topic hands a part of its similarity down, any other page the same
part of what it inherited itself. So a few pages that are not about the topic can be crossed on the
way to some that are, at a price that grows with each: this is the classic bounded tunnelling.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ranking.arrays import Column, FloatArray
from ranking.evidence import Evidence
from ranking.orders.memory import BestLinkOrder, match, raise_to, vouched
from ranking.page_update import ANCHOR, CONTEXT, MATCH_STEPS, PageUpdate


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
    """Half what the page is about, half what the link says. Nofollow: the link's half alone."""

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
DECAY = 0.5  # δ, of what is handed down
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
        raise_to(self._columns[self.INHERITED], update, self._handed_down(update))

    def _link_values(self, update: PageUpdate) -> FloatArray:
        anchor = match(update, ANCHOR)
        context = np.where(anchor > 0, 1.0, match(update, CONTEXT))
        neighbourhood = ANCHOR_SHARE * anchor + (1 - ANCHOR_SHARE) * context
        inherited = INHERITED_SHARE * self._handed_down(update)
        return np.asarray(inherited + (1 - INHERITED_SHARE) * neighbourhood, np.float64)

    def _handed_down(self, update: PageUpdate) -> FloatArray:
        inherited = float(self._columns[self.INHERITED][update.page])
        kept = update.similarity if update.similarity > ABOUT else inherited
        return vouched(update, DECAY * kept)
