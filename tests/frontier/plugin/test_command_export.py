"""`scrapy frontier export` as a user meets it, and what is ranked of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from scrapy.exceptions import UsageError

from frontier.export import FORMATS, export_crawl
from frontier.export.documents import DOCUMENTS
from frontier.plugin.commands.actions import export
from ranking.offline.command import main
from tests.frontier.lab.lab_warcs import html, links_of, members, page
from tests.frontier.plugin.test_command_frontier import json_of, run
from tests.support.driven_crawl import NEXT, A, B, C
from tests.support.score_tables import read_scores
from tests.support.scrapy_runs import run_focused, run_spider, scrapy
from tests.support.sites import links, redirect, serving
from tests.support.told import tells

HTML = {"Content_Type": "text/html"}


def warc(folder: Path) -> Path:
    return members(
        folder / "x.warc.gz",
        page(A, f"<a href={B}>b</a><a href={C}>c</a>".encode(), **HTML),
        page(B, f"<a href={C}>c</a>".encode(), **HTML),
    )


def test_the_links_of_warc_files_are_exported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, out = warc(tmp_path), tmp_path / "links.tsv"
    second = members(
        tmp_path / "y.warc.gz",
        html(C, A, "#top", "mailto:me@x.example", f"{A}?utm_source=x"),
        html(f"{A}?utm_source=x", NEXT),  # another spelling of A
    )
    document = json_of(capsys, "export", first, second, "--format", "edges", "--out", out)
    assert document == {"responses": 4, "edges": 4, "files": [str(out)]}
    assert out.read_text() == f"{A}\t{B}\t1\n{A}\t{C}\t1\n{B}\t{C}\t1\n{C}\t{A}\t1\n"


def test_of_several_links_to_a_url_one_that_is_followed_counts(tmp_path: Path) -> None:
    body = f"<a href={B} rel=nofollow>b</a><a href={B}>b</a><a href={C} rel=nofollow>c</a>"
    path = members(tmp_path / "x.warc.gz", page(A, body.encode(), **HTML))
    assert links_of(path) == {(A, B): 1, (A, C): 0}


def test_what_is_exported_is_ranked(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    links, out = job.parent / "links.tsv", job.parent / "scores.tsv"
    json_of(capsys, "export", job, "--out", links)
    rows = [line.split("\t") for line in links.read_text().splitlines()]
    graph = nx.DiGraph((source, target) for source, target, weight in rows if weight == "1")
    graph.add_nodes_from(end for row in rows for end in row[:2])
    assert main(["rank", str(links), "--method", "pagerank", "--out", str(out), "--tol=1e-12"]) == 0
    names, scores = read_scores(out)
    ranked = dict(zip(names, scores, strict=True))
    assert ranked == pytest.approx(nx.pagerank(graph, tol=1e-13, max_iter=999), abs=1e-9)


def test_the_graph_of_a_recording_is_that_of_the_crawl_that_was_recorded(tmp_path: Path) -> None:
    """What the crawler's HTML reading and canonical URLs made of a site, twice."""
    pages = {
        "/": links("/a", "/b?y=2&x=1", "/b?x=1&y=2#z", "/moved", "/gone", "/", "http://x.invalid/"),
        "/a": (
            200,
            {"Content-Type": "text/html; charset=latin-1"},
            "<base href='/deep/'><a href='é'>é</a><a rel=nofollow href=/b?x=1&y=2>b</a>".encode(
                "latin-1"
            ),
        ),
        "/b?y=2&x=1": "<meta http-equiv=refresh content='0;url=/soon'><a href=/never>never</a>",
        "/moved": redirect("/a", 301),
        "/soon": links("/", "/deep/%C3%A9"),
        "/deep/%C3%A9": (200, {"Content-Type": "text/plain"}, b"<a href=/no>no</a>"),
    }
    job, warc_file = tmp_path / "job", tmp_path / "x.warc.gz"
    with serving(pages) as site:
        done = run_focused(
            *(tmp_path, "-a", f"seeds={site.url}/", "-a", "strategy=ppr"),
            *("-s", f"JOBDIR={job}", "-s", f"WARC_FILE={warc_file}"),
            *("-s", "RETRY_TIMES=0", "-s", "frontier.plugin.robots:RETRIES=0"),
        )
        assert done.returncode == 0
    (out,) = export_crawl(job, "edges", tmp_path / "links.tsv").files
    crawled = [line.split("\t") for line in out.read_text().splitlines()]
    assert len(crawled) == 11
    assert links_of(warc_file) == {(a, b): int(weight) for a, b, weight in crawled}


def test_a_crawl_can_be_seeded_with_what_was_ranked(tmp_path: Path) -> None:
    """From a recording over a ranking to the order of the next crawl."""
    web = {"/": links("/a", "/b", "/hub"), "/a": links("/hub"), "/b": links("/hub")}
    code = """
    import scrapy

    class Own(scrapy.Spider):
        name = "own"

        def parse(self, response):
            for href in response.css("a::attr(href)").getall():
                yield response.follow(href)
    """
    warc_file, out = tmp_path / "x.warc", tmp_path / "scores.tsv.gz"
    with serving({**web, "/hub": "hub"}) as site:
        own = code + f"\n        start_urls = [{site.url + '/'!r}]\n"
        run_spider(tmp_path, own, "FRONTIER_STRATEGY=bfs", f"WARC_FILE={warc_file}")
        assert site.paths == ["/", "/a", "/b", "/hub"]
        links_file = tmp_path / "links.tsv"
        arguments = ["export", str(warc_file), "--out", str(links_file)]
        assert scrapy("frontier", *arguments, cwd=tmp_path).returncode == 0
        ranked = ["rank", str(links_file), "--method", "pagerank", "--top", "1"]
        assert main([*ranked, "--out", str(out)]) == 0
        site.asked.clear()
        again = run_spider(tmp_path, own, "FRONTIER_STRATEGY=bfs", f"FRONTIER_SCORES={out}")
        assert again.returncode == 0
        assert site.paths == ["/", "/hub", "/a", "/b"]


def test_damage_is_told_and_the_rest_is_exported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = warc(tmp_path)
    path.write_bytes(path.read_bytes()[:-30])
    assert run("export", path, "--format", "edges", "--out", tmp_path / "x") == 0
    assert tells(capsys.readouterr().err, path.name)
    assert (tmp_path / "x").read_text() == f"{A}\t{B}\t1\n{A}\t{C}\t1\n"


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_a_crawl_is_exported(job: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    said = json_of(capsys, "export", job, "--format", name, "--out", job.parent / f"x.{name}")
    assert (said["nodes"], said["edges"]) == (8, 10)
    assert all(Path(one).stat().st_size > 50 for one in said["files"])
    assert len(said["files"]) == {"csv": 2, "parquet": 6}.get(name, 1)


def test_files_are_named_after_the_crawl(
    job: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(job.parent)
    said = json_of(capsys, "export", "job", "--format", "csv")
    assert said["files"] == ["job.nodes.csv", "job.edges.csv"]
    assert NEXT in Path("job.nodes.csv").read_text()


def test_an_export_says_what_it_wrote(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = job.parent / "x.gexf"
    assert run("export", job, "--format", "gexf", "--out", out) == 0
    assert tells(capsys.readouterr().out, 8, 10, out)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("export", "job"), "expected --format, or --out with a name that ends in "),
        (("export", "job", "--format", "xls"), "--format: invalid choice: 'xls' (choose from"),
        (("export", "--format", "csv"), "required: DIR|WARC"),
        (("export", "job", "b", "--format", "csv"), "expected one JOBDIR or WARC files, got job b"),
        (("export", __file__, "--format", "csv"), "expected --format edges and --out FILE"),
        (("export", "job", "--format", "csv", "--hosts"), "unrecognized arguments: --hosts"),
        (("export", "job", "--format", "dolma", "--by", "host"), "expected --by host with graphml"),
        (("export", "job", "--format", "csv", "--warc", "x"), "expected --warc with datatrove"),
        (("export", "job", "--format", "wacz"), "expected the WARC files of the crawl"),
        (("stats", "job", "--out", "x"), "unrecognized arguments: --out x"),
    ],
)
def test_a_wrong_command_line_is_refused(
    arguments: tuple[Any, ...], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises((SystemExit, UsageError)) as refusal:
        run(*arguments)
    assert complaint in f"{refusal.value}{capsys.readouterr().err}"


def test_ctrl_c_ends_it_quietly_and_leaves_the_old_file(
    job: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("frontier.export.crawled.CrawledGraph.links", interrupted)
    out = tmp_path / "x.tsv"
    out.write_text("old")
    assert run("export", job, "--format", "edges", "--out", out) == 130
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "")
    assert out.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["job", "x.tsv"]


def test_the_choices_are_those_of_the_library() -> None:
    assert set(export.GRAPHS) == set(FORMATS)
    assert export.DOCUMENTS == DOCUMENTS


def test_recordings_that_cannot_be_read_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "notes.txt").write_text("no recording at all")
    for name in ("notes.txt", "no-such.warc"):
        assert run("export", tmp_path / name, "--format", "edges", "--out", tmp_path / "x") == 1
        assert tells(capsys.readouterr().err, name)
    assert not (tmp_path / "x").exists()
