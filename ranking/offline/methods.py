"""The ranking methods of the offline tools, by name.

A method is a function of this library plus what it needs: a restart vector, a relevance, or
nothing. A vector that is missing, or one that would be ignored, is an error and never a silently
different ranking.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy.typing as npt

from ranking.arrays import FloatArray
from ranking.errors import OfflineInputError
from ranking.graph.matrices import Graph
from ranking.hits import hits
from ranking.pagerank.pagerank import pagerank
from ranking.result import Ranking

DAMPING = 0.85
TOL = 1e-6


@dataclass(frozen=True)
class Method:
    """A ranking method.

    Attributes:
        summary: one line for people who choose.
        needs: the vector without which it cannot run, "restart" or "relevance"; None: neither,
            and then it takes neither.
        damped: whether it has a damping.

    """

    summary: str
    needs: str | None = None
    damped: bool = False


METHODS: dict[str, Method] = {
    "pagerank": Method("PageRank: the surfer jumps to any node", damped=True),
    "ppr": Method(
        "personalized PageRank: the surfer jumps to seeds (TrustRank where these are equal)",
        needs="restart",
        damped=True,
    ),
    "hits": Method("HITS: authorities (score) and hubs"),
    "topic-hits": Method("HITS weighted by the relevance of the nodes", needs="relevance"),
}


def run_method(
    graph: Graph,
    method: str,
    vector: npt.ArrayLike | None = None,
    *,
    damping: float = DAMPING,
    tol: float = TOL,
) -> Ranking:
    """Rank all n ids of a graph by a method of METHODS.

    Args:
        graph: n ids.
        method: a key of METHODS.
        vector: (n,) finite numbers >= 0: what the method needs, restart values (with a positive
            sum) or relevance; None for the others.
        damping: in [0, 1); for pagerank and ppr.
        tol: > 0, L1; see each method.

    Raises:
        OfflineInputError: an unknown method, a vector that is missing or would be ignored.
        RankingInputError: a value of the wrong length or range.

    """
    if method not in METHODS:
        raise OfflineInputError(f"no method {method!r}; choose one of: {', '.join(METHODS)}")
    chosen = METHODS[method]
    if (chosen.needs is None) != (vector is None):
        expected = f"{chosen.needs} values" if chosen.needs else "no values"
        got = "none" if vector is None else "some"
        raise OfflineInputError(f"{method} needs {expected}, got {got}")
    if chosen.damped:
        return pagerank(graph, vector, damping, tol)
    return hits(graph, vector, tol)


def columns_of(ranking: Ranking) -> dict[str, FloatArray]:
    """Columns (n,) of a ranking's table: `score`, and `hub` where there are hubs."""
    hubs = getattr(ranking, "hubs", None)
    return {"score": ranking.scores} | ({} if hubs is None else {"hub": hubs})
