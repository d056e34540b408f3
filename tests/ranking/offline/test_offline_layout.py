"""What first lines say about the columns, as tables."""

from __future__ import annotations

import pytest

from ranking.offline.layout import (
    BLANKS,
    COMMA,
    NONE,
    SEMICOLON,
    TAB,
    Layout,
    edge_layout,
    value_layout,
)

TABLE = Layout(TAB, 0, NONE, 1, head=True, commented=False)


@pytest.mark.parametrize(
    ("line", "separator"),
    [
        ("0\t1", TAB),
        ("a b\tc d", TAB),
        ("a,b\tc,d\t1", TAB),
        ("0 1", BLANKS),
        ("0   1  0.5", BLANKS),
        ("http://x.example/a,b http://x.example/c", BLANKS),
        ("0,1", COMMA),
        ("0, 1", COMMA),
        ("a,b,0.5", COMMA),
        ("New York,Los Angeles", COMMA),
        ("New York, Los Angeles", COMMA),
        ('"a,b","c"', COMMA),
        ("a;b", SEMICOLON),
        ("a;b;1", SEMICOLON),
        ("alone", BLANKS),
    ],
)
def test_the_separator_is_the_one_that_makes_a_link(line: str, separator: str) -> None:
    assert edge_layout([line], "edges").separator == separator


@pytest.mark.parametrize(
    ("path", "line", "separator"),
    [
        ("e.csv", "a b,c d", COMMA),
        ("e.csv", "a;b", SEMICOLON),
        ("e.csv.gz", "a,b,some text,1", COMMA),
        ("e.csv", "a b", BLANKS),
        ("e.tsv", "a\tb", TAB),
        ("e.tsv", "a b", BLANKS),
    ],
)
def test_a_suffix_goes_before_the_look(path: str, line: str, separator: str) -> None:
    assert edge_layout([line], path).separator == separator


def test_a_separator_that_was_given_goes_before_all() -> None:
    assert edge_layout(["a\tb,c"], "e.tsv", COMMA).separator == COMMA


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("source,target", Layout(COMMA, 0, 1, NONE, head=True)),
        ("Source,Target,Type,Id,Label,Weight", Layout(COMMA, 0, 1, 5, head=True)),
        ("id,target,source", Layout(COMMA, 2, 1, NONE, head=True)),
        ("FromNodeId\tToNodeId", Layout(TAB, 0, 1, NONE, head=True)),
        ("from to weight", Layout(BLANKS, 0, 1, 2, head=True)),
    ],
)
def test_a_line_that_names_the_columns_says_where_they_are(line: str, expected: Layout) -> None:
    assert edge_layout([line, "1 2"], "edges") == expected


@pytest.mark.parametrize(
    ("lines", "head"),
    [
        (["id_1,id_2", "0,5"], True),
        (["id_1,id_2", "0,a"], False),
        (["a,b", "c,d"], False),
        (["1,b", "0,5"], False),
        (["a,b"], False),
    ],
)
def test_words_above_integers_are_a_head_line(lines: list[str], head: bool) -> None:
    assert edge_layout(lines, "edges").head == head


def test_only_blanks_limit_the_number_of_fields() -> None:
    assert edge_layout(["a b"], "edges").limit == 3
    assert edge_layout(["a\tb"], "edges").limit == 0


def test_an_empty_file_has_some_layout() -> None:
    assert edge_layout([], "edges").head is False


@pytest.mark.parametrize(
    ("line", "separator", "expected"),
    [
        ("a\t1", BLANKS, Layout(TAB, 0, NONE, 1)),
        ("a 1", BLANKS, Layout(BLANKS, 0, NONE, 1)),
        ("a b", TAB, Layout(TAB, 0, NONE, 1)),
        ("name", TAB, Layout(TAB, 0, NONE, 1)),
        ("name\tscore\thub", TAB, TABLE),
        ("url\trelevance", TAB, TABLE),
        ("name\t5", TAB, Layout(TAB, 0, NONE, 1)),
    ],
)
def test_values_stand_behind_names(line: str, separator: str, expected: Layout) -> None:
    assert value_layout([line], separator) == expected
