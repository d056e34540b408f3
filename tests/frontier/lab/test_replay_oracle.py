from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from frontier.lab.replay.contestants import Setup
from frontier.lab.replay.crawl import replay
from frontier.lab.replay.records import GREEDY_ORACLE
from frontier.lab.replay.webfile import UNREACHED
from tests.frontier.lab import replay_webs as webs

TUNNEL = {
    "": webs.page("junk", "way", "near"),
    "junk": webs.page("more"),
    "way": webs.page("on"),
    "on": webs.page("far"),
    "far": webs.page(),
    "near": webs.page(),
    "more": webs.page(),
}


def fetched(folder: Path, pages: dict[str, webs.Parsed], *targets: str, **said: int) -> list[str]:
    with webs.made(folder, pages) as web:
        record = replay(webs.task(GREEDY_ORACLE, targets=targets, **said), web, Setup())
        return webs.paths(web, record.urls)


def test_targets_go_first_and_then_what_leads_to_them_fastest(tmp_path: Path) -> None:
    assert fetched(tmp_path, TUNNEL, "near", "far") == [
        *("", "near", "way", "on", "far"),
        *("junk", "more"),
    ]


def test_redirects_and_other_schemes_are_ways_like_any_other(tmp_path: Path) -> None:
    pages = {
        "": webs.page("x", "old"),
        "old": webs.sent_on("new"),
        "new": webs.page("goal"),
        "x": webs.page(),
        "goal": webs.page(),
    }
    assert fetched(tmp_path, pages, "goal") == ["", "old", "new", "goal", "x"]


@pytest.mark.parametrize("seed", range(5))
def test_distances_are_those_of_an_independent_search(tmp_path: Path, seed: int) -> None:
    graph = nx.gnp_random_graph(40, 0.05, seed=seed, directed=True)
    pages = {f"p{one}": webs.page(*(f"p{to}" for to in graph[one])) for one in graph}
    goals = {3, 17, 31}
    with webs.made(tmp_path, pages) as web:
        hops = web.hops_to(goals)
    expected = nx.multi_source_dijkstra_path_length(graph.reverse(), goals, weight=None)
    assert {one: hop for one, hop in enumerate(hops.tolist()) if hop != UNREACHED} == expected
    assert hops.dtype == np.int64
