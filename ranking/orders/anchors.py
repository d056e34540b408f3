"""Orders by the words of links: anchor-only, anchor-parent."""

from __future__ import annotations

import numpy as np

from ranking.arrays import FloatArray
from ranking.lesson import ANCHOR, CUE_STEPS, PageLesson
from ranking.orders.memory import BestLinkOrder, cue, vouched


class AnchorOnly(BestLinkOrder):
    """The link text alone; a nofollow link says as much as any other."""

    name = "anchor-only"
    summary = "The URL with the link text that is most about the topic."
    source = (
        "practice; Craswell, Hawking, Robertson 2001, Effective site finding using link anchors"
    )
    formula = "max over links u → v of cos(anchor text, q)"
    when = (
        "When links say what they lead to: documentation, catalogues, news. It needs no page to "
        "be judged. On webs whose links have one word or none it is little better than chance."
    )
    uses_topic = True

    def _link_values(self, lesson: PageLesson) -> FloatArray:
        return cue(lesson, ANCHOR)


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

    def _link_values(self, lesson: PageLesson) -> FloatArray:
        words = lesson.cues.max(axis=1, initial=0) / np.float64(CUE_STEPS)
        return np.asarray((vouched(lesson, lesson.similarity) + words) / 2, np.float64)
