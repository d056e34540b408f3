"""The signals by which a URL that waits is judged, and what each is believed to be worth.

A signal is one number a URL, read from columns that lessons keep current. A *graded* one is an
estimate of relevance itself, in [0, 1]: it enters the design twice, as it is and by how rare it is
in the frontier (`surprise`). The others have no scale that could be trusted, and enter by their
rarity alone. Beliefs are on the scale of relevance: a belief of .4 in a graded signal says that
nine tenths instead of one tenth of it are worth .32 of relevance.

They are beliefs about any web, not measurements of one: that words of a link and relevance of the
pages that link are about equally good, that agreeing signs help, that the rest matters little. What
the web at hand says replaces them (`ridge`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ranking.arrays import FloatArray
from ranking.evidence import Evidence
from ranking.lesson import CUE_STEPS
from ranking.orders.apprentice.memory import LAST_POSITION, LinkMemory
from ranking.orders.apprentice.places import PlaceYields
from ranking.orders.apprentice.sources import SourceYields
from ranking.priority import Ids, parent_relevance

WORDS, PAGES, LINKS, YIELD, PLACE = "words", "pages", "links", "yield", "place"
LEAST_SCORE = 1e-12  # a score of 0 has no logarithm


class Known(NamedTuple):
    """All that the signals of some URLs are read from."""

    ids: Ids
    evidence: Evidence
    memory: LinkMemory
    scores: dict[str, FloatArray]
    sources: SourceYields
    hosts: PlaceYields
    folders: PlaceYields
    mean: float


class Signal(NamedTuple):
    """One kind of evidence.

    Attributes:
        name: in tables of weights.
        words: what it says of a URL, for people.
        group: what an ablation leaves out together.
        read: (k,) values of the URLs.
        rarity: belief in how rare the value is.
        value: belief in the value itself; None: the signal is not graded.

    """

    name: str
    words: str
    group: str
    read: Callable[[Known], FloatArray]
    rarity: float
    value: float | None = None


def _cue(name: str) -> Callable[[Known], FloatArray]:
    return lambda known: np.asarray(known.memory[name][known.ids] / float(CUE_STEPS))


def _score(name: str) -> Callable[[Known], FloatArray]:
    return lambda known: _log(known.scores[name][known.ids])


def _log(scores: FloatArray) -> FloatArray:
    found: FloatArray = np.log(scores.astype(np.float64) + LEAST_SCORE)
    return found


def _mean_anchor(known: Known) -> FloatArray:
    voices = known.memory["voices"][known.ids]
    return np.asarray(known.memory["anchor_sum"][known.ids] / (CUE_STEPS * np.maximum(voices, 1)))


def _similarity(known: Known) -> FloatArray:
    links = known.evidence.in_links[known.ids]
    return np.asarray(known.memory["similarity"][known.ids] / (links + 2.0))


def _host(known: Known) -> FloatArray:
    return known.hosts.yields(known.ids, known.mean)


def _folder(known: Known) -> FloatArray:
    return known.folders.yields(known.ids, _host(known))


def _lift(known: Known) -> FloatArray:
    topical, general = known.scores["topical"], known.scores["general"]
    return _log(topical[known.ids]) - _log(general[known.ids])


def _position(known: Known) -> FloatArray:
    place = known.memory["position"][known.ids]
    return np.asarray(-np.log1p(np.minimum(place, LAST_POSITION).astype(np.float64)))


SIGNALS = (
    Signal(
        "promise",
        "what the words of links to it promise",
        WORDS,
        lambda known: known.evidence.promise[known.ids].astype(np.float64),
        0.1,
        0.4,
    ),
    Signal("anchor", "the best link text", WORDS, _cue("anchor"), 0.1, 0.1),
    Signal("anchors", "link texts of different pages on average", WORDS, _mean_anchor, 0.03),
    Signal("context", "words around links to it", WORDS, _cue("context"), 0.03, 0.0),
    Signal("address", "words of its address", WORDS, _cue("address"), 0.06, 0.0),
    Signal(
        "parents",
        "mean relevance of the pages that link to it",
        PAGES,
        lambda known: parent_relevance(known.ids, known.evidence, known.mean),
        0.2,
        0.4,
    ),
    Signal(
        "best parent",
        "relevance of the best page that links to it",
        PAGES,
        lambda known: known.evidence.parent_max[known.ids].astype(np.float64),
        0.03,
        0.0,
    ),
    Signal("similarity", "similarity of those pages to the topic", PAGES, _similarity, 0.0),
    Signal(
        "support",
        "total relevance of those pages",
        PAGES,
        lambda known: np.log1p(known.evidence.parent_sum[known.ids]),
        0.06,
    ),
    Signal(
        "in-links",
        "how many pages link to it",
        LINKS,
        lambda known: np.log1p(known.evidence.in_links[known.ids].astype(np.float64)),
        -0.03,
    ),
    Signal("topical", "PageRank from the relevant pages", LINKS, _score("topical"), 0.06),
    Signal("lift", "that divided by its PageRank", LINKS, _lift, 0.1),
    Signal("trust", "PageRank from the seeds", LINKS, _score("trust"), 0.0),
    Signal("authority", "authority for the topic (HITS)", LINKS, _score("authority"), 0.03),
    Signal(
        "share",
        "relevance that those pages pass on, each link its share",
        LINKS,
        lambda known: known.memory["share"][known.ids].astype(np.float64),
        0.03,
    ),
    Signal(
        "sources",
        "how other links of those pages have paid",
        YIELD,
        lambda known: known.sources.mean(known.ids, known.mean),
        0.1,
        0.1,
    ),
    Signal(
        "best source",
        "how other links of the best of them have paid",
        YIELD,
        lambda known: known.sources.best(known.ids).astype(np.float64),
        0.03,
    ),
    Signal("host", "how its host has paid", YIELD, _host, 0.06),
    Signal("folder", "how its folder has paid", YIELD, _folder, 0.06, 0.1),
    Signal("position", "how high on a page it is linked", PLACE, _position, 0.0),
    Signal(
        "depth",
        "how few links it is from a seed",
        PLACE,
        lambda known: -known.evidence.depth[known.ids].astype(np.float64),
        0.03,
    ),
)


class Design:
    """From signals to the columns that weights are learned for; the last one is 1."""

    def __init__(self, left_out: frozenset[str] = frozenset()) -> None:
        self.signals = tuple(one for one in SIGNALS if one.group not in left_out)
        self.graded = [i for i, one in enumerate(self.signals) if one.value is not None]
        rarity = [one.rarity for one in self.signals]
        value = [self.signals[i].value or 0.0 for i in self.graded]
        self.beliefs: FloatArray = np.array([*rarity, *value, 0.0])
        self.column_of = [*range(len(self.signals)), *self.graded]
        """Signal of each column but the last."""

    def read(self, known: Known) -> FloatArray:
        """(s, k) values of all signals."""
        return np.stack([one.read(known) for one in self.signals])

    def columns(self, values: FloatArray, surprise: FloatArray) -> FloatArray:
        """(d, k) design of values (s, k) and their surprise (s, k)."""
        return np.concatenate([surprise, values[self.graded], np.ones((1, values.shape[1]))])
