"""Pages that ask not to be shown are in no export."""

from __future__ import annotations

import csv
from pathlib import Path

import networkx as nx
import pyarrow.parquet as pq
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


def test_tables_leave_it_out_too(job: Path, tmp_path: Path):
    nodes, edges = export_crawl(job, "csv", tmp_path / "x.csv").files
    with nodes.open(newline="") as file:
        assert [row["url"] for row in csv.DictReader(file)] == [A, C, D]
    with edges.open(newline="") as file:
        assert len(list(csv.DictReader(file))) == 2
    nodes, _ = export_crawl(job, "parquet", tmp_path / "x.parquet").files
    assert pq.read_table(nodes)["url"].to_pylist() == [A, C, D]


def test_edges_leave_it_out_too(job: Path, tmp_path: Path):
    (path,) = export_crawl(job, "edges", tmp_path / "x.tsv").files
    assert path.read_text() == f"{A}\t{C}\t1\n{C}\t{D}\t1\n"
