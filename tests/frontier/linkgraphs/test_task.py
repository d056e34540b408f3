"""Rankings of URLs: what they need, where it comes from, what is refused and when."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from frontier.errors import SettingsError
from frontier.linkgraphs import RankTask, UrlGraph, check_task, rank_urls
from ranking.errors import OfflineInputError
from ranking.graph.link_graph import LinkGraph
from ranking.hits.hits import hits
from ranking.offline import read_scores
from ranking.pagerank.pagerank import pagerank

URLS = ["http://a.example/", "http://b.example/", "http://c.example/", "http://d.example/"]
GRAPH = LinkGraph.from_edges([0, 0, 1, 2, 3], [1, 2, 2, 0, 2])


def find(name: str) -> int:
    return URLS.index(name) if name in URLS else -1


def urls(**more: Any) -> UrlGraph:
    return UrlGraph(GRAPH, URLS, find, **more)


def scores(task: RankTask, graph: UrlGraph) -> list[float]:
    """Scores by id, as they were written."""
    rank_urls(task, graph)
    names, values = read_scores(task.out)
    found = dict(zip(names, values.tolist(), strict=True))
    return [found[url] for url in URLS]


def written(folder: Path, name: str, *lines: str) -> str:
    path = folder / name
    path.write_text("\n".join([*lines, ""]))
    return str(path)


def test_the_seeds_of_a_crawl_are_where_the_surfer_jumps(tmp_path: Path) -> None:
    out = str(tmp_path / "x.tsv")
    crawl = urls(seeds=np.array([0.0, 1, 0, 1]))
    assert scores(RankTask("ppr", out), crawl) == pagerank(GRAPH, [0, 1, 0, 1]).scores.tolist()


def test_a_file_of_restart_values_goes_before_the_seeds(tmp_path: Path) -> None:
    restart = written(tmp_path, "r.tsv", f"{URLS[2]}\t3", f"{URLS[0]}\t1", "http://x.example/\t5")
    task = RankTask("ppr", str(tmp_path / "x.tsv"), seeds=restart)
    crawl = urls(seeds=np.array([0.0, 1, 0, 1]))
    assert scores(task, crawl) == pagerank(GRAPH, [1, 0, 3, 0]).scores.tolist()
    assert rank_urls(task, crawl).notes == [
        f"{restart}: 1 names are not in the graph, such as 'http://x.example/'"
    ]


def test_restart_values_may_come_through_a_pipe(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, f"{URLS[2]}\t3\n{URLS[0]}\t1\n".encode())
    os.close(writing)
    try:
        task = RankTask("ppr", str(tmp_path / "x.tsv"), seeds=f"/dev/fd/{reading}")
        check_task(task, of_crawl=False)
        assert scores(task, urls()) == pagerank(GRAPH, [1, 0, 3, 0]).scores.tolist()
    finally:
        os.close(reading)


def test_a_file_of_seeds_is_a_list_of_urls(tmp_path: Path) -> None:
    seeds = written(tmp_path, "s.txt", "# start", URLS[3], "", "no url", URLS[1])
    task = RankTask("ppr", str(tmp_path / "x.tsv"), seeds=seeds)
    assert scores(task, urls()) == pagerank(GRAPH, [0, 1, 0, 1]).scores.tolist()
    assert rank_urls(task, urls()).notes == [
        f"{seeds}: 1 names are not in the graph, such as 'no url'"
    ]


def test_relevance_is_the_crawls_or_that_of_a_file(tmp_path: Path) -> None:
    out = str(tmp_path / "x.tsv")
    of_crawl, of_file = [0.5, 0, 1, 0.25], [0, 1, 0.5, 0]
    crawl = urls(relevance=np.array(of_crawl))
    assert scores(RankTask("topic-hits", out), crawl) == hits(GRAPH, of_crawl).scores.tolist()
    # Of a name that is there twice the mean counts.
    path = written(tmp_path, "r", f"{URLS[1]}\t1", f"{URLS[2]}\t1", f"{URLS[2]}\t0")
    task = RankTask("topic-hits", out, relevance=path)
    assert scores(task, crawl) == hits(GRAPH, of_file).scores.tolist()


def test_only_the_top_may_be_written(tmp_path: Path) -> None:
    out = tmp_path / "x.tsv"
    ranked = rank_urls(RankTask("pagerank", str(out), top=2), urls())
    head, *rows = [line.split("\t") for line in out.read_text().splitlines()]
    assert head == ["name", "score"]
    assert [row[0] for row in rows] == [URLS[2], URLS[0]]
    assert (ranked.written, ranked.converged, ranked.notes) == (2, True, [])


def test_a_ranking_that_did_not_converge_is_written_and_said(tmp_path: Path) -> None:
    out = tmp_path / "x.tsv"
    ranked = rank_urls(RankTask("hits", str(out), tol=1e-300), urls())
    assert not ranked.converged
    assert "tolerance" in ranked.notes[0]
    assert len(out.read_text().splitlines()) == 5


@pytest.mark.parametrize(
    ("options", "of_crawl", "message"),
    [
        ({"method": "ppr"}, False, "Expected --seeds FILE"),
        ({"method": "ppr"}, False, "Or use --method pagerank"),
        ({"method": "topic-hits"}, False, "Expected --relevance FILE"),
        ({"method": "hits", "seeds": "s"}, True, "no --seeds with --method hits.*use --method ppr"),
        ({"method": "ppr", "relevance": "s"}, True, "no --relevance.*use --method topic-hits"),
        ({"method": "hits", "damping": 0.5}, True, "no --damping with --method hits"),
    ],
)
def test_what_does_not_go_together_is_refused_before_anything_is_read(
    tmp_path: Path, options: dict[str, Any], of_crawl: bool, message: str
) -> None:
    with pytest.raises(SettingsError, match=message):
        check_task(RankTask(out=str(tmp_path / "x.tsv"), **options), of_crawl=of_crawl)


@pytest.mark.parametrize("path", ["/no/such/file", "/"])
def test_a_file_that_is_missing_is_refused_before_anything_is_read(
    tmp_path: Path, path: str
) -> None:
    for method, option in (("ppr", "seeds"), ("topic-hits", "relevance")):
        task = RankTask(method, str(tmp_path / "x.tsv"), **{option: path})
        with pytest.raises(OfflineInputError, match=f"cannot read {path}"):
            check_task(task, of_crawl=False)


def test_where_scores_cannot_go_is_said_before_anything_is_read(tmp_path: Path) -> None:
    for out in ("x.doc", "absent/x.tsv"):
        with pytest.raises(OfflineInputError):
            check_task(RankTask("pagerank", str(tmp_path / out)), of_crawl=True)
    check_task(RankTask("ppr", str(tmp_path / "x.tsv")), of_crawl=True)
    assert list(tmp_path.iterdir()) == []


def test_files_of_another_graph_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "r", "http://x.example/\t1", "http://y.example/\t1")
    task = RankTask("ppr", str(tmp_path / "x.tsv"), seeds=path)
    with pytest.raises(SettingsError, match=r"none of its 2 names is one, such as 'http://x.ex"):
        rank_urls(task, urls())


def test_a_bad_line_of_a_file_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, "r", f"{URLS[0]}\t1", f"{URLS[1]}\tmuch")
    with pytest.raises(OfflineInputError, match="2"):
        rank_urls(RankTask("ppr", str(tmp_path / "x.tsv"), seeds=path), urls())


def test_a_crawl_without_seeds_or_topic_says_what_to_give(tmp_path: Path) -> None:
    out = str(tmp_path / "x.tsv")
    with pytest.raises(SettingsError, match="Give --seeds FILE"):
        rank_urls(RankTask("ppr", out), urls(seeds=np.zeros(4)))
    with pytest.raises(SettingsError, match=r"has no topic.*--method hits"):
        rank_urls(RankTask("topic-hits", out), urls(seeds=np.ones(4)))
    assert list(tmp_path.iterdir()) == []
