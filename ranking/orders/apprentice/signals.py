"""The signals by which a URL that waits is judged, and what each is believed to be worth.

A signal is one number a URL, read from columns that page updates keep current. A *graded* one is an
estimate of relevance itself, in [0, 1]: it enters the design twice, as it is and by how rare it is
in the frontier (`surprise`). The others have no scale that could be trusted, and enter by their
rarity alone. Beliefs are on the scale of relevance: a belief of .4 in a graded signal says that
nine tenths instead of one tenth of it are worth .32 of relevance.

They are beliefs about any web, not measurements of one: that words of a link and relevance of the
pages that link are about equally good, that agreeing signs help, that the rest matters little. What
the web at hand says replaces them (`ridge`). To believe twice as much in words gave more on the
development topics of five webs (+.015 +- .008 of the area under the recall curve) and less on their
test topics (-.008 +- .008).

What words mean is in all of these already, beside what they are. The last four tell it apart, and
nothing is believed of them: where a topic's words and their meaning disagree, such as where a web
uses a word in a sense of its own, the fetched pages say which of the two is worth more.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray
from ranking.evidence import Evidence
from ranking.orders.apprentice import _signals
from ranking.orders.apprentice.columns import LinkMemory, SourceYields, Walks
from ranking.orders.apprentice.places import Yields
from ranking.priority import LEAST_MEAN, Ids


class Signal(NamedTuple):
    """One kind of evidence.

    Attributes:
        words: what it says of a URL, for people.
        rarity: belief in how rare the value is.
        value: belief in the value itself; None: the signal is not graded.

    """

    words: str
    rarity: float
    value: float | None = None


SIGNALS = (
    Signal("predicted relevance by the words of links", 0.1, 0.4),
    Signal("the best link text", 0.1, 0.1),
    Signal("words around the links", 0.03, 0.0),
    Signal("words of the URL", 0.06, 0.0),
    Signal("mean relevance of the linking pages", 0.2, 0.4),
    Signal("relevance of the best linking page", 0.03, 0.0),
    Signal("total relevance of the linking pages", 0.06),
    Signal("number of linking pages", -0.03),
    Signal("topical PageRank: from the relevant pages", 0.06),
    Signal("topical PageRank / PageRank", 0.1),
    Signal("relevance found by other links of the linking pages", 0.1, 0.1),
    Signal("relevance found by other links of the best linking page", 0.03),
    Signal("relevance found on the host", 0.06),
    Signal("relevance found in the folder", 0.06, 0.1),
    Signal("nearness to a seed, in links", 0.03),
    Signal("relevance found by links in the same zone of pages", 0.06, 0.1),
    Signal("the best link text, by its meaning alone", 0.0, 0.0),
    Signal("words around the links, by their meaning alone", 0.0, 0.0),
    Signal("words of the URL, by their meaning alone", 0.0, 0.0),
    Signal("mean similarity of the linking pages to the topic", 0.0, 0.0),
)
"""In the order of their rows in `_signals.read`, which has their formulas."""


class Design:
    """From signals to the columns that weights are learned for; the last one is 1."""

    def __init__(self) -> None:
        graded = [row for row, one in enumerate(SIGNALS) if one.value is not None]
        self.graded = np.array(graded, np.int64)
        rarity = [one.rarity for one in SIGNALS]
        value = [SIGNALS[row].value or 0.0 for row in graded]
        self.beliefs: FloatArray = np.array([*rarity, *value, 0.0])
        self.column_of = [*range(len(SIGNALS)), *graded]
        """Signal of each column but the last."""

    def read(self, looked: FloatArray, mean: float) -> FloatArray:
        """(s, k) values of all signals; `looked` is what is known of the URLs, see `Sight`."""
        values = np.empty((len(SIGNALS), looked.shape[1]))
        _signals.read(looked, mean, max(mean, LEAST_MEAN), values)
        return values

    def columns(self, values: FloatArray, surprise: FloatArray) -> FloatArray:
        """(d, k) design of values (s, k) and their surprise (s, k)."""
        return np.concatenate([surprise, values[self.graded], np.ones((1, values.shape[1]))])


PLACES_FROM, YIELDS_FROM, ROWS = 17, 21, 33


class Sight(NamedTuple):
    """Where an apprentice looks, beside the evidence."""

    memory: LinkMemory
    walks: Walks
    sources: SourceYields
    yields: Yields

    def looked(self, ids: Ids, evidence: Evidence) -> FloatArray:
        """(ROWS, k) what is known of ids (k,), in the order of the rows in `_signals`.

        Raises IndexError for an id that is not known.
        """
        found = np.empty((ROWS, len(ids)))
        _signals.gather(self.columns(evidence), np.ascontiguousarray(ids, np.int64), found)
        row = YIELDS_FROM
        for place, one in enumerate(self.yields, PLACES_FROM):
            _signals.gather(one.columns, found[place], found[row:])
            row += len(one.columns)
        return found

    def columns(self, evidence: Evidence) -> tuple[npt.NDArray[Any], ...]:
        """What is known by id, in the order of the rows up to the places; valid until a `grow`."""
        return (
            *(evidence.predicted, evidence.parent_sum, evidence.parent_max),
            *(evidence.in_links, evidence.depth),
            *self.memory.columns,
            *self.walks.scores.values(),
            *self.sources.columns,
            *(one.of for one in self.yields),
        )


def exploration(looked: FloatArray) -> FloatArray:
    """(k,) what is added for hosts and folders of which little was seen."""
    found = np.empty(looked.shape[1])
    _signals.explore(looked, found)
    return found


def silence(looked: FloatArray, value: FloatArray) -> FloatArray:
    """(k,) what the chance that nothing new comes of them takes from URLs of this value (k,)."""
    found = np.empty(len(value))
    _signals.silence(looked, value, found)
    return found
