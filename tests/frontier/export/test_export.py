"""What other programs find in an export is what the crawl says of itself."""

from __future__ import annotations

import csv
import gzip
import io
import math
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import igraph
import networkx as nx
import pyarrow.parquet as pq
import pytest
from scrapy.exceptions import UsageError

from frontier.export import FORMATS, SUFFIXES, export_crawl, format_of, formats
from frontier.export.crawled import CrawledGraph
from frontier.inspection import CrawlView
from frontier.states import Change
from frontier.store import StoreReader
from ranking.errors import OfflineInputError
from tests.frontier.plugin.test_command_frontier import run
from tests.support.driven_crawl import CLOSED, GONE, LATER, NEXT, OLD, A, B, C, DrivenCrawl, Page
from tests.support.exported import CLEAN_ANCHOR, CLEAN_TITLE, NEW, ODD, odd_crawl
from tests.support.revisited_at import DAY, START, revisited, revisited_crawl
from tests.support.stored import stored_urls
from tests.support.told import telling

URLS = [A, B, OLD, GONE, C, CLOSED, NEXT, LATER, ODD, NEW]
EDGES = {
    (A, B): (f"to {B}", 1.0),
    (A, OLD): (f"to {OLD}", 1.0),
    (A, GONE): (f"to {GONE}", 1.0),
    (B, C): (f"to {C}", 1.0),
    (B, CLOSED): (f"to {CLOSED}", 1.0),
    (B, A): (f"to {A}", 1.0),
    (OLD, C): (None, 1.0),
    (C, NEXT): (f"to {NEXT}", 1.0),
    (C, LATER): (f"to {LATER}", 0.0),
    (C, B): (f"to {B}", 1.0),
    (ODD, A): (CLEAN_ANCHOR, 1.0),
    (ODD, NEW): ("new", 0.0),
}
"""Text and weight of every link: none to itself, one of two, 0 for nofollow."""


@pytest.fixture
def job(tmp_path: Path) -> Iterator[Path]:
    crawl = odd_crawl(tmp_path / "job", strategy="bfs")
    yield tmp_path / "job"
    crawl.close()


def exported(job: Path, name: str, out: Path) -> tuple[Path, ...]:
    written = export_crawl(job, name, out)
    assert (written.nodes, written.edges) == (len(URLS), len(EDGES))
    return written.files


def check_nodes(found: list[dict[str, Any]]) -> None:
    """Compare with what `scrapy frontier top` shows of all URLs."""
    assert [node["url"] for node in found] == URLS
    by_url = {node["url"]: node for node in found}
    assert (by_url[A]["title"], by_url[ODD]["title"]) == ("Page A", CLEAN_TITLE)
    assert [node["state"] for node in found] == [
        *("crawled", "crawled", "redirected", "error", "crawled", "robots"),
        *("leased", "queued", "crawled", "queued"),
    ]
    assert [node["depth"] for node in found] == [0, 1, 1, 1, 2, 2, 3, 3, 0, 1]
    assert [bool(node["seed"]) for node in found] == [url in (A, ODD) for url in URLS]
    assert (by_url[GONE]["status"], by_url[GONE]["error"]) == (404, "HTTP 404")
    assert by_url[B]["host"] == "b.example"
    assert by_url[A]["fetched"] == "2026-11-03T10:00:00Z"
    assert by_url[C]["relevance"] == 0.5
    assert [node["in_links"] for node in found] == [2, 2, 1, 1, 2, 1, 1, 0, 0, 0]


@pytest.fixture
def shown(job: Path) -> dict[str, Any]:
    with CrawlView.open(job) as view:
        return {row.url: row for row in view.top(100, state=None)}


def real(value: Any) -> float | None:
    return None if value is None or value == "" or math.isnan(float(value)) else float(value)


def check_numbers(found: list[dict[str, Any]], shown: dict[str, Any]) -> None:
    for node in found:
        row = shown[node["url"]]
        assert real(node.get("priority")) == row.priority
        assert real(node.get("relevance")) == row.relevance
        assert real(node.get("score")) == row.score


@pytest.mark.parametrize("name", ["graphml", "gexf"])
def test_documents_in_networkx(job: Path, tmp_path: Path, shown: dict[str, Any], name: str) -> None:
    (path,) = exported(job, name, tmp_path / f"x.{name}")
    graph = getattr(nx, f"read_{name}")(path, node_type=int)
    assert type(graph) is nx.DiGraph
    assert list(graph) == list(range(len(URLS)))
    nodes = [data for _, data in graph.nodes(data=True)]
    check_nodes(nodes)
    check_numbers(nodes, shown)
    assert [node["label"] for node in nodes] == URLS
    assert {
        (URLS[a], URLS[b]): (data.get("anchor"), data["weight"])
        for a, b, data in graph.edges(data=True)
    } == EDGES
    assert graph.edges[2, 4]["redirect"] is True
    assert graph.edges[4, 7]["predicted"] == 0.125


def test_edges_in_igraph_and_networkx(job: Path, tmp_path: Path) -> None:
    (path,) = exported(job, "edges", tmp_path / "x.edges")
    graph = igraph.Graph.Read_Ncol(str(path), names=True, weights=True, directed=True)
    names = graph.vs["name"]
    ends = {(names[e.source], names[e.target]): e["weight"] for e in graph.es}
    with StoreReader.open(job) as reader:
        known_as = {row.url: row.known_as for row in stored_urls(reader)}
    expected = {(known_as[a], known_as[b]): weight for (a, b), (_, weight) in EDGES.items()}
    assert ends == expected
    again = nx.read_weighted_edgelist(path, create_using=nx.DiGraph, delimiter="\t")
    assert {(a, b): weight for a, b, weight in again.edges(data="weight")} == expected


def test_csv(job: Path, tmp_path: Path, shown: dict[str, Any]) -> None:
    nodes, edges = exported(job, "csv", tmp_path / "x.csv")
    assert (nodes.name, edges.name) == ("x.nodes.csv", "x.edges.csv")
    with nodes.open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    assert [row["id"] for row in found] == [str(i) for i in range(len(URLS))]
    types = {"depth": int, "in_links": int, "seed": "true".__eq__}
    for row in found:
        row.update({name: convert(row[name]) for name, convert in types.items()})
        row.update({"status": int(row["status"] or 0), "relevance": real(row["relevance"])})
    check_nodes(found)
    check_numbers(found, shown)
    with edges.open(encoding="utf-8", newline="") as file:
        links = list(csv.DictReader(file))
    assert {
        (URLS[int(row["source"])], URLS[int(row["target"])]): (
            row["anchor"] or None,
            float(row["weight"]),
        )
        for row in links
    } == EDGES
    assert [row["redirect"] for row in links].count("true") == 1


def test_nodes_say_when_they_were_seen_and_changed_and_what_became_of_them(tmp_path: Path) -> None:
    """A page that was never revisited was seen when it was fetched; B is gone."""
    revisited_crawl(
        tmp_path / "job",
        revisited(0, (0, 200, Change.NEW), (4, 200, Change.CHANGED), (5, 304, Change.UNCHANGED)),
        revisited(1, (1, 200, Change.NEW), (5, 404, Change.GONE)),
        revisited(5, (2, 200, Change.NEW), (3, None, Change.FORBIDDEN)),
    )
    nodes = export_crawl(tmp_path / "job", "parquet", tmp_path / "x").files[0]
    names = "first_seen", "last_seen", "last_changed", "last_revisit"
    days = [datetime.fromtimestamp(START + day * DAY, timezone.utc) for day in range(6)]
    fetched = datetime(2026, 11, 3, 10, 0, 4, tzinfo=timezone.utc)
    assert {
        row["url"]: tuple(row[name] for name in names) for row in pq.read_table(nodes).to_pylist()
    } == {
        A: (days[0], days[5], days[4], "unchanged"),
        B: (days[1], days[5], days[5], "gone"),
        C: (fetched, fetched, None, None),
        CLOSED: (days[2], days[2], None, "forbidden"),
        **dict.fromkeys((OLD, GONE, NEXT, LATER), (None,) * 4),
    }


def test_every_score_of_the_order_has_a_column(tmp_path: Path) -> None:
    crawl = odd_crawl(tmp_path / "job", strategy="opic")
    nodes, _ = exported(tmp_path / "job", "csv", tmp_path / "x.csv")
    with nodes.open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    for name, scores in crawl.backend.driver.order.scores.items():
        assert [float(row[name]) for row in found] == pytest.approx(scores.tolist(), rel=1e-12)
    crawl.close()


def test_what_a_running_crawl_adds_meanwhile_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The moment is that of the numbers: later answers belong to another one."""
    crawl = odd_crawl(tmp_path / "job", strategy="bfs")

    def and_then_the_crawl_goes_on(reader: Any) -> Any:
        graph = CrawledGraph(reader)
        crawl.web = {**crawl.web, LATER: Page({"http://z.example/": 1.0}, 1.0, "z")}
        crawl.run()
        crawl.backend.commit()
        return graph

    monkeypatch.setattr(formats, "CrawledGraph", and_then_the_crawl_goes_on)
    (path,) = exported(tmp_path / "job", "gexf", tmp_path / "x.gexf")
    graph = nx.read_gexf(path, node_type=int)
    check_nodes([data for _, data in graph.nodes(data=True)])
    assert len(graph.edges) == len(EDGES)
    monkeypatch.undo()
    assert export_crawl(tmp_path / "job", "csv", tmp_path / "y.csv").nodes == len(URLS) + 1
    crawl.close()


def test_a_page_that_was_fetched_again_has_the_links_of_its_last_record(tmp_path: Path) -> None:
    crawl = DrivenCrawl(tmp_path / "job", {A: Page({B: 0.5, C: 0.5})}, strategy="bfs")
    crawl.seed(A)
    crawl.run()
    crawl.web = {A: Page({C: 0.25})}
    crawl.ask(A, again=True)
    crawl.run()
    crawl.close()
    _, edges = export_crawl(tmp_path / "job", "csv", tmp_path / "x.csv").files
    assert edges.read_text().splitlines()[1:] == [f'0,2,"to {C}",1,0.25,false']


def test_compressed_by_suffix_and_read_by_networkx(job: Path, tmp_path: Path) -> None:
    (path,) = exported(job, "graphml", tmp_path / "x.graphml.gz")
    assert path.read_bytes()[:2] == b"\x1f\x8b"
    assert len(nx.read_graphml(path)) == len(URLS)
    nodes, _ = exported(job, "csv", tmp_path / "y.csv.gz")
    assert nodes.name == "y.nodes.csv.gz"
    text = io.StringIO(gzip.decompress(nodes.read_bytes()).decode())
    assert len(list(csv.DictReader(text))) == len(URLS)


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_an_export_that_fails_leaves_the_old_file(
    job: Path, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = exported(job, name, tmp_path / f"x.{name}")
    before = {path: path.read_bytes() for path in files}
    links = CrawledGraph.links

    def breaks(self: CrawledGraph) -> Iterator[Any]:
        yield next(links(self))
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(CrawledGraph, "links", breaks)
    with pytest.raises(OfflineInputError, match="No space left"):
        export_crawl(job, name, tmp_path / f"x.{name}")
    assert {path: path.read_bytes() for path in files} == before
    left = {path for path in tmp_path.rglob("*") if path.is_file() and path.parent != job}
    assert left == set(files)


@pytest.mark.parametrize(
    ("name", "out", "message"),
    [
        ("csv", "-", "two files, which standard output"),
        ("parquet", "-", "folder of files, which standard output"),
        ("graphml", "-", "cannot be written to standard output"),
        ("parquet", "x.parquet.gz", "compressed inside.*leave .gz out of it"),
    ],
)
def test_names_that_no_reader_could_use_are_refused(
    job: Path, tmp_path: Path, name: str, out: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OfflineInputError, match=message):
        export_crawl(job, name, Path(out))
    assert [path.name for path in tmp_path.iterdir()] == ["job"]


def test_an_empty_crawl_is_an_empty_graph(tmp_path: Path) -> None:
    DrivenCrawl(tmp_path / "job", {}, strategy="ppr").close()
    for name in FORMATS:
        assert export_crawl(tmp_path / "job", name, tmp_path / f"x.{name}")[:2] == (0, 0)
    assert len(nx.read_gexf(tmp_path / "x.gexf")) == 0
    assert len(nx.read_graphml(tmp_path / "x.graphml")) == 0
    assert igraph.Graph.Read_GraphML(str(tmp_path / "x.graphml")).vcount() == 0
    assert len(pq.read_table(tmp_path / "x.parquet/pages.parquet")) == 0


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("crawl.graphml", "graphml"),
        ("crawl.v2.GEXF.gz", "gexf"),
        ("crawl.csv.bz2", "csv"),
        ("crawl.parquet", "parquet"),
        ("crawl.tsv.bz2", "edges"),
        ("crawl.edges", "edges"),
        ("crawl.ncol.xz", "edges"),
        ("crawl.txt", None),
        ("crawl.gz", None),
        (".csv", None),
        ("csv", None),
        ("-", None),
    ],
)
def test_the_name_of_a_file_tells_its_format(name: str, found: str | None) -> None:
    assert format_of(Path("folder.csv", name)) == found


def test_the_command_takes_the_format_from_the_name(
    job: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("export", job, "--out", tmp_path / "a.graphml.gz") == 0
    assert gzip.decompress((tmp_path / "a.graphml.gz").read_bytes()).startswith(b"<?xml")
    assert run("export", job, "--out", tmp_path / "b.csv", "--format", "edges") == 0
    assert b"\t" in (tmp_path / "b.csv").read_bytes()
    capsys.readouterr()
    for wrong in (("--out", tmp_path / "d.txt"), ()):
        with pytest.raises(UsageError):
            run("export", job, *wrong)
    with pytest.raises(UsageError, match=telling("--format", "d.txt", *SUFFIXES)):
        run("export", job, "--out", tmp_path / "d.txt")
