"""Tables of scores: order, exactness, and that a file is whole or not there."""

from __future__ import annotations

import bz2
import gzip
import lzma
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ranking.offline import OfflineInputError, write_scores
from ranking.offline.files import check_output, new_file
from tests.support.score_tables import read_scores

NAMES = ["a", "b", "c", "d"]
COLUMNS = {"score": np.array([0.1, 0.4, 0.4, 0.1]), "hub": np.array([1, 0, 0, 0.5])}
TEXT = "name\tscore\thub\nb\t0.4\t0.0\nc\t0.4\t0.0\na\t0.1\t1.0\nd\t0.1\t0.5\n"


def test_rows_come_by_score_and_ties_by_id(tmp_path: Path) -> None:
    write_scores(tmp_path / "s.tsv", NAMES, COLUMNS)
    assert (tmp_path / "s.tsv").read_text() == TEXT


def test_the_top_of_the_rows(tmp_path: Path) -> None:
    write_scores(tmp_path / "s.tsv", NAMES, COLUMNS, top=3)
    assert (tmp_path / "s.tsv").read_text() == TEXT.removesuffix("d\t0.1\t0.5\n")


@pytest.mark.parametrize(
    ("suffix", "unpack"),
    [
        (".gz", gzip.decompress),
        (".bz2", bz2.decompress),
        (".xz", lzma.decompress),
    ],
)
def test_text_is_compressed_by_suffix(tmp_path, suffix, unpack) -> None:
    path = tmp_path / f"s.tsv{suffix}"
    write_scores(path, NAMES, COLUMNS)
    assert unpack(path.read_bytes()).decode() == TEXT
    assert read_scores(path)[0] == ["b", "c", "a", "d"]


def test_parquet_has_the_same_columns(tmp_path: Path) -> None:
    write_scores(tmp_path / "s.parquet", NAMES, COLUMNS)
    table = pq.read_table(tmp_path / "s.parquet")
    assert table.to_pydict() == {
        "name": ["b", "c", "a", "d"],
        "score": [0.4, 0.4, 0.1, 0.1],
        "hub": [0, 0, 1, 0.5],
    }
    assert table.schema.field("name").type == pa.string()


names = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zs")), min_size=1)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(names, st.floats(0, 1e300)), st.sampled_from(["s.tsv", "s.parquet"]))
def test_what_was_written_is_read_back_to_the_last_bit(tmp_path, monkeypatch, scores, name) -> None:
    monkeypatch.setattr("ranking.offline.scores.ROWS", 2)
    monkeypatch.setattr("ranking.offline.scores.GROUP", 3)
    columns = {"score": np.array(list(scores.values()), float)}
    write_scores(tmp_path / name, list(scores), columns)
    found, values = read_scores(tmp_path / name)
    assert dict(zip(found, values, strict=True)) == scores
    assert values == sorted(scores.values(), reverse=True)


def test_scores_without_a_head_line_are_read(tmp_path: Path) -> None:
    (tmp_path / "s.tsv").write_text("x\t0.5\ny\t2\n")
    names, scores = read_scores(tmp_path / "s.tsv")
    assert (names, scores) == (["x", "y"], [0.5, 2])


@pytest.mark.parametrize("character", ["\t", "\n", "\r"])
def test_a_name_that_would_break_a_line_is_refused_and_the_old_file_stays(
    tmp_path: Path, character: str
) -> None:
    path = tmp_path / "s.tsv"
    path.write_text("old")
    table = [f"a{character}b"], {"score": np.ones(1)}
    with pytest.raises(OfflineInputError, match=r"write \.parquet instead"):
        write_scores(path, *table)
    assert path.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["s.tsv"]
    write_scores(tmp_path / "s.parquet", *table)
    assert read_scores(tmp_path / "s.parquet")[0] == [f"a{character}b"]


def test_a_write_that_fails_leaves_no_trace(tmp_path: Path) -> None:
    def half() -> None:
        with new_file(tmp_path / "s.tsv") as file:
            file.write(b"half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        half()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("s.csv", "cannot tell a format"),
        ("s", "cannot tell a format"),
        ("s.parquet.gz", "cannot tell a format"),
        ("missing/s.tsv", "cannot write .*No such file"),
        ("folder.tsv", "it is a directory"),
    ],
)
def test_a_place_that_cannot_be_written_is_refused(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "folder.tsv").mkdir()
    with pytest.raises(OfflineInputError, match=message):
        check_output(tmp_path / name)
    with pytest.raises(OfflineInputError):
        write_scores(tmp_path / name, NAMES, COLUMNS)


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "s.tsv").write_text("old")
    (tmp_path / "latest.tsv").symlink_to("kept/s.tsv")
    write_scores(tmp_path / "latest.tsv", NAMES, COLUMNS)
    assert (tmp_path / "latest.tsv").is_symlink()
    assert (kept / "s.tsv").read_text() == TEXT
    assert [one.name for one in kept.iterdir()] == ["s.tsv"]


def test_a_compression_is_that_of_the_name_not_of_what_it_links_to(tmp_path: Path) -> None:
    (tmp_path / "s.tsv.gz").symlink_to("blob")
    write_scores(tmp_path / "s.tsv.gz", NAMES, COLUMNS)
    assert gzip.decompress((tmp_path / "blob").read_bytes()).decode() == TEXT


def test_checking_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "s.tsv").write_text("old")
    check_output(tmp_path / "s.tsv")
    check_output(tmp_path / "t.parquet")
    assert [one.name for one in tmp_path.iterdir()] == ["s.tsv"]
    assert (tmp_path / "s.tsv").read_text() == "old"


def test_the_top_is_checked() -> None:
    with pytest.raises(OfflineInputError, match="1 or more, got 0"):
        write_scores("-", NAMES, COLUMNS, top=0)
