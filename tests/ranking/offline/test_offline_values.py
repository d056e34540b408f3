"""Files of names and values: what is known, what is not, and what is wrong."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ranking.offline import OfflineInputError, read_edges, read_values
from ranking.offline.layout import BLANKS, TAB
from ranking.offline.names import Names


@pytest.fixture
def names(tmp_path: Path) -> Names:
    path = tmp_path / "e.tsv"
    path.write_text("a\tb\nb\tc d\n")
    return read_edges(path).names


def values_of(tmp_path: Path, text: str, names: Names, separator: str = TAB):
    path = tmp_path / "values.tsv"
    path.write_text(text)
    return read_values(path, names, separator)


def test_values_come_by_id_and_others_are_0(tmp_path: Path, names: Names) -> None:
    found = values_of(tmp_path, "# x\nc d\t0.25\na\n", names)
    assert found.values.tolist() == [1, 0, 0.25]
    assert (found.unknown, found.examples) == (0, ())


def test_unknown_names_are_counted_and_the_first_are_shown(tmp_path: Path, names: Names) -> None:
    found = values_of(tmp_path, "a\t1\n" + "".join(f"x{k}\t1\n" for k in range(9)), names)
    assert found.unknown == 9
    assert found.examples == ("x0", "x1", "x2", "x3", "x4")


def test_a_file_of_another_graph_is_refused(tmp_path: Path, names: Names) -> None:
    with pytest.raises(OfflineInputError, match="none of its 2 names is in the graph, such as 'x'"):
        values_of(tmp_path, "x\t1\ny\t1\n", names)
    with pytest.raises(OfflineInputError, match="none of its 0 names"):
        values_of(tmp_path, "", names)


@pytest.mark.parametrize("text", ["a\t-1\n", "a\tx\n", "a\tnan\n", "a\t\tx\n\t1\n"])
def test_bad_lines_are_named(tmp_path: Path, names: Names, text: str) -> None:
    with pytest.raises(OfflineInputError, match=r"values\.tsv, line [23]: expected"):
        values_of(tmp_path, "b\t1\n" + text, names)


def test_a_name_may_come_twice_with_one_value_only(tmp_path: Path, names: Names) -> None:
    assert values_of(tmp_path, "a\t2\na\t2\n", names).values.tolist() == [2, 0, 0]
    with pytest.raises(OfflineInputError, match=r"'a' has two values, 2\.0 and 3\.0"):
        values_of(tmp_path, "a\t2\nb\t1\na\t3\n", names)


def test_two_values_are_noticed_across_pieces(tmp_path: Path, names: Names, monkeypatch) -> None:
    monkeypatch.setattr("ranking.offline.lines.PIECE", 4)
    with pytest.raises(OfflineInputError, match="two values"):
        values_of(tmp_path, "a\t2\nb\t1\na\t3\n", names)


def test_the_separator_is_a_tab_or_that_of_the_links(tmp_path: Path, names: Names) -> None:
    assert values_of(tmp_path, "a 3\n", names, BLANKS).values.tolist() == [3, 0, 0]
    assert values_of(tmp_path, "c d\n", names, TAB).values.tolist() == [0, 0, 1]


def test_a_table_of_scores_is_a_file_of_values(tmp_path: Path, names: Names) -> None:
    table = "name\tscore\thub\na\t0.5\t1\nb\t0.25\t2\n"
    assert values_of(tmp_path, table, names).values.tolist() == [0.5, 0.25, 0]


def test_a_name_of_a_table_may_look_like_a_comment(tmp_path: Path) -> None:
    edges = tmp_path / "e.csv"
    edges.write_text('"#a",b\n')
    names = read_edges(edges).names
    assert values_of(tmp_path, "# x\nname\tscore\n#a\t2\n", names).values.tolist() == [2, 0]


def test_values_may_lie_in_parquet(tmp_path: Path, names: Names) -> None:
    path = tmp_path / "v.parquet"
    pq.write_table(pa.table({"name": ["b", "z"], "score": [0.5, 1], "hub": [3, 4]}), path)
    found = read_values(path, names, TAB)
    assert found.values.tolist() == [0, 0.5, 0]
    assert found.examples == ("z",)
    pq.write_table(pa.table({"name": ["b"]}), path)
    with pytest.raises(OfflineInputError, match="a column of values, got name"):
        read_values(path, names, TAB)


def test_integers_of_a_graph_are_found_in_every_form(tmp_path: Path) -> None:
    edges = tmp_path / "e.tsv"
    edges.write_text("3\t7\n")
    names = read_edges(edges).names
    assert values_of(tmp_path, "7\t2\n4\t1\n", names).values.tolist() == [0, 2]
    path = tmp_path / "v.parquet"
    pq.write_table(pa.table({"id": [7], "value": [2]}), path)
    assert read_values(path, names, TAB).values.tolist() == [0, 2]
