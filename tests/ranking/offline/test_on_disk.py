"""`python -m ranking rank --memory`: the same scores, within the memory, and after a `kill -9`."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ranking.external import sorting
from ranking.offline import scores, spill
from ranking.offline.command import main
from ranking.offline.on_disk import as_bytes
from tests.support.told import tells

ROOT = Path(__file__).resolve().parents[3]
ROOM = ["--memory", "2G"]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which the command runs, with little read and sorted at a time."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(spill, "BLOCK", 100)
    monkeypatch.setattr(sorting, "PLAIN", 1 << 40)
    monkeypatch.setattr(sorting, "WEIGHTED", 1 << 40)
    return tmp_path


def edges(kind: str) -> str:
    made = np.random.default_rng(len(kind))
    lines = []
    for k, (source, target) in enumerate(zip(*made.integers(0, 60, (2, 3000)) ** 2, strict=True)):
        name = f"p{target}" if kind == "late names" and k > 2000 else f"{target}"
        weight = f"\t{made.integers(0, 3)}" if kind == "weights" or k > 2900 else ""
        lines.append(f"{source}\t{name}{weight}\n")
    return "".join(lines)


def rank(*arguments: str) -> int:
    return main(["rank", "e.tsv", *arguments])


def table(path: str) -> dict[str, list[float]]:
    lines = [line.split("\t") for line in Path(path).read_text().splitlines()]
    return {name: [float(value) for value in values] for name, *values in lines[1:]}


@pytest.mark.parametrize("kind", ["numbers", "late names", "weights"])
@pytest.mark.parametrize(
    "method",
    [
        "pagerank",
        "ppr --restart v.tsv",
        "trustrank --seeds v.tsv",
        "hits",
        "topic-hits --relevance v.tsv",
        "salsa",
    ],
)
def test_scores_are_those_of_a_run_in_memory(method: str, kind: str) -> None:
    Path("e.tsv").write_text(edges(kind))
    Path("v.tsv").write_text("4\t2\n25\t1\n49\t3\n")
    how = ["--method", *method.split(), *([] if method == "salsa" else ["--tol", "1e-12"])]
    assert rank(*how, "--out", "memory.tsv") == 0
    assert rank(*how, "--out", "disk.tsv", *ROOM) == 0
    expected, found = table("memory.tsv"), table("disk.tsv")
    assert sorted(found) == sorted(expected)
    assert (
        max(abs(a - b) for name in found for a, b in zip(found[name], expected[name], strict=True))
        < 1e-9
    )
    assert not Path("disk.tsv.work").exists()


def test_a_parquet_file_of_numbers_gives_numbers(here: Path) -> None:
    Path("e.tsv").write_text(edges("numbers"))
    assert rank("--method", "hits", "--out", "a.parquet") == 0
    assert rank("--method", "hits", "--out", "b.parquet", *ROOM) == 0
    a, b = pq.read_table("a.parquet"), pq.read_table("b.parquet")
    assert a.schema == b.schema
    assert a["name"].to_pylist()[:9] == b["name"].to_pylist()[:9]


def test_links_and_scores_may_lie_in_directories_of_parquet_files(
    capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scores, "PART", 25)
    made = np.random.default_rng(8).integers(0, 60, (2, 900))
    Path("e.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in made.T))
    Path("edges/day=1").mkdir(parents=True)
    Path("edges/_SUCCESS").touch()
    for part, where in (
        (made[:, :500], "edges/a.parquet"),
        (made[:, 500:], "edges/day=1/b.parquet"),
    ):
        pq.write_table(pa.table({"source": part[0], "target": part[1]}), where)
    how = ["--method", "pagerank", "--out"]
    assert rank(*how, "s.tsv") == 0
    assert main(["rank", "edges", *how, "scores/"]) == 0
    assert len(list(Path("scores").glob("part-*.parquet"))) == 3
    found = pq.read_table("scores").to_pydict()
    expected = table("s.tsv")
    assert [str(name) for name in found["name"]] == list(expected)
    assert found["score"] == pytest.approx([score for (score,) in expected.values()])
    assert main(["rank", "edges", *how, "disk/", *ROOM]) == 0
    assert pq.read_table("disk").to_pydict()["name"][:20] == found["name"][:20]
    capsys.readouterr()
    assert main(["rank", "edges", *how, "scores/"]) == 2
    assert tells(capsys.readouterr().err, "scores/", "already")


KILLED = ["--method", "pagerank", "--damping", "0.9999999", "--tol", "1e-15", "--out", "s.tsv"]


def test_what_was_sorted_before_a_kill_is_not_sorted_again(capsys: pytest.CaptureFixture) -> None:
    Path("e.tsv").write_text(edges("late names"))
    command = [sys.executable, "-m", "ranking", "rank", "e.tsv", *KILLED, *ROOM, "--quiet"]
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    process = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": path})
    try:
        for _ in range(3000):
            if Path("s.tsv.work/work.json").exists() or process.poll() is not None:
                break
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    finally:
        process.kill()
        process.wait()
    if Path("s.tsv").exists():
        pytest.skip("the run was over before it could be killed")
    how = ["--method", "pagerank", "--tol", "1e-12"]
    assert rank(*how, "--out", "s.tsv", *ROOM) == 0
    assert tells(capsys.readouterr().err, "sorted before")
    assert rank(*how, "--out", "memory.tsv") == 0
    expected = table("memory.tsv")
    assert table("s.tsv") == {name: pytest.approx(value) for name, value in expected.items()}


def test_links_of_a_file_that_changed_are_read_again(capsys: pytest.CaptureFixture) -> None:
    Path("e.tsv").write_text("1\t2\n")
    refused = ["--method", "pagerank", "--out", "no/s.tsv", "--work", "w"]
    assert rank(*refused, *ROOM) == 2
    capsys.readouterr()
    Path("v.tsv").write_text("7\t1\n")
    how = ["--method", "ppr", "--restart", "v.tsv", "--out", "s.tsv", "--work", "w", *ROOM]
    assert rank(*how) == 2  # 7 is not in the graph
    capsys.readouterr()
    Path("e.tsv").write_text("1\t7\n7\t3\n")
    assert rank(*how) == 0
    assert not tells(capsys.readouterr().err, "sorted before")
    assert set(table("s.tsv")) == {"1", "7", "3"}


def test_a_directory_with_other_files_is_refused_and_left_as_it_is(
    capsys: pytest.CaptureFixture,
) -> None:
    Path("e.tsv").write_text("1\t2\n")
    Path("w").mkdir()
    Path("w/thesis.tex").write_text("x")
    how = ["--method", "pagerank", "--out", "s.tsv", "--work", "w", *ROOM]
    assert rank(*how) == 2
    assert tells(capsys.readouterr().err, "thesis.tex", "--work")
    assert Path("w/thesis.tex").read_text() == "x"


def test_a_note_that_a_kill_left_unfinished_is_in_nobodys_way() -> None:
    Path("e.tsv").write_text("1\t2\n")
    Path("w").mkdir()
    Path("w/.work.json.77.part").write_text("{")
    assert rank("--method", "pagerank", "--out", "s.tsv", "--work", "w", *ROOM) == 0
    assert not Path("w").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--memory", "1M"], ["1M", "at least", "give more"]),
        (["--work", "w"], ["--memory"]),
    ],
)
def test_what_cannot_work_is_refused_in_a_line(
    arguments: list[str], told: list[str], capsys: pytest.CaptureFixture
) -> None:
    Path("e.tsv").write_text("1\t2\n")
    assert rank("--method", "pagerank", "--out", "s.tsv", *arguments) == 2
    assert tells(capsys.readouterr().err, *told)
    assert not Path("s.tsv").exists()


def test_standard_output_needs_a_place_for_the_links(capsys: pytest.CaptureFixture) -> None:
    Path("e.tsv").write_text("1\t2\n")
    assert rank("--method", "pagerank", "--out", "-", *ROOM) == 2
    assert tells(capsys.readouterr().err, "--work DIR")
    assert rank("--method", "pagerank", "--out", "-", "--work", "w", *ROOM) == 0
    assert "score" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "size"), [("2G", 2 << 30), ("512M", 512 << 20), ("1.5GiB", 3 << 29), ("64kB", 1 << 16)]
)
def test_sizes_are_binary(text: str, size: int) -> None:
    assert as_bytes(text) == size


@pytest.mark.parametrize("text", ["", "much", "-1G", "2X"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=re.escape(repr(text))):
        as_bytes(text)
