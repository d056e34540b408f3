"""The signals by which a URL that waits is judged, and what each is believed to be worth.

A signal is one number a URL, read from columns that page updates keep current. A *graded* signal is
an estimate of relevance itself, in [0, 1]: it enters the design twice, as it is and by how rare it
is in the frontier (`rarity`). The others have no scale that could be trusted, and enter by their
rarity alone. Beliefs are on the scale of relevance: a belief of .4 in a graded signal means that
a value of .9 instead of .1 is worth .32 of relevance.

The beliefs are about any web, not measured on some web: that words of a link and relevance of the
linking pages are about equally good, that agreeing signals help, that the rest matters little. What
the crawl learns replaces them (`ridge`). Twice the belief in words gave more on the development
topics of five webs (+.015 +- .008 of the area under the recall curve) and less on their test topics
(-.008 +- .008).

The meaning of words is part of all these signals, beside the words themselves. The last four are
the meaning alone, with a belief of 0: where a topic's words and their meaning disagree, such as
where a web uses a word in a sense of its own, the fetched pages decide which is worth more.
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


GRADED = np.flatnonzero([signal.value is not None for signal in SIGNALS])
"""Rows of the graded signals."""
COLUMN_OF = [*range(len(SIGNALS)), *GRADED.tolist()]
"""Signal of each column of the design; the last column is 1."""
BELIEFS: FloatArray = np.array(
    [*(signal.rarity for signal in SIGNALS), *(SIGNALS[row].value or 0.0 for row in GRADED), 0.0]
)


def signal_values(inputs: FloatArray, mean: float) -> FloatArray:
    """(s, k) values of all signals from `SignalColumns.gathered`."""
    values = np.empty((len(SIGNALS), inputs.shape[1]))
    _signals.read(inputs, mean, max(mean, LEAST_MEAN), values)
    return values


def design(values: FloatArray, rarity: FloatArray) -> FloatArray:
    """(d, k) columns that weights are learned for, of values (s, k) and their rarity (s, k)."""
    return np.concatenate([rarity, values[GRADED], np.ones((1, values.shape[1]))])


PLACES_FROM, YIELDS_FROM, ROWS = 17, 21, 33


class SignalColumns(NamedTuple):
    """The columns that signals are read from, beside the evidence."""

    memory: LinkMemory
    walks: Walks
    sources: SourceYields
    yields: Yields

    def gathered(self, ids: Ids, evidence: Evidence) -> FloatArray:
        """(ROWS, k) inputs of the signals of ids (k,), in the order of the rows in `_signals`.

        Raises IndexError for an id that is not known.
        """
        inputs = np.empty((ROWS, len(ids)))
        _signals.gather(self.columns(evidence), np.ascontiguousarray(ids, np.int64), inputs)
        row = YIELDS_FROM
        for place, kind in enumerate(self.yields, PLACES_FROM):
            _signals.gather(kind.columns, inputs[place], inputs[row:])
            row += len(kind.columns)
        return inputs

    def columns(self, evidence: Evidence) -> tuple[npt.NDArray[Any], ...]:
        """The columns by id, in the order of the rows up to the places; valid until a `grow`."""
        return (
            *(evidence.predicted, evidence.parent_sum, evidence.parent_max),
            *(evidence.in_links, evidence.depth),
            *self.memory.columns,
            *self.walks.scores.values(),
            *self.sources.columns,
            *(kind.of for kind in self.yields),
        )


def exploration(inputs: FloatArray) -> FloatArray:
    """(k,) bonus for hosts and folders of which few pages were tried."""
    bonus = np.empty(inputs.shape[1])
    _signals.explore(inputs, bonus)
    return bonus


def silence(inputs: FloatArray, value: FloatArray) -> FloatArray:
    """(k,) what is taken from the values (k,) of URLs that may give no new page."""
    loss = np.empty(len(value))
    _signals.silence(inputs, value, loss)
    return loss
