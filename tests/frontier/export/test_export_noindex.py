"""Pages that ask not to be shown are in no export and in no table of scores."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import networkx as nx
import pyarrow.parquet as pq
import pytest

from frontier.export import export_crawl
from frontier.states import Mark
from tests.frontier.plugin.test_command_frontier import run
from tests.support.driven_crawl import DrivenCrawl, Page
from tests.support.told import tells

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


def test_a_table_of_scores_leaves_it_out_and_says_so(
    job: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    out = tmp_path / "scores.tsv"
    assert run("rank", job, "--method", "pagerank", "--out", out, "--json") == 0
    printed, told = capsys.readouterr()
    ranked = [line.partition("\t")[0] for line in out.read_text().splitlines()[1:]]
    assert sorted(ranked) == [A, C, D]
    assert json.loads(printed)["written"] == 3
    assert tells(told, 1, "noindex")
