"""The graph of hosts adds up to the graph of pages."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import pytest

from frontier.export import export_crawl
from frontier.states import Mark
from tests.support.driven_crawl import LATER, WEB, A, B, DrivenCrawl, Page, small_crawl

HOSTS = ["a.example", "b.example", "c.example"]


@pytest.mark.parametrize("form", ["gexf", "graphml"])
def test_networkx_reads_hosts_with_their_pages_and_links(tmp_path: Path, form: str) -> None:
    small_crawl(tmp_path / "job", strategy="opic").close()
    written = export_crawl(tmp_path / "job", form, tmp_path / f"x.{form}", by_host=True)
    graph = getattr(nx, f"read_{form}")(written.files[0], node_type=int)
    assert [data["label"] for _, data in graph.nodes(data=True)] == HOSTS
    assert (written.nodes, written.edges) == (3, len(graph.edges))
    nodes = [data for _, data in graph.nodes(data=True)]
    assert [(node["urls"], node["pages"], node["inside"]) for node in nodes] == [
        (2, 1, 1),
        (3, 1, 1),
        (3, 1, 2),
    ]
    assert [node["relevance"] for node in nodes] == [0.75, 0.25, 0.5]
    assert sum(node["score"] for node in nodes) > 0
    assert {(HOSTS[a], HOSTS[b]): d["links"] for a, b, d in graph.edges(data=True)} == {
        ("a.example", "b.example"): 2,
        ("b.example", "c.example"): 1,
        ("b.example", "a.example"): 1,
        ("a.example", "c.example"): 1,  # the redirect
        ("c.example", "b.example"): 1,
    }


def test_nofollow_links_count_and_have_no_weight(tmp_path: Path) -> None:
    web = {A: Page({B: 0.5, LATER: 0.5}, 0.5, nofollow=frozenset({LATER}))}
    crawl = DrivenCrawl(tmp_path / "job", web, strategy="bfs")
    crawl.seed(A)
    crawl.run(1)
    crawl.close()
    (path,) = export_crawl(tmp_path / "job", "edges", tmp_path / "x.tsv", by_host=True).files
    assert path.read_text() == "a.example\tb.example\t1\na.example\tc.example\t0\n"


def test_noindex_pages_and_an_empty_crawl_add_nothing(tmp_path: Path) -> None:
    web = {**WEB, B: Page({A: 0.5}, 0.5, marks=Mark.NOINDEX)}
    crawl = DrivenCrawl(tmp_path / "job", web, strategy="bfs", topic="pages")
    crawl.seed(A)
    crawl.run()
    crawl.close()
    written = export_crawl(tmp_path / "job", "csv", tmp_path / "x.csv", by_host=True)
    assert (written.nodes, written.hidden) == (3, 1)
    DrivenCrawl(tmp_path / "none", {}, strategy="ppr").close()
    assert export_crawl(tmp_path / "none", "gexf", tmp_path / "y", by_host=True)[:2] == (0, 0)
