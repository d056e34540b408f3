"""`python -m ranking rank` as its users meet it: files in, files out, one line when it refuses."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ranking.offline.command import main
from tests.support.told import tells

ROOT = Path(__file__).resolve().parents[3]
EDGES = "a\tb\na\tc\nb\tc\nc\ta\nd\tc\nd\ta\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch) -> Path:
    """A folder with an edge list, in which the command runs."""
    monkeypatch.chdir(tmp_path)
    Path("e.tsv").write_text(EDGES)
    return tmp_path


def rank(*arguments: str) -> int:
    return main(["rank", *arguments])


def table(path: str = "s.tsv") -> dict[str, list[float]]:
    lines = [line.split("\t") for line in Path(path).read_text().splitlines()]
    return {name: [float(value) for value in values] for name, *values in lines[1:]}


def web() -> nx.DiGraph:
    return nx.DiGraph(line.split("\t") for line in EDGES.splitlines())


def test_pagerank_agrees_with_networkx() -> None:
    assert rank("e.tsv", "--method", "pagerank", "--out", "s.tsv", "--tol", "1e-12") == 0
    expected = nx.pagerank(web(), tol=1e-14, max_iter=1000)
    assert {name: value for name, (value,) in table().items()} == pytest.approx(expected, abs=1e-11)


def test_ppr_restarts_where_it_is_told_to(capsys) -> None:
    Path("r.tsv").write_text("# x\nd\t3\nb\t1\nnobody\t5\n")
    options = ["--method", "ppr", "--seeds", "r.tsv", "--damping", "0.6", "--tol", "1e-12"]
    assert rank("e.tsv", *options, "--out", "s.tsv") == 0
    jumps = {"d": 3, "b": 1}
    expected = nx.pagerank(web(), 0.6, jumps, dangling=jumps, tol=1e-14, max_iter=1000)
    assert {name: value for name, (value,) in table().items()} == pytest.approx(expected, abs=1e-11)
    assert tells(capsys.readouterr().err, 1, "nobody")


def test_seeds_may_be_a_list_of_names() -> None:
    Path("seeds.txt").write_text("d\n")
    assert rank("e.tsv", "--method", "ppr", "--seeds", "seeds.txt", "--out", "s.tsv") == 0
    jumps = {"d": 1}
    expected = nx.pagerank(web(), 0.85, jumps, dangling=jumps, tol=1e-14, max_iter=1000)
    assert {name: value for name, (value,) in table().items()} == pytest.approx(expected, abs=1e-6)


def test_hits_writes_authorities_and_hubs() -> None:
    assert rank("e.tsv", "--method", "hits", "--out", "s.tsv", "--tol", "1e-12") == 0
    hubs, authorities = nx.hits(web(), tol=1e-14, max_iter=1000)
    found = table()
    assert {name: row[0] for name, row in found.items()} == pytest.approx(authorities, abs=1e-10)
    assert {name: row[1] for name, row in found.items()} == pytest.approx(hubs, abs=1e-10)


def test_hits_by_relevance() -> None:
    Path("r.tsv").write_text("c\t1\na\t0.5\n")
    options = ["--relevance", "r.tsv"]
    assert rank("e.tsv", "--method", "topic-hits", *options, "--out", "s.tsv") == 0
    assert sum(row[0] for row in table().values()) == pytest.approx(1)
    assert sum(row[1] for row in table().values()) == pytest.approx(1)


def test_rows_are_sorted_and_cut() -> None:
    assert rank("e.tsv", "--method", "pagerank", "--top", "2", "--out", "s.tsv") == 0
    lines = Path("s.tsv").read_text().splitlines()
    assert [line.split("\t")[0] for line in lines] == ["name", "c", "a"]


def test_text_and_parquet_hold_the_same() -> None:
    assert rank("e.tsv", "--method", "hits", "--out", "s.tsv.gz") == 0
    assert rank("e.tsv", "--method", "hits", "--out", "s.parquet") == 0
    rows = [line.split("\t") for line in gzip.decompress(Path("s.tsv.gz").read_bytes()).decode()
            .splitlines()]  # fmt: skip
    columns = pq.read_table("s.parquet").to_pydict()
    assert list(columns) == rows[0]
    found = list(zip(*columns.values(), strict=True))
    assert found == [(name, float(score), float(hub)) for name, score, hub in rows[1:]]


def test_links_may_lie_in_a_directory_of_parquet_files() -> None:
    made = np.random.default_rng(8).integers(0, 60, (2, 900))
    Path("e.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in made.T))
    Path("edges/day=1").mkdir(parents=True)
    Path("edges/_SUCCESS").touch()
    for part, where in (
        (made[:, :500], "edges/a.parquet"),
        (made[:, 500:], "edges/day=1/b.parquet"),
    ):
        pq.write_table(pa.table({"source": part[0], "target": part[1]}), where)
    for edges, out in (("e.tsv", "s.tsv"), ("edges", "t.tsv")):
        assert rank(edges, "--method", "pagerank", "--out", out) == 0
    assert Path("t.tsv").read_bytes() == Path("s.tsv").read_bytes()


def test_scores_that_are_not_final_are_written_and_reported(capsys) -> None:
    options = ["--method", "pagerank", "--damping", "0.9999999", "--tol", "1e-300"]
    assert rank("e.tsv", *options, "--out", "s.tsv", "--quiet") == 3
    assert len(table()) == 4
    (line,) = capsys.readouterr().err.splitlines()
    assert tells(line, "1e-300")


def test_quiet_says_nothing_and_otherwise_every_step_is_a_line(capsys) -> None:
    assert rank("e.tsv", "--method", "hits", "--out", "s.tsv", "--quiet") == 0
    assert capsys.readouterr().err == ""
    assert rank("e.tsv", "--method", "hits", "--out", "s.tsv") == 0
    said = capsys.readouterr().err
    assert tells(said, 6, 4)
    assert tells(said, 4, "s.tsv")


METHOD = ["--method", "pagerank"]
OUT = ["--out", "s.tsv"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["e.tsv", *METHOD], "the following arguments are required: --out"),
        (["e.tsv", "--method", "rank", *OUT], "invalid choice: 'rank'"),
        (["e.tsv", *METHOD, "--top", "x", *OUT], "--top: invalid int value"),
        (["e.tsv", *METHOD, "--top", "0", *OUT], "must be 1 or more, got 0"),
        (["e.tsv", *METHOD, "--damping", "1", *OUT], "damping must lie in [0, 1)"),
        (["e.tsv", *METHOD, "--damping", "nan", *OUT], "damping must lie in [0, 1)"),
        (["e.tsv", *METHOD, "--tol", "0", *OUT], "tol must be a positive number"),
        (["e.tsv", "--method", "hits", "--damping", ".5", *OUT], "hits takes no --damping"),
        (["e.tsv", "--method", "ppr", *OUT], "ppr needs --seeds FILE"),
        (["e.tsv", "--method", "topic-hits", *OUT], "topic-hits needs --relevance FILE"),
        (["e.tsv", *METHOD, "--seeds", "e.tsv", *OUT], "pagerank takes no --seeds"),
        (["e.tsv", "--method", "ppr", "--relevance", "e.tsv", *OUT], "ppr needs --seeds FILE"),
        (["e.tsv", *METHOD, "--out", "s.xyz"], "cannot tell a format from the name s.xyz"),
        (["e.tsv", *METHOD, "--out", "no/s.tsv"], "cannot write no/s.tsv: No such file"),
        (["missing.tsv", *METHOD, *OUT], "cannot read missing.tsv: No such file"),
        (["e.xyz", *METHOD, *OUT], "cannot read e.xyz: No such file"),
        (
            ["e.tsv", "--method", "ppr", "--seeds", "missing.tsv", *OUT],
            "cannot read missing.tsv",
        ),
        (["empty.tsv", *METHOD, *OUT], "empty.tsv holds no link"),
        (["bad.tsv", *METHOD, *OUT], "row 2: "),
        (
            ["e.tsv", "--method", "ppr", "--seeds", "other.tsv", *OUT],
            "none of its 1 names is in the graph, such as 'x'",
        ),
        (
            ["e.tsv", "--method", "ppr", "--seeds", "zero.tsv", *OUT],
            "restart",
        ),
        ([".", *METHOD, "--out", "."], "cannot read .: it is a directory without Parquet"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_status_2(arguments, message: str, capsys) -> None:
    Path("empty.tsv").write_text("")
    Path("bad.tsv").write_text("a\tb\nc\n")
    Path("other.tsv").write_text("x\t1\n")
    Path("zero.tsv").write_text("a\t0\n")
    try:
        status = rank(*arguments)
    except SystemExit as stop:
        status = stop.code
    assert status == 2
    line = capsys.readouterr().err.splitlines()[-1]
    assert line.startswith("python -m ranking rank: ")
    assert message in line
    assert not Path("s.tsv").exists()


def test_the_place_of_the_scores_is_checked_before_the_links_are_read(monkeypatch, capsys) -> None:
    monkeypatch.setattr("ranking.offline.command.read_edges", None)
    assert rank("e.tsv", *METHOD, "--out", "missing/s.tsv") == 2
    assert "cannot write" in capsys.readouterr().err


def test_a_missing_package_is_named_with_the_remedy_before_anything_is_read(
    monkeypatch, capsys
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setattr("ranking.offline.command.read_edges", None)
    assert rank("e.tsv", *METHOD, *OUT) == 2
    assert 'pip install "scrapy-linkrank[offline]"' in capsys.readouterr().err


def run(*arguments: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "ranking", "rank", *arguments],
        input=data,
        capture_output=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def test_standard_input_to_standard_output() -> None:
    done = run("-", *METHOD, "--out", "-", "--quiet", data=gzip.compress(EDGES.encode()))
    assert (done.returncode, done.stderr) == (0, b"")
    assert rank("e.tsv", *METHOD, *OUT) == 0
    assert done.stdout == Path("s.tsv").read_bytes()


def test_standard_input_can_be_one_file_only() -> None:
    done = run("-", "--method", "ppr", "--seeds", "-", "--out", "-", data=EDGES.encode())
    assert done.returncode == 2
    assert b"only one" in done.stderr


def test_a_reader_that_leaves_is_no_error() -> None:
    Path("big.tsv").write_text("".join(f"{k}\t{k + 1}\n" for k in range(100_000)))
    command = [sys.executable, "-m", "ranking", "rank", "big.tsv", *METHOD, "--out", "-", "--quiet"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_standard_output_that_is_full_is_one_line_and_status_2() -> None:
    command = [sys.executable, "-m", "ranking", "rank", "e.tsv", *METHOD, "--out", "-", "--quiet"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            command,
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        b"python -m ranking rank: cannot write to standard output: No space left on device"
    ]


MEASURE = """
import resource, sys
from ranking.offline.command import main
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
status = main(sys.argv[1:])
print(status, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["%d", "http://www.example.org/some/directory/page%09d"])
def test_a_line_costs_less_memory_than_12_gb_by_100_million(name: str) -> None:
    lines, names = 2_000_000, 400_000
    with Path("big.tsv").open("w") as file:
        for k in range(lines):
            file.write(f"{name % (k % names)}\t{name % (k * 7919 % names)}\n")
    command = ["rank", "big.tsv", *METHOD, *OUT]
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, *command],
        capture_output=True,
        check=True,
        timeout=110,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    status, grown = map(int, done.stdout.split())
    assert status == 0
    # 12 GB for 100 million lines; a file this small pays for pyarrow and some buffers, too.
    assert grown <= 120 * lines
