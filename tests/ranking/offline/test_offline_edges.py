"""Edge lists in every form they come in, against a plain loop over the same links."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ranking.offline import EdgeList, OfflineInputError, read_edges
from ranking.offline.tables import SEPARATORS

LINKS = [("b", "a"), ("a", "c"), ("b", "c"), ("b", "b"), ("b", "a")]


def links(edges: EdgeList) -> list[tuple[str, str]]:
    names = edges.names.to_pylist()
    return [(names[s], names[t]) for s, t in zip(edges.sources, edges.targets, strict=True)]


def written(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def lines(rows, separator: str = "\t") -> str:
    return "".join(separator.join(map(str, row)) + "\n" for row in rows)


def test_names_get_ids_sources_before_targets(tmp_path: Path) -> None:
    edges = read_edges(written(tmp_path / "e.tsv", "# x\n\n% y\n" + lines(LINKS)))
    assert edges.names.to_pylist() == ["b", "a", "c"]
    assert links(edges) == LINKS
    assert edges.weights is None
    assert (edges.n, edges.n_links) == (3, 5)
    assert edges.notes == ()


def test_integers_are_names_as_they_are_written(tmp_path: Path) -> None:
    rows = [("5", "1"), ("01", "5"), ("2147483647", "-1")]
    edges = read_edges(written(tmp_path / "e.txt", lines(rows, " ")))
    assert edges.names.to_pylist() == ["5", "01", "2147483647", "1", "-1"]
    assert links(edges) == rows


ids = st.integers(0, 30).map(str) | st.sampled_from(["a", "bb", "2147483647"])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(ids, ids), min_size=2, max_size=30), st.integers(30, 70))
def test_how_a_file_is_cut_into_pieces_changes_no_link(tmp_path, monkeypatch, rows, size) -> None:
    # The first line says whether there is a head line.
    path = written(tmp_path / "e.tsv", lines([("0", "1"), *rows]))
    with monkeypatch.context() as patch:
        patch.setattr("ranking.offline.tables.BLOCK", size)
        cut = read_edges(path)
    assert links(cut) == links(read_edges(path)) == [("0", "1"), *rows]


words = st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Zs"), exclude_characters='"#%,;'), min_size=1
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(words, words), min_size=1, max_size=20),
    st.sampled_from(list(SEPARATORS.values())),
    st.sampled_from(["\n", "\r\n"]),
)
def test_two_columns_are_what_was_joined(tmp_path, rows, separator: str, end: str) -> None:
    path = tmp_path / "e.txt"
    path.write_bytes("".join(separator.join(row) + end for row in rows).encode())
    assert links(read_edges(path, separator=separator)) == rows


def test_quoted_fields_are_read_as_csv_has_them(tmp_path: Path) -> None:
    rows = [('"', ',"'), ('a""b', '","'), ("a b", ";")]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(rows)
    assert links(read_edges(written(tmp_path / "e.csv", text.getvalue()))) == rows


def test_a_file_of_konect_is_read(tmp_path: Path) -> None:
    text = "% sym weighted\n% 3 2 3\n1 2 0.5\n2 3 1\n\n3 1 2\n"
    edges = read_edges(written(tmp_path / "out.x", text))
    assert links(edges) == [("1", "2"), ("2", "3"), ("3", "1")]
    assert edges.weights is not None
    assert edges.weights.tolist() == [0.5, 1, 2]


@pytest.mark.parametrize(
    ("suffix", "pack"),
    [
        ("", bytes),
        (".gz", gzip.compress),
        (".bz2", bz2.compress),
        (".xz", lzma.compress),
    ],
)
def test_compression_is_seen_in_the_first_bytes(tmp_path: Path, suffix: str, pack) -> None:
    data = lines(LINKS * 50).encode()
    assert links(read_edges(written(tmp_path / f"e.tsv{suffix}", pack(data)))) == LINKS * 50
    assert links(read_edges(written(tmp_path / "e.tsv", pack(data)))) == LINKS * 50


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_truncated_file_is_refused(tmp_path: Path, pack) -> None:
    rng = np.random.default_rng(1)
    data = pack(lines(rng.integers(0, 10**6, (50_000, 2))).encode())
    path = written(tmp_path / "e.tsv.gz", data[: len(data) // 2])
    with pytest.raises(OfflineInputError, match=r"e\.tsv\.gz is .*truncated"):
        read_edges(path)


def test_weights_are_read(tmp_path: Path) -> None:
    path = written(tmp_path / "e.csv", "a,b,\nb,c,0\nc,a,2.5\n")
    edges = read_edges(path)
    assert edges.weights is not None
    assert edges.weights.dtype == np.float32
    assert edges.weights.tolist() == [1, 0, 2.5]
    assert read_edges(path, weighted=False).weights is None


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        ("a\tb\nc\n", "e.tsv", "row 2: .* got 1: c"),
        ("a\tb\n\nc\td\te\n", "e.tsv", "row 2: .* got 3"),
        ("a b\na b c d\n", "e.txt", "row 2: .* got 4"),
        ("1,2\n,3\n", "e.csv", "row 2: a name is empty"),
        ("a,b,1\na,,1\n", "e.csv", "row 2: a name is empty"),
        ("a\tb\t1\na\tb\tx\n", "e.tsv", "row 2: .*'x'.*--unweighted"),
        ("a\tb\t1\na\tb\t0x10\n", "e.tsv", "row 2: .*'0x10'"),
        ("a\tb\t1\na\tb\t-1\n", "e.tsv", "row 2: .*as weight, got -1"),
        ("a\tb\t1\na\tb\tnan\n", "e.tsv", "row 2: .*nan"),
        ("a\tb\t1\na\tb\tinf\n", "e.tsv", "row 2: .*inf"),
        (b"a\tb\n\xe9\tb\n", "e.tsv", "row 2: .*UTF"),
        ("a\tb\n".encode("utf-16"), "e.tsv", "binary"),
        ("%%MatrixMarket matrix\n3 3 2\n1 2 1\n", "e.mtx", "Matrix Market"),
        ('"a,b\nc,d\n', "e.csv", "e.csv"),
    ],
)
def test_a_bad_row_is_named_and_shown(tmp_path: Path, text, name: str, message: str) -> None:
    with pytest.raises(OfflineInputError, match=message):
        read_edges(written(tmp_path / name, text))


def test_rows_are_counted_with_the_lines_before_them(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("ranking.offline.tables.BLOCK", 40)
    rows = "".join(f"a{k}\tb\t1\n" for k in range(20))
    for last in ("c", "c\td\t-1"):
        path = written(tmp_path / "e.tsv", f"# x\nsource\ttarget\tweight\n{rows}{last}\n")
        with pytest.raises(OfflineInputError, match="row 23: "):
            read_edges(path)


def test_a_file_without_line_ends_is_refused_before_it_fills_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr("ranking.offline.tables.BLOCK", 1000)
    with pytest.raises(OfflineInputError, match="block"):
        read_edges(written(tmp_path / "e.tsv", "a\t" + "x" * 100_000))


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("Source;Target;Type;Weight", "e.csv"),
        ("FromNodeId\tToNodeId\tx\tweight", "e.txt"),
        ("from,to,x,weight", "e.txt"),
        ("citing\tcited\tx\ty", "e.tsv"),
    ],
)
def test_head_lines_are_known_by_their_names_or_by_integers_below(tmp_path, head, name) -> None:
    separator = next(mark for mark in "\t;," if mark in head)
    row = separator.join(("7", "3", "1", "2"))
    edges = read_edges(written(tmp_path / name, f"{head}\n{row}\n"))
    assert links(edges) == [("7", "3")]
    assert edges.weights is not None
    assert edges.weights.tolist() == [2 if "eight" in head else 1]


@pytest.mark.parametrize(
    ("name", "line", "expected"),
    [
        ("e.txt", "a b,c", ("a", "b,c")),
        ("e.txt", "a,b", ("a", "b")),
        ("e.txt", "a;b", ("a", "b")),
        ("e.csv.gz", "a b,c\td", ("a b", "c\td")),
        ("e.tsv", "a,b\tc", ("a,b", "c")),
    ],
)
def test_the_separator_is_that_of_the_first_line(tmp_path, name, line, expected) -> None:
    assert links(read_edges(written(tmp_path / name, line + "\n"))) == [expected]


def test_comments_and_a_byte_order_mark_are_no_names(tmp_path: Path) -> None:
    path = written(tmp_path / "e.tsv", b"\xef\xbb\xbf# L\xe9on\na\tb\n")
    assert links(read_edges(path)) == [("a", "b")]


def test_a_head_line_is_no_link_and_is_told(tmp_path: Path) -> None:
    edges = read_edges(written(tmp_path / "e.csv", "weight,target,source\n2,a,b\n"))
    assert links(edges) == [("b", "a")]
    assert edges.weights is not None
    assert edges.weights.tolist() == [2]
    assert edges.notes == ("the first line names the columns: weight,target,source",)


@pytest.mark.parametrize("text", ["", "\n\n", "# only\n% comments\n", "source\ttarget\n"])
def test_a_file_without_links_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(OfflineInputError, match="holds no link"):
        read_edges(written(tmp_path / "e.tsv", text))


def test_any_suffix_but_that_of_parquet_is_text(tmp_path: Path) -> None:
    assert links(read_edges(written(tmp_path / "e.graph", lines(LINKS)))) == LINKS
    with pytest.raises(OfflineInputError, match="binary file"):
        read_edges(written(tmp_path / "e.zip", b"PK\3\4\0\0"))


@pytest.mark.parametrize("name", ["missing.tsv", "."])
def test_what_cannot_be_opened_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(OfflineInputError, match="cannot read"):
        read_edges(tmp_path / name)


def parquet(path: Path, **columns) -> Path:
    pq.write_table(pa.table(columns), path)
    return path


@pytest.mark.parametrize(
    "kind",
    [
        pa.string(),
        pa.large_string(),
        pa.binary(),
        pa.dictionary(pa.int32(), pa.string()),
    ],
    ids=str,
)
def test_parquet_gives_the_ids_that_text_gives(tmp_path: Path, monkeypatch, kind) -> None:
    monkeypatch.setattr("ranking.offline.tables.ROWS", 2)
    sources, targets = (pa.array(column, pa.string()) for column in zip(*LINKS, strict=True))
    if not pa.types.is_dictionary(kind):
        sources, targets = sources.cast(kind), targets.cast(kind)
    else:
        sources, targets = sources.dictionary_encode(), targets.dictionary_encode()
    edges = read_edges(parquet(tmp_path / "e.parquet", source=sources, target=targets))
    assert sorted(edges.names.to_pylist()) == ["a", "b", "c"]
    assert links(edges) == LINKS


@pytest.mark.parametrize("kind", [pa.int64(), pa.uint8(), pa.int32()], ids=str)
def test_integers_in_parquet_are_names_too(tmp_path: Path, kind) -> None:
    path = parquet(tmp_path / "e.parquet", x=pa.array([7, 3], kind), y=pa.array([3, 9], kind))
    assert links(read_edges(path)) == [("7", "3"), ("3", "9")]


def test_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    twice = pa.table([pa.array(["a"])] * 3, names=["source", "target", "source"])
    pq.write_table(twice, tmp_path / "e.parquet")
    with pytest.raises(OfflineInputError, match="duplicate"):
        read_edges(tmp_path / "e.parquet")


def test_columns_of_parquet_are_known_by_name(tmp_path: Path) -> None:
    path = parquet(tmp_path / "e.parquet", Weight=[0.5], id=["x"], target=["a"], source=["b"])
    edges = read_edges(path)
    assert links(edges) == [("b", "a")]
    assert edges.weights is not None
    assert edges.weights.tolist() == [0.5]
    assert read_edges(path, weighted=False).weights is None


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"source": ["a"]}, "columns source and target, .* got source"),
        ({"x": ["a"]}, "at least two columns, got x"),
        (
            {"source": ["a"], "target": [1.5]},
            "expected integers or strings as names, got .* double",
        ),
        ({"source": ["a", "b"], "target": ["b", None]}, "row 2: a name is empty"),
        ({"source": ["a"], "target": [""]}, "a name is empty"),
        ({"source": [1], "target": [2], "weight": [-2]}, "as weight, got -2"),
        ({"source": [1], "target": [2], "weight": [float("nan")]}, "as weight, got nan"),
        ({"source": [1], "target": [2], "weight": ["x"]}, "expected numbers as weight"),
        ({"source": [1], "target": [2], "weight": [1e39]}, "as weight, got 1e.39"),
        ({"source": pa.array([], pa.string()), "target": pa.array([], pa.string())}, "no link"),
    ],
)
def test_parquet_that_holds_no_links_is_refused(tmp_path: Path, columns, message: str) -> None:
    with pytest.raises(OfflineInputError, match=message):
        read_edges(parquet(tmp_path / "e.parquet", **columns))


@pytest.mark.parametrize("keep", [0, 10, -20])
def test_unreadable_parquet_is_refused(tmp_path: Path, keep: int) -> None:
    path = parquet(tmp_path / "e.parquet", source=["a"], target=["b"])
    written(path, path.read_bytes()[:keep])
    with pytest.raises(OfflineInputError, match=r"cannot read .*e\.parquet as Parquet"):
        read_edges(path)


def test_parquet_is_known_by_its_first_bytes(tmp_path: Path) -> None:
    path = parquet(tmp_path / "e.tsv", source=["a"], target=["b"])
    assert links(read_edges(path)) == [("a", "b")]
