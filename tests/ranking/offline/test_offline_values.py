"""Files of names and values: what is known, what is not, and what is wrong."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ranking.offline import OfflineInputError, read_edges, read_values


def names_of(folder: Path, text: str) -> pa.Array:
    (folder / "e.tsv").write_text(text)
    return read_edges(folder / "e.tsv").names


@pytest.fixture
def names(tmp_path: Path) -> pa.Array:
    names = names_of(tmp_path, "a\tb\nb\tc d\n")
    assert names.to_pylist() == ["a", "b", "c d"]
    return names


def values_of(folder: Path, text: str, names: pa.Array, name: str = "values.tsv"):
    (folder / name).write_text(text)
    return read_values(folder / name, names)


def test_values_come_by_id_and_others_are_0(tmp_path: Path, names: pa.Array) -> None:
    values, unknown = values_of(tmp_path, "# x\nc d\t0.25\na\t\n", names)
    assert values.tolist() == [1, 0, 0.25]
    assert unknown == []


@pytest.mark.parametrize("text", ["c d\na\n", "# seeds\r\nc d\r\na"])
def test_a_list_of_names_has_the_value_1(tmp_path: Path, names: pa.Array, text: str) -> None:
    assert values_of(tmp_path, text, names)[0].tolist() == [1, 0, 1]


def test_unknown_names_are_returned(tmp_path, names) -> None:
    _, unknown = values_of(tmp_path, "a\t1\n" + "".join(f"x{k}\t1\n" for k in range(9)), names)
    assert unknown == [f"x{k}" for k in range(9)]


def test_a_file_of_another_graph_is_refused(tmp_path: Path, names: pa.Array) -> None:
    with pytest.raises(OfflineInputError, match="none of its 2 names is in the graph, such as 'x'"):
        values_of(tmp_path, "x\t1\ny\t1\n", names)
    with pytest.raises(OfflineInputError, match="none of its 0 names"):
        values_of(tmp_path, "", names)


@pytest.mark.parametrize("line", ["a\t-1", "a\tx", "a\tnan", "a\tinf", "a\t1e999", "\t1", "a"])
def test_bad_rows_are_named(tmp_path: Path, names: pa.Array, line: str) -> None:
    with pytest.raises(OfflineInputError, match=r"values\.tsv.*row 2: "):
        values_of(tmp_path, f"b\t1\n{line}\n", names)


def test_a_name_may_come_twice_with_one_value_only(tmp_path, names, monkeypatch) -> None:
    assert values_of(tmp_path, "a\t2\na\t2\n", names)[0].tolist() == [2, 0, 0]
    for size in (40, 1 << 20):
        monkeypatch.setattr("ranking.offline.tables.BLOCK", size)
        with pytest.raises(OfflineInputError, match=r"'a' has two values, 2\.0 and 3\.0"):
            values_of(tmp_path, "a\t2\nb\t1\na\t3\n", names)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("v.tsv", "name\tscore\thub\na\t0.5\t1\nb\t0.25\t2\n"),
        ("v.csv", "a,0.5\nb,0.25\n"),
        ("v.csv", '"a",0.5\n"b",0.25\n'),
    ],
)
def test_a_table_of_scores_is_a_file_of_values(tmp_path, names, name: str, text: str) -> None:
    assert values_of(tmp_path, text, names, name)[0].tolist() == [0.5, 0.25, 0]


def test_a_name_of_a_table_may_look_like_a_comment(tmp_path: Path) -> None:
    names = names_of(tmp_path, "b\t#a\n")
    assert values_of(tmp_path, "# x\nname\tscore\n#a\t2\n", names)[0].tolist() == [0, 2]


def test_values_may_lie_in_parquet(tmp_path: Path, names: pa.Array) -> None:
    path = tmp_path / "v.parquet"
    pq.write_table(pa.table({"name": ["b", "z"], "score": [0.5, 1], "hub": [3, 4]}), path)
    values, unknown = read_values(path, names)
    assert values.tolist() == [0, 0.5, 0]
    assert unknown == ["z"]
    pq.write_table(pa.table({"name": ["b"]}), path)
    with pytest.raises(OfflineInputError, match="a column of values, got name"):
        read_values(path, names)


def test_integers_of_a_graph_are_found_in_every_form(tmp_path: Path) -> None:
    names = names_of(tmp_path, "3\t7\n")
    assert values_of(tmp_path, "7\t2\n4\t1\n", names)[0].tolist() == [0, 2]
    path = tmp_path / "v.parquet"
    pq.write_table(pa.table({"id": [7], "value": [2]}), path)
    assert read_values(path, names)[0].tolist() == [0, 2]
