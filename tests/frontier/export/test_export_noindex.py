"""Pages that ask not to be shown are in no export."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import pytest

from frontier.export import export_crawl
from frontier.states import Mark
from tests.support.driven_crawl import DrivenCrawl, Page

A, B, C, D = (f"http://{name}.example/" for name in "abcd")
WEB = {
    A: Page({B: 0.5, C: 0.5}, 0.5),
    B: Page({C: 0.5, D: 0.5}, 0.5, marks=Mark.NOINDEX),
    C: Page({B: 0.5, D: 0.5}, 0.5, marks=Mark.NOFOLLOW),
    D: Page(),
}


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("noindex") / "job"
    crawl = DrivenCrawl(directory, WEB, strategy="ppr", topic="pages")
    crawl.seed(A)
    crawl.run()
    crawl.close()
    return directory


def test_neither_the_page_nor_its_links_are_exported(job: Path, tmp_path: Path):
    written = export_crawl(job, "graphml", tmp_path / "x.graphml")
    graph = nx.read_graphml(written.files[0])
    urls = nx.get_node_attributes(graph, "url")
    assert sorted(urls.values()) == [A, C, D]
    assert {(urls[a], urls[b]) for a, b in graph.edges} == {(A, C), (C, D)}
    assert (written.nodes, written.edges, written.hidden) == (3, 2, 1)
