"""What first lines say about the columns, as tables."""

from __future__ import annotations

import pytest

from ranking.offline.layout import (
    BLANKS,
    COMMA,
    SEMICOLON,
    TAB,
    FileLayout,
    edge_layout,
    value_layout,
)

ENDS = {"source": 0, "target": 1}
WEIGHTED = ENDS | {"weight": 2}


@pytest.mark.parametrize(
    ("path", "line", "separator"),
    [
        ("edges", "0\t1", TAB),
        ("edges", "a b\tc d", TAB),
        ("edges", "a,b\tc,d\t1", TAB),
        ("edges", "0 1", BLANKS),
        ("edges", "0   1  0.5", BLANKS),
        ("edges", "http://x.example/a,b http://x.example/c", BLANKS),
        ("edges", "0,1", COMMA),
        ("edges", "a;b;1", SEMICOLON),
        ("edges", "alone", BLANKS),
        ("e.csv", "a b,c d", COMMA),
        ("e.csv", "New York, Los Angeles", COMMA),
        ("e.csv", '"a;b",c', COMMA),
        ("e.csv", "a;b", SEMICOLON),
        ("e.csv.gz", "a\tb,some text,1", COMMA),
        ("e.csv", "a b", BLANKS),
    ],
)
def test_the_separator_is_that_of_the_first_line(path: str, line: str, separator: str) -> None:
    assert edge_layout([line], path).separator == separator


def test_a_separator_that_was_given_goes_before_all() -> None:
    assert edge_layout(["a\tb,c"], "e.tsv", COMMA).separator == COMMA


@pytest.mark.parametrize(
    ("line", "separator", "columns"),
    [
        ("source,target", COMMA, ENDS),
        ("Source,Target,Type,Id,Label,Weight", COMMA, ENDS | {"weight": 5}),
        ("id,target,source", COMMA, {"source": 2, "target": 1}),
        ("FromNodeId\tToNodeId", TAB, ENDS),
        ("from to weight", BLANKS, WEIGHTED),
    ],
)
def test_a_line_that_names_the_columns_says_where_they_are(line, separator, columns) -> None:
    fields = len(line.split(separator))
    data = separator.join("1" * fields)
    for integers, second in ((True, data), (False, data.replace("1", "x"))):
        expected = FileLayout(separator, fields, columns, head=True, integers=integers)
        assert edge_layout([line, second], "edges") == expected


@pytest.mark.parametrize(
    ("lines", "head", "integers"),
    [
        (["id_1,id_2", "0,5"], True, True),
        (["id_1,id_2", "0,a"], False, False),
        (["a,b", "c,d"], False, False),
        (["1,b", "0,5"], False, False),
        (["a,b"], False, False),
        (["1,2"], False, True),
        (["1,2,x", "3,4,y"], False, True),
        (["-1,2"], False, False),
    ],
)
def test_words_above_integers_are_a_head_line(lines: list[str], head: bool, integers: bool) -> None:
    layout = edge_layout(lines, "edges")
    assert (layout.head, layout.integers) == (head, integers)


@pytest.mark.parametrize(
    ("line", "path", "expected"),
    [
        ("a\t1", "v", FileLayout(TAB, 2, {"name": 0, "value": 1})),
        ("a b", "v", FileLayout(TAB, 1, {"name": 0})),
        ("a,1", "v.csv", FileLayout(COMMA, 2, {"name": 0, "value": 1})),
        ("a,b\t1", "v.csv", FileLayout(TAB, 2, {"name": 0, "value": 1})),
        ("name", "v", FileLayout(TAB, 1, {"name": 0})),
        ("name\tscore\thub", "v", FileLayout(TAB, 3, {"name": 0, "value": 1}, head=True)),
        ("url\trelevance", "v", FileLayout(TAB, 2, {"name": 0, "value": 1}, head=True)),
        ("name\t5", "v", FileLayout(TAB, 2, {"name": 0, "value": 1})),
    ],
)
def test_values_stand_behind_names(line: str, path: str, expected: FileLayout) -> None:
    assert value_layout([line], path) == expected
