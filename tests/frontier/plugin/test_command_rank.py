"""`scrapy frontier rank` and `export` as a user meets them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from scrapy.exceptions import UsageError

from frontier.export import FORMATS
from frontier.plugin.commands.actions import inspect, rank
from frontier.store import StoreReader
from ranking.offline import METHODS, read_scores
from tests.frontier.lab.lab_warcs import members, page
from tests.frontier.plugin.test_command_frontier import json_of, run
from tests.support.driven_crawl import NEXT, A, B, C, small_crawl
from tests.support.scrapy_runs import run_spider, scrapy
from tests.support.sites import links, serving

HTML = {"Content_Type": "text/html"}


@pytest.fixture
def job(tmp_path: Path) -> Path:
    small_crawl(tmp_path / "job").close()
    return tmp_path / "job"


def warc(folder: Path) -> Path:
    return members(
        folder / "x.warc.gz",
        page(A, f"<a href={B}>b</a><a href={C}>c</a>".encode(), **HTML),
        page(B, f"<a href={C}>c</a>".encode(), **HTML),
    )


def table(path: Path) -> dict[str, float]:
    names, scores = read_scores(path)
    return dict(zip(names, scores.tolist(), strict=True))


def test_warc_files_are_ranked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "scores.tsv"
    said = json_of(capsys, "rank", warc(tmp_path), "--method", "pagerank", "--out", out)
    assert said == {
        "method": "pagerank",
        "urls": 3,
        "pages": 2,
        "links": 3,
        "iterations": said["iterations"],
        "converged": True,
        "written": 3,
        "file": str(out),
    }
    graph = nx.DiGraph([(A, B), (A, C), (B, C)])
    assert table(out) == pytest.approx(nx.pagerank(graph, tol=1e-12), abs=1e-6)
    assert list(table(out)) == [C, B, A]


def test_scores_on_standard_output_stand_alone(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert run("rank", warc(tmp_path), "--method", "pagerank", "--top", 1, "--out", "-") == 0
    told = capfdbinary.readouterr()
    assert [line.split(b"\t")[0] for line in told.out.splitlines()] == [b"name", C.encode()]
    assert told.err.count(b"\n") == 1


@pytest.mark.parametrize("method", sorted(METHODS))
def test_a_crawl_is_ranked_by_every_method(
    job: Path, capsys: pytest.CaptureFixture[str], method: str
) -> None:
    before = (job / "frontier.sqlite").read_bytes()
    out = job.parent / "scores.parquet"
    said = json_of(capsys, "rank", job, "--method", method, "--out", out)
    assert (said["urls"], said["pages"], said["links"]) == (8, 5, 10)
    assert len(table(out)) == 8
    assert (job / "frontier.sqlite").read_bytes() == before


def test_the_default_restart_of_a_crawl_are_its_seeds(
    job: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = job.parent / "scores.tsv"
    json_of(capsys, "rank", job, "--method", "ppr", "--out", out, "--tol", "1e-12")
    with StoreReader.open(job) as reader:
        urls = [row.url for row in reader.iter_urls()]
        graph = nx.DiGraph()
        graph.add_nodes_from(urls)
        for row in reader.iter_pages():
            if row.links is not None:
                followed = row.links.targets[row.links.flags & 1 == 0].tolist()
                graph.add_edges_from((urls[row.url_id], urls[target]) for target in followed)
    expected = nx.pagerank(graph, personalization={A: 1}, dangling={A: 1}, tol=1e-13, max_iter=999)
    assert table(out) == pytest.approx(expected, abs=1e-9)


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
        arguments = ["rank", str(warc_file), "--method", "pagerank", "--top", "1"]
        assert scrapy("frontier", *arguments, "--out", str(out), cwd=tmp_path).returncode == 0
        site.asked.clear()
        again = run_spider(tmp_path, own, "FRONTIER_STRATEGY=bfs", f"FRONTIER_SCORES={out}")
        assert again.returncode == 0
        assert site.paths == ["/", "/hub", "/a", "/b"]


def test_a_ranking_that_did_not_converge_has_an_exit_code(tmp_path: Path) -> None:
    out = tmp_path / "scores.tsv"
    records = [page(A, f"<a href={B}>b</a><a href={C}>c</a>".encode(), **HTML)]
    records += [page(url, f"<a href={C}>c</a>".encode(), **HTML) for url in (B, NEXT)]
    path = members(tmp_path / "x.warc.gz", *records, page(C, f"<a href={A}>a</a>".encode(), **HTML))
    assert run("rank", path, "--method", "hits", "--tol", "1e-300", "--out", out) == 3
    assert out.is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("absent.warc", "--method", "pagerank"), "absent.warc"),
        ((".", "--method", "pagerank"), "frontier.sqlite"),
        ((".", "x.warc", "--method", "pagerank"), " . "),
        (("x.warc", "--method", "ppr"), "--seeds FILE"),
    ],
)
def test_what_cannot_be_ranked_is_told(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("rank", *arguments, "--out", "scores.tsv") == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert message in told.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_a_crawl_is_exported(job: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    said = json_of(capsys, "export", job, "--format", name, "--out", job.parent / f"x.{name}")
    assert (said["nodes"], said["edges"]) == (8, 10)
    assert all(Path(one).stat().st_size > 50 for one in said["files"])


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (
            ("rank", "--method", "ppr", "--out", "y"),
            "required: WARC|DIR; expected: scrapy frontier rank WARC|DIR... --method METHOD "
            "--out FILE [options]",
        ),
        (("rank", "x.warc", "--out", "y"), "required: --method; expected: "),
        (("rank", "x.warc", "--method", "hits"), "required: --out; expected: "),
        (("rank", "x", "--top", "0"), "--top: expected 1 or more, found 0"),
        (("rank", "x", "--damping", "1"), "--damping: expected 0 to below 1, found 1"),
        (("rank", "x", "--damping", "nan"), "--damping: expected 0 to below 1, found nan"),
        (("rank", "x", "--tol", "0"), "--tol: expected a number above 0 such as 1e-6, found 0"),
        (("rank", "x", "--hosts", "--domains"), "--domains: not allowed with argument --hosts"),
        (
            ("rank", "x", "--method", "ppr", "--out", "y", "-n", "3"),
            "unrecognized arguments: -n 3; expected: ",
        ),
        (("export", "job"), "expected --format, or --out with a name that ends in "),
        (("export", "job", "--format", "xls"), "--format: invalid choice: 'xls' (choose from"),
        (("export", "job", "b", "--format", "csv"), "unrecognized arguments: b"),
        (("export", "job", "--format", "csv", "--hosts"), "unrecognized arguments: --hosts"),
        (("top", "job", "--method", "hits"), "unrecognized arguments: --method hits"),
        (("stats", "job", "--out", "x"), "unrecognized arguments: --out x"),
    ],
)
def test_a_wrong_command_line_is_refused(arguments: tuple[Any, ...], complaint: str) -> None:
    with pytest.raises(UsageError) as refusal:
        run(*arguments)
    assert complaint in str(refusal.value)


@pytest.mark.parametrize("action", ["rank", "export"])
def test_ctrl_c_ends_it_quietly_and_leaves_the_old_file(
    job: Path,
    tmp_path: Path,
    action: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ranking.offline.scores._lines", interrupted)
    monkeypatch.setattr("frontier.export.crawled.CrawledGraph.edges", interrupted)
    out = tmp_path / "x.tsv"
    out.write_text("old")
    option = ("--method", "hits") if action == "rank" else ("--format", "edges")
    assert run(action, job, *option, "--out", out) == 130
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "")
    assert out.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["job", "x.tsv"]


def test_the_choices_are_those_of_the_library() -> None:
    assert set(rank.METHODS) == set(METHODS)
    assert set(inspect.FORMATS) == set(FORMATS)
