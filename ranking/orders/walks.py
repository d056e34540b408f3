"""Orders by the score of a single random surfer: pagerank, ppr, topic-ppr."""

from __future__ import annotations

from typing import ClassVar

from ranking.arrays import FloatArray
from ranking.evidence import Evidence
from ranking.orders.surfer import (
    AnywhereRestart,
    Restart,
    SeedRestart,
    Surfer,
    SurferOrder,
    Surfers,
    TopicRestart,
)
from ranking.priority import Ids


class WalkOrder(SurferOrder):
    """Priority = score of the surfer whose restart policy a subclass names."""

    restart: ClassVar[type[Restart]]

    def __init__(self, damping: float = 0.85, tol: float = 1e-4) -> None:
        super().__init__(damping, tol)
        self._surfers = Surfers(score=Surfer(self.restart(), damping, tol))

    def value(self, ids: Ids, evidence: Evidence) -> FloatArray:
        return self.scores["score"][ids]


class PageRankOrder(WalkOrder):
    """Importance in the whole known graph."""

    name = "pagerank"
    summary = "The URL with the highest PageRank in the graph known so far."
    source = "Cho, Garcia-Molina, Page 1998; Page et al. 1999"
    formula = "π(v), restart uniform over all known URLs"
    when = (
        "To fetch first what is important on the whole web that is crawled, not on a topic: for an "
        "archive or an index. Early in a crawl it favours what the first pages happen to name."
    )
    restart = AnywhereRestart


class PprOrder(WalkOrder):
    """Importance as seen from the seeds."""

    name = "ppr"
    summary = "The URL with the highest PageRank from the seeds (TrustRank): near and well linked."
    source = "Gyöngyi, Garcia-Molina, Pedersen 2004, Combating web spam with TrustRank"
    formula = "π(v), restart at the seeds"
    when = (
        "Without a topic: important pages around the seeds first, and with hand-picked seeds "
        "where there is spam: farms of pages which only link to each other get nothing. It "
        "follows bad seeds as faithfully."
    )
    restart = SeedRestart


class TopicPprOrder(WalkOrder):
    """Importance as seen from the relevant pages."""

    name = "topic-ppr"
    summary = "The URL with the highest PageRank from the relevant pages fetched so far."
    source = "Haveliwala 2002, Topic-sensitive PageRank"
    formula = "π(v), restart at fetched pages u in proportion to rel(u)"
    when = (
        "To find the important pages of a topic rather than all of them. It needs a judge that "
        "gives nothing to pages off the topic; what is famous everywhere comes early too."
    )
    uses_topic = True
    restart = TopicRestart
