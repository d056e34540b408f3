"""The page graph folded to hosts.

A host is an integer: `hosts[page]` may as well number registered domains, sites or languages.
Folding gives a GraphView over hosts, which every ranking takes as it takes pages:

    A'_XY = number of followed links i -> j between pages i of host X, j of host Y ≠ X

Links within a host vouch for nobody else and are dropped. Hosts joined by nofollow links only keep
a link of weight 0: known, without score.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ranking.arrays import as_ids
from ranking.errors import RankingInputError
from ranking.graph.links import sum_repeats
from ranking.graph.matrices import Graph, view_of
from ranking.graph.view import CleanView, GraphView


def fold(graph: Graph, hosts: npt.ArrayLike) -> GraphView:
    """Hosts as pages; weight = number of followed links between pages of the two hosts.

    Args:
        graph: n ids.
        hosts: (n,) integers >= 0, the host of each id; they become the ids of the result.

    Returns:
        A graph of max(hosts) + 1 ids; hosts with a fetched page are its pages, in id order.

    Raises:
        RankingInputError: hosts of another length or negative.

    """
    view = view_of(graph)
    of_page = as_ids("hosts", hosts)
    if len(of_page) != view.n:
        raise RankingInputError(
            f"hosts must have shape ({view.n},), one for each id; got {len(of_page)}"
        )
    sources, targets = of_page[view.pages[view.rows]], of_page[view.targets]
    between = sources != targets
    followed = np.ones(view.n_links) if view.weights is None else view.weights > 0
    ends = sources[between], targets[between]
    source, target, links = sum_repeats(*ends, followed[between].astype(np.float64))
    pages = np.unique(of_page[view.pages])
    indptr = np.append(np.searchsorted(source, pages), len(source)).astype(np.int64)
    return CleanView(int(of_page.max(initial=-1)) + 1, pages, indptr, target, links)
