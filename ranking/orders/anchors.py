"""The order by the words of links and the pages that they are on: anchor-parent."""

from __future__ import annotations

import numpy as np

from ranking.arrays import FloatArray
from ranking.lesson import CUE_STEPS, PageLesson
from ranking.orders.memory import BestLinkOrder, vouched


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
