"""Edge lists in every form they come in, against a plain loop over the same links."""

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

from ranking.graph.link_graph import LinkGraph
from ranking.offline import EdgeList, OfflineInputError, read_edges

LINKS = [("b", "a"), ("a", "c"), ("b", "c"), ("b", "b"), ("b", "a")]


def links(edges: EdgeList) -> list[tuple[str, str]]:
    names = list(edges.names)
    return [(names[s], names[t]) for s, t in zip(edges.sources, edges.targets, strict=True)]


def written(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def zstd(data: bytes) -> bytes:
    return pa.compress(data, "zstd", asbytes=True)


def lines(rows, separator: str = "\t") -> str:
    return "".join(separator.join(map(str, row)) + "\n" for row in rows)


def test_names_get_ids_in_the_order_of_their_first_appearance(tmp_path: Path) -> None:
    edges = read_edges(written(tmp_path / "e.tsv", "# x\n" + lines(LINKS)))
    assert list(edges.names) == ["b", "a", "c"]
    assert links(edges) == LINKS
    assert edges.weights is None
    assert (edges.n, edges.n_links) == (3, 5)
    assert edges.notes == ("1 comment lines were skipped",)


def test_integers_get_ids_in_ascending_order_without_gaps(tmp_path: Path) -> None:
    rows = [("7", "3"), ("3", "100"), ("100", "7")]
    edges = read_edges(written(tmp_path / "e.txt", lines(rows, " ")))
    assert list(edges.names) == ["3", "7", "100"]
    assert edges.sources.tolist() == [1, 0, 2]
    assert edges.targets.tolist() == [0, 2, 1]


def test_dense_integers_are_used_as_they_are(tmp_path: Path) -> None:
    edges = read_edges(written(tmp_path / "e.txt", "2 0\n1 2\n0 1\n"))
    assert edges.sources.tolist() == [2, 1, 0]
    assert edges.targets.tolist() == [0, 2, 1]


@pytest.mark.parametrize("late", ["x", "2147483647", "99999999999999999999", "07", "1.0"])
def test_one_id_that_is_no_small_integer_makes_names_of_all(tmp_path: Path, late: str) -> None:
    rows = [("5", "1"), ("1", "9"), (late, "5")]
    edges = read_edges(written(tmp_path / "e.tsv", lines(rows)))
    assert list(edges.names) == ["5", "1", "9", late]
    assert links(edges) == rows


def test_integers_can_be_taken_for_names(tmp_path: Path) -> None:
    rows = [("-5", "1"), ("01", "1")]
    path = written(tmp_path / "e.tsv", lines(rows))
    assert list(read_edges(path, named=True).names) == ["-5", "1", "01"]
    with pytest.raises(OfflineInputError, match=r"line 1: expected integer ids of 0 .* got -5"):
        read_edges(path)


ids = st.integers(0, 30).map(str) | st.sampled_from(["a", "b", "00", "2147483647"])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(ids, ids), min_size=2, max_size=30), st.integers(1, 40))
def test_how_a_file_is_cut_into_pieces_changes_nothing(tmp_path, monkeypatch, rows, size) -> None:
    # A head line would have to be in the first piece with the line below it.
    path = written(tmp_path / "e.tsv", lines([("0", "1"), *rows]))
    whole = read_edges(path)
    with monkeypatch.context() as patch:
        patch.setattr("ranking.offline.lines.PIECE", size)
        patch.setattr("ranking.offline.edges.BLOCK", 3)
        cut = read_edges(path)
    assert list(cut.names) == list(whole.names)
    assert links(cut) == links(whole) == [("0", "1"), *rows]


@pytest.mark.parametrize(
    ("suffix", "pack"),
    [
        ("", bytes),
        (".gz", gzip.compress),
        (".bz2", bz2.compress),
        (".xz", lzma.compress),
        (".zst", zstd),
    ],
)
def test_compression_is_seen_in_the_first_bytes(tmp_path: Path, suffix: str, pack) -> None:
    data = lines(LINKS * 50).encode()
    assert links(read_edges(written(tmp_path / f"e.tsv{suffix}", pack(data)))) == LINKS * 50
    assert links(read_edges(written(tmp_path / "e.tsv", pack(data)))) == LINKS * 50


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, zstd])
def test_a_truncated_file_is_refused(tmp_path: Path, pack) -> None:
    rng = np.random.default_rng(1)
    data = pack(lines(rng.integers(0, 10**6, (50_000, 2))).encode())
    path = written(tmp_path / "e.tsv.gz", data[: len(data) // 2])
    with pytest.raises(OfflineInputError, match=r"e\.tsv\.gz is .*truncated"):
        read_edges(path)


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    data = bytearray(gzip.compress(lines(LINKS * 500).encode()))
    data[-8:-4] = b"0000"
    with pytest.raises(OfflineInputError, match="damaged or truncated"):
        read_edges(written(tmp_path / "e.tsv.gz", bytes(data)))


def test_weights_are_read_and_nothing_becomes_a_nofollow_link(tmp_path: Path) -> None:
    path = written(tmp_path / "e.csv", "a,b\nb,c,0\nc,a,2.5\n")
    edges = read_edges(path)
    assert edges.weights is not None
    assert edges.weights.dtype == np.float32
    assert edges.weights.tolist() == [1, 0, 2.5]
    assert read_edges(path, weighted=False).weights is None
    for weight in ("1e-50", "1e39"):
        bad = written(tmp_path / "bad.csv", f"a,b\nc,d,{weight}\n")
        with pytest.raises(OfflineInputError, match="line 2: expected a weight that a float32"):
            read_edges(bad)


def test_columns_that_mean_nothing_to_a_graph_can_be_ignored(tmp_path: Path) -> None:
    path = written(tmp_path / "e.txt", "0 1 1217567877 x\n")
    assert links(read_edges(path, weighted=False)) == [("0", "1")]
    with pytest.raises(OfflineInputError, match="line 1"):
        read_edges(path)


def test_a_head_line_is_no_link_and_is_told(tmp_path: Path) -> None:
    edges = read_edges(written(tmp_path / "e.csv", "weight,target,source\n2,a,b\n"))
    assert links(edges) == [("b", "a")]
    assert edges.weights is not None
    assert edges.weights.tolist() == [2]
    assert edges.notes == ("the first line names the columns: weight,target,source",)


def test_the_graph_is_that_of_the_links(tmp_path: Path) -> None:
    edges = read_edges(written(tmp_path / "e.tsv", lines(LINKS)))
    view = edges.graph().snapshot()
    expected = LinkGraph.from_edges([0, 1, 0, 0, 0], [1, 2, 2, 0, 1], n=3).snapshot()
    assert view.n == 3
    assert view.targets.tolist() == expected.targets.tolist()
    assert view.indptr.tolist() == expected.indptr.tolist()


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


def test_progress_ends_at_the_size_of_the_file(tmp_path: Path) -> None:
    path = written(tmp_path / "e.tsv.gz", gzip.compress(lines(LINKS * 99).encode()))
    told: list[tuple[int, int | None]] = []
    read_edges(path, progress=lambda *where: told.append(where))
    assert told[-1] == (path.stat().st_size, path.stat().st_size)


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
    monkeypatch.setattr("ranking.offline.parquet.ROWS", 2)
    sources, targets = (pa.array(column, pa.string()) for column in zip(*LINKS, strict=True))
    if not pa.types.is_dictionary(kind):
        sources, targets = sources.cast(kind), targets.cast(kind)
    else:
        sources, targets = sources.dictionary_encode(), targets.dictionary_encode()
    edges = read_edges(parquet(tmp_path / "e.parquet", source=sources, target=targets))
    assert list(edges.names) == ["b", "a", "c"]
    assert links(edges) == LINKS


@pytest.mark.parametrize("kind", [pa.int64(), pa.uint8(), pa.int32()], ids=str)
def test_integers_in_parquet_are_numbers(tmp_path: Path, kind) -> None:
    path = parquet(tmp_path / "e.parquet", x=pa.array([7, 3], kind), y=pa.array([3, 9], kind))
    edges = read_edges(path)
    assert list(edges.names) == ["3", "7", "9"]
    assert edges.sources.tolist() == [1, 0]


def test_large_integers_in_parquet_are_names(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("ranking.offline.parquet.ROWS", 1)
    path = parquet(tmp_path / "e.parquet", source=[4, 2**60, 7], target=[2, 4, 4], weight=[1, 2, 3])
    edges = read_edges(path)
    assert links(edges) == [("4", "2"), (str(2**60), "4"), ("7", "4")]
    assert edges.weights is not None
    assert edges.weights.tolist() == [1, 2, 3]


def test_integers_in_parquet_can_be_taken_for_names(tmp_path: Path) -> None:
    path = parquet(tmp_path / "e.parquet", source=[7, 3], target=[3, 9])
    assert list(read_edges(path, named=True).names) == ["7", "3", "9"]


def test_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    twice = pa.table([pa.array(["a"])] * 3, names=["source", "target", "source"])
    pq.write_table(twice, tmp_path / "e.parquet")
    with pytest.raises(OfflineInputError, match="expected one column source, got 2"):
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
        ({"source": ["a"], "target": [1.5]}, "expected integers or strings as ids, got .* double"),
        ({"source": ["a", "b"], "target": ["b", None]}, "row 2: column target is empty"),
        ({"source": ["a"], "target": [""]}, "a name is empty"),
        ({"source": [1], "target": [-2]}, "expected integer ids of 0 or more, got -2"),
        ({"source": [1], "target": [2], "weight": [-2]}, "0 or more as weight, got -2"),
        ({"source": [1], "target": [2], "weight": [float("nan")]}, "as weight, got nan"),
        ({"source": [1], "target": [2], "weight": ["x"]}, "expected numbers as weight"),
        ({"source": [1], "target": [2], "weight": [1e39]}, "float32 can hold"),
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
