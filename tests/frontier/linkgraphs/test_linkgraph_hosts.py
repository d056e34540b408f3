"""Folding URLs to hosts and registered domains."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from frontier.linkgraphs import UrlGraph, urlgraph
from frontier.urls.canonical import slot_of
from frontier.urls.domains import public_domain
from ranking.graph.link_graph import LinkGraph
from ranking.offline import columns_of, run_method

URLS = [
    *("http://www.a.co.uk/1", "http://www.a.co.uk/2", "https://b.a.co.uk:8080/", "http://c.com/"),
    *(
        "http://WWW.a.co.uk/3",
        "http://127.0.0.1/",
        "http://user.github.io/",
        "http://other.github.io/",
    ),
]
LINKS = [(0, 3), (1, 3), (1, 0), (3, 2), (3, 0), (2, 3), (6, 7), (5, 3)]


def url_graph() -> UrlGraph:
    graph = LinkGraph.from_edges(*zip(*LINKS, strict=True), n=len(URLS))
    seeds = np.array([1.0, 1, 0, 0, 0, 0, 1, 0])
    relevance = np.array([1.0, 0.5, 0.25, 1, 0, 0, 0, 1])
    return UrlGraph(graph, URLS, URLS.index, seeds, relevance, pages=6)


def test_hosts_are_download_slots() -> None:
    folded = url_graph().folded(str)
    assert folded.names == [
        *("www.a.co.uk", "b.a.co.uk", "c.com", "127.0.0.1", "user.github.io", "other.github.io")
    ]
    assert folded.find("HTTPS://B.a.co.uk/x") == folded.find(" B.a.co.UK ") == 1


def test_domains_are_what_somebody_registered_and_nobody_is_asked() -> None:
    assert [public_domain(slot_of(url)) for url in URLS] == [
        *("a.co.uk", "a.co.uk", "a.co.uk", "c.com", "a.co.uk", "127.0.0.1"),
        *("github.io", "github.io"),
    ]
    assert public_domain("localhost") == "localhost"


@pytest.mark.parametrize("block", [1, 3, 1000])
def test_a_folded_graph_counts_the_links_between_hosts(
    monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr(urlgraph, "_BLOCK", block)
    folded = url_graph().folded(str)
    names = ["www.a.co.uk", "b.a.co.uk", "c.com", "127.0.0.1", "user.github.io", "other.github.io"]
    assert folded.names == names
    view = folded.graph.snapshot()
    assert view.weights is not None
    found = {
        (names[view.pages[row]], names[target]): weight
        for row, target, weight in zip(
            view.rows.tolist(), view.targets.tolist(), view.weights.tolist(), strict=True
        )
    }
    assert found == {
        ("www.a.co.uk", "c.com"): 2,
        ("c.com", "www.a.co.uk"): 1,
        ("c.com", "b.a.co.uk"): 1,
        ("b.a.co.uk", "c.com"): 1,
        ("127.0.0.1", "c.com"): 1,
        ("user.github.io", "other.github.io"): 1,
    }
    assert folded.seeds is not None
    assert folded.seeds.tolist() == [2, 0, 0, 0, 1, 0]
    assert folded.relevance is not None
    assert folded.relevance.tolist() == [0.5, 0.25, 1, 0, 0, 1]
    assert [folded.find(name) for name in ("c.com", "http://C.com/x", "nowhere")] == [2, 2, -1]


def test_a_graph_without_relevance_and_seeds_has_none_folded() -> None:
    urls = url_graph()
    folded = UrlGraph(urls.graph, urls.names, urls.find).folded(public_domain)
    assert (folded.seeds, folded.relevance) == (None, None)
    assert folded.names == ["a.co.uk", "c.com", "127.0.0.1", "github.io"]


def test_folded_graphs_are_ranked_like_any_other(tmp_path: Path) -> None:
    folded = url_graph().folded(str)
    scores = columns_of(run_method(folded.graph, "pagerank", tol=1e-12))["score"]
    assert scores.sum() == pytest.approx(1)
    assert folded.names[int(np.argmax(scores))] == "c.com"
