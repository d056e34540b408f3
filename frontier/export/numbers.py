"""What only the whole crawl can tell of a URL: state, priority, scores, who links to it.

They are computed as a crawl that resumes computes them, and kept as arrays by id: 27 bytes a URL
and 8 for each score. While they are computed graph and evidence are in memory, as in a crawl.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from frontier.inspection.resumed import Known
from frontier.states import Mark

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frontier.store import StoreReader
    from ranking.graph.link_graph import LinkGraph


@dataclass(frozen=True, eq=False)
class Numbers:
    """One moment of a crawl: n URLs as arrays by id, NaN where a number is unknown.

    `answers` is how many answers there were; later ones belong to another moment. `hidden` are the
    pages that ask not to be shown: neither they nor links from or to them are exported, and
    `links` does not count them.
    """

    answers: int
    links: int
    host_names: list[str]
    states: NDArray[np.uint8]
    relevance: NDArray[np.float64]
    priority: NDArray[np.float64]
    in_links: NDArray[np.int32]
    hidden: NDArray[np.bool_]
    marks: NDArray[np.uint16]
    twins: NDArray[np.int32]
    scores: dict[str, NDArray[np.float64]]

    @property
    def n(self) -> int:
        """Number of URLs."""
        return len(self.states)


def numbers_of(reader: StoreReader) -> Numbers:
    """Compute the numbers of what is committed; raises what `Known.from_store` does."""
    known = Known.from_store(reader)
    assert known.marks is not None, "read from a store"
    assert known.twins is not None, "likewise"
    hidden = (known.marks & Mark.NOINDEX) > 0
    return Numbers(
        answers=known.answers,
        links=_shown_links(known.driver.graph, hidden),
        host_names=known.host_names,
        states=known.states,
        relevance=known.relevance,
        priority=known.priority,
        in_links=known.driver.evidence.in_links.copy(),
        hidden=hidden,
        marks=known.marks,
        twins=known.twins,
        scores={name: array.copy() for name, array in known.driver.order.scores.items()},
    )


def _shown_links(graph: LinkGraph, hidden: NDArray[np.bool_]) -> int:
    if not hidden.any():
        return graph.n_links
    view = graph.snapshot()
    shown = ~hidden[view.targets] & np.repeat(~hidden[view.pages], np.diff(view.indptr))
    return int(shown.sum())
