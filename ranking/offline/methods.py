"""The ranking methods of the offline tools, by name.

A method is a function of this library plus what it must be told: a restart vector, a relevance,
or nothing. The command, and whoever ranks a graph under a name that a user typed, go through
`run_method`, so that a vector that is missing, or one that would be ignored, is an error and
never a silently different ranking.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray, as_values
from ranking.graph.link_graph import LinkGraph
from ranking.graph.view import GraphView
from ranking.hits.hits import hits
from ranking.hits.salsa import salsa
from ranking.offline.errors import OfflineInputError
from ranking.pagerank.pagerank import pagerank, trustrank
from ranking.result import Ranking

logger = logging.getLogger(__name__)

DAMPING = 0.85
TOL = 1e-6


@dataclass(frozen=True, eq=False)
class Query:
    """What a method is told; see `run_method`."""

    restart: npt.ArrayLike | None = None
    relevance: npt.ArrayLike | None = None
    damping: float = DAMPING
    tol: float = TOL
    start: npt.ArrayLike | None = None


@dataclass(frozen=True)
class Method:
    """One entry of METHODS.

    Attributes:
        summary: one line for people who choose.
        run: graph and query -> ranking.
        needs: the vector without which it cannot run, "restart" or "relevance"; None: neither,
            and then it takes neither.
        damped: whether damping means something to it.
        exact: whether it is solved in closed form, so that tol and earlier scores mean nothing.

    """

    summary: str
    run: Callable[[GraphView, Query], Ranking]
    needs: str | None = None
    damped: bool = False
    exact: bool = False


def _pagerank(view: GraphView, query: Query) -> Ranking:
    return pagerank(view, query.restart, query.damping, query.tol, query.start)


def _trustrank(view: GraphView, query: Query) -> Ranking:
    assert query.restart is not None
    trusted = as_values("restart", query.restart, view.n)
    return trustrank(view, np.flatnonzero(trusted), query.damping, query.tol, query.start)


def _hits(view: GraphView, query: Query) -> Ranking:
    return hits(view, query.relevance, query.tol, query.start)


def _salsa(view: GraphView, query: Query) -> Ranking:
    return salsa(view)


METHODS: dict[str, Method] = {
    "pagerank": Method("PageRank: the surfer jumps to any node", _pagerank, damped=True),
    "ppr": Method(
        "personalized PageRank: the surfer jumps where the restart values say",
        _pagerank,
        needs="restart",
        damped=True,
    ),
    "trustrank": Method(
        "TrustRank: the surfer jumps to the seeds, to each alike",
        _trustrank,
        needs="restart",
        damped=True,
    ),
    "hits": Method("HITS: authorities (score) and hubs", _hits),
    "topic-hits": Method("HITS weighted by the relevance of the nodes", _hits, needs="relevance"),
    "salsa": Method("SALSA: authorities (score) and hubs of a random walk", _salsa, exact=True),
}


def run_method(
    graph: LinkGraph | GraphView,
    method: str,
    *,
    restart: npt.ArrayLike | None = None,
    relevance: npt.ArrayLike | None = None,
    damping: float = DAMPING,
    tol: float = TOL,
    start: npt.ArrayLike | None = None,
) -> Ranking:
    """Rank all n ids of a graph by a method of METHODS.

    Args:
        graph: n ids.
        method: a key of METHODS.
        restart: (n,) finite numbers >= 0 with a positive sum; for ppr and trustrank, which need
            it. TrustRank takes every id above 0 as a seed.
        relevance: (n,) finite numbers >= 0; for topic-hits, which needs it.
        damping: in [0, 1); for pagerank, ppr and trustrank.
        tol: > 0, L1; see each method. Nothing to salsa, which is exact.
        start: (n,) scores (of hits and topic-hits: hubs) to start from; not for salsa.

    Raises:
        OfflineInputError: an unknown method, a vector that is missing or would be ignored.
        RankingInputError: a value of the wrong length or range.

    """
    chosen = _known(method)
    given = {"restart": restart, "relevance": relevance}
    for name, vector in given.items():
        if name == chosen.needs and vector is None:
            raise OfflineInputError(f"{method} needs {name} values, got none")
        if name != chosen.needs and vector is not None:
            takers = [key for key, value in METHODS.items() if value.needs == name]
            raise OfflineInputError(
                f"{method} takes no {name} values; leave them out, or use {' or '.join(takers)}"
            )
    if start is not None and chosen.exact:
        raise OfflineInputError(f"{method} cannot start from earlier scores; leave them out")
    return chosen.run(graph.snapshot(), Query(restart, relevance, damping, tol, start))


def columns_of(ranking: Ranking) -> dict[str, FloatArray]:
    """What of a ranking belongs in a table: `score`, and `hub` where there are hubs, (n,) each."""
    columns = {"score": ranking.scores}
    hubs = getattr(ranking, "hubs", None)
    if hubs is not None:
        columns["hub"] = hubs
    return columns


def rank_by_method(
    graph: LinkGraph | GraphView,
    method: str,
    *,
    restart: npt.ArrayLike | None = None,
    relevance: npt.ArrayLike | None = None,
    damping: float = DAMPING,
    tol: float = TOL,
) -> dict[str, FloatArray]:
    """The columns of `run_method`; a ranking that did not converge is logged as a warning."""
    ranking = run_method(
        graph, method, restart=restart, relevance=relevance, damping=damping, tol=tol
    )
    if not ranking.converged:
        logger.warning(not_converged(method, ranking, tol))
    return columns_of(ranking)


def not_converged(method: str, ranking: Ranking, tol: float) -> str:
    """One line on a ranking that stopped before its tolerance."""
    return (
        f"{method} did not reach the tolerance {tol:g} in {ranking.iterations} iterations "
        f"(L1 residual {ranking.residual:.2g}); the scores are the best so far"
    )


def _known(method: str) -> Method:
    if method not in METHODS:
        raise OfflineInputError(f"no method {method!r}; choose one of: {', '.join(METHODS)}")
    return METHODS[method]
