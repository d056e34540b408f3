"""Best first: a URL is worth what the best page that links to it is about."""

from __future__ import annotations

from ranking.arrays import FloatArray
from ranking.lesson import PageLesson
from ranking.orders.memory import BestLinkOrder, vouched


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

    def _link_values(self, lesson: PageLesson) -> FloatArray:
        return vouched(lesson, lesson.similarity)
