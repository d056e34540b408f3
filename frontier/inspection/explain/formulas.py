"""What the formula of a crawl order reads, as sentences with the numbers in them.

No priority is computed here: an order that is a sum says its parts itself (`Order.contributions`),
and of any other the numbers are told that its formula names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from frontier.formatting import number
from frontier.inspection.explain.in_links import InLinks
from frontier.inspection.explain.records import Carrier, Part
from frontier.inspection.resumed import Known
from frontier.states import State

TINY = 1e-200


@dataclass(frozen=True, eq=False)
class Facts:
    """What is known of one URL, at its hand-out or now.

    Attributes:
        links: those that spoke for it.
        carriers: the foremost of them, with their words.
        priority: that it had or has; None if unknown.
        score_then: link score at the hand-out; None for what waits.
        then: whether it was handed out, and is explained by what was known at that time.

    """

    known: Known
    url_id: int
    links: InLinks
    carriers: tuple[Carrier, ...]
    priority: float | None
    score_then: float | None
    then: bool

    def score(self, name: str = "score") -> float | None:
        """One of the order's scores; None without."""
        scores = self.known.driver.order.scores.get(name)
        return None if scores is None else float(scores[self.url_id])


Reading = Callable[[Facts], Part]


def _discovered(facts: Facts) -> Part:
    place, known = facts.url_id + 1, facts.known
    depth = int(known.driver.evidence.depth[facts.url_id])
    far = "1 link" if depth == 1 else f"{depth:,} links"
    return Part(f"discovered as number {place:,} of {known.n:,}, {far} from a seed", place)


def _chance(facts: Facts) -> Part:
    return Part("all priorities are equal: a hash of the URL decides", None)


def _count(facts: Facts) -> Part:
    count = int(facts.links.followed.sum())
    pages = "1 fetched page links" if count == 1 else f"{count:,} fetched pages link"
    return Part(f"{pages} to the URL", count)


def _parents(facts: Facts) -> Part:
    spoken = facts.links.relevance[facts.links.followed]
    mean = facts.known.driver.evidence.mean_relevance
    usual = f"mean of all fetched pages {number(mean)}{' by now' if facts.then else ''}"
    if not len(spoken):
        return Part(f"no fetched page links to the URL; used instead: {usual}", None)
    own = float(spoken.mean())
    pages = "linking page" if len(spoken) == 1 else "linking pages"
    return Part(f"mean relevance {number(own)} of {len(spoken):,} {pages}; {usual}", own)


def _best_parent(facts: Facts) -> Part:
    best = _largest(facts.links.relevance[facts.links.followed].tolist())
    return Part(f"relevance {number(best)} of the most relevant linking page", best)


def _promise(facts: Facts) -> Part:
    best = _largest(facts.links.promise.tolist())
    return Part(f"predicted relevance of the best link {number(best)}", best)


def _best(words: str, value: Callable[[Carrier], float | None]) -> Reading:
    """The highest of a value of the links whose words were read."""

    def read(facts: Facts) -> Part:
        best = _largest(map(value, facts.carriers))
        return Part(f"{words} {number(best)}", best)

    return read


_similarity = _best(
    "similarity of the most similar linking page",
    lambda one: None if one.nofollow else one.similarity,
)
_anchor = _best(
    "link-text match of the best link text", lambda one: None if one.repeated else one.anchor_cue
)
_context = _best(
    "match of the words around the best link",
    lambda one: None if one.repeated else one.context_cue,
)
_address = _best(
    "match of the words of the URL", lambda one: None if one.repeated else one.address_cue
)


def _largest(values: Iterable[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)


def _score(facts: Facts) -> Part:
    if facts.score_then is not None:
        return Part(f"link score {number(facts.score_then)}", facts.score_then)
    own = facts.score()
    if own is None:
        return Part("no link score", None)
    waiting = np.flatnonzero(facts.known.states == State.QUEUED)
    usual = float(facts.known.score[waiting].mean()) if len(waiting) else 0.0
    beside = f", {number(own / usual)} times the mean of the frontier" if usual > TINY else ""
    return Part(f"link score {number(own)}{beside}", own)


def _per_link(facts: Facts) -> Part:
    own = facts.score() if facts.score_then is None else facts.score_then
    count = int(facts.links.followed.sum())
    if own is None or not count:
        return Part("no link score", None)
    return Part(f"link score {number(own / count)} a link", own / count)


def _ratio(facts: Facts) -> Part:
    topical, general = facts.score(), facts.score("pagerank")
    if not topical or not general or general <= TINY:
        return Part("no link score yet: topic-ppr / pagerank counts as neither near nor far", None)
    ratio = topical / general
    when = " now; the ratio at the request is not on record" if facts.then else ""
    return Part(f"topic-ppr / pagerank is {number(ratio)}{when}", ratio)


READS: dict[str, tuple[Reading, ...]] = {
    "bfs": (_discovered,),
    "dfs": (_discovered,),
    "random": (_chance,),
    "backlinks": (_count,),
    "best-first": (_similarity,),
    "best-n-first": (_similarity,),
    "anchor-only": (_anchor,),
    "anchor-parent": (_similarity, _anchor, _context, _address),
    "shark": (_similarity, _anchor, _context),
    "fc-max": (_best_parent,),
    "fc-mean": (_parents,),
    "topic-ppr-indegree": (_per_link, _count),
    "relevance-ppr": (_parents, _promise, _ratio),
    "fusion": (_parents, _promise, _best_parent, _per_link),
}
"""What the formula of an order names. Any other order: what all of its kind read."""


def numbers(facts: Facts) -> tuple[Part, ...]:
    """Return what the formula of the crawl's order reads of a URL."""
    order = facts.known.driver.order
    usual: tuple[Reading, ...] = (_count,)
    if order.uses_topic:
        usual += _parents, _promise
    if order.scores:
        usual += (_score,)
    return tuple(read(facts) for read in READS.get(order.name, usual))
