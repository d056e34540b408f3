"""What the columns of a text file are, read from its first two lines.

The separator of .csv is the first of comma, semicolon and tab that the first line has; of other
files it is a tab, else a comma or semicolon if the line has no blanks, else blanks. A first line is
a head line if it names the columns in one of the usual ways, or if it holds words where the second
line holds integers.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

TAB, BLANKS, COMMA, SEMICOLON = "\t", " ", ",", ";"
SEPARATORS = {"tab": TAB, "space": BLANKS, "comma": COMMA, "semicolon": SEMICOLON}

_ENDS = (("source", "target"), ("from", "to"), ("src", "dst"), ("fromnodeid", "tonodeid"))
_TABLES = ("name", "url", "node", "id")


class FileLayout(NamedTuple):
    """Where the fields of a line are.

    Attributes:
        separator: one character; a blank stands for any run of blanks and tabs.
        fields: fields of a line.
        columns: source and target and perhaps weight, or name and perhaps value -> place, from 0.
        head: the first line names the columns, and is no data.
        integers: the first names are integers.

    """

    separator: str
    fields: int
    columns: Mapping[str, int]
    head: bool = False
    integers: bool = False


def edge_layout(lines: Sequence[str], path: str, separator: str | None = None) -> FileLayout:
    """The layout of an edge list.

    Args:
        lines: its first lines, one or two.
        path: for its suffix.
        separator: of SEPARATORS' values; None: to be found out.

    """
    separator = separator or _separator(path, lines[0])
    first, *following = (_split(line, separator) for line in lines)
    low = [field.lower() for field in first]
    columns = dict(zip(("source", "target", "weight"), range(max(len(first), 2)), strict=False))
    head = bool(following) and not any(map(_is_number, first[:2])) and _integers(following[0])
    for source, target in _ENDS:
        if source in low and target in low:
            columns = {"source": low.index(source), "target": low.index(target)}
            if "weight" in low:
                columns["weight"] = low.index("weight")
            head = True
    data = following[0] if head and following else first
    integers = _integers(data, columns["source"], columns["target"])
    return FileLayout(separator, max(len(first), 2), columns, head, integers)


def value_layout(lines: Sequence[str], path: str) -> FileLayout:
    """The layout of a file of names and values: with tabs, or with commas where it is .csv."""
    separator = COMMA if _is_csv(path) and TAB not in lines[0] else TAB
    fields = _split(lines[0], separator)
    head = len(fields) > 1 and fields[0].lower() in _TABLES and not _is_number(fields[1])
    columns = dict(zip(("name", "value"), range(len(fields)), strict=False))
    return FileLayout(separator, len(fields), columns, head)


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return "_" not in field


def _integers(fields: list[str], *places: int) -> bool:
    """Whether the fields in two places, the first two by default, are integers."""
    ends = [fields[place] for place in places or (0, 1) if place < len(fields)]
    return len(ends) == 2 and all(end.isascii() and end.isdigit() for end in ends)


def _is_csv(path: str) -> bool:
    return ".csv" in map(str.lower, Path(path).suffixes[-2:])


def _separator(path: str, line: str) -> str:
    marks = [mark for mark in (TAB, COMMA, SEMICOLON) if mark in line]
    if _is_csv(path):
        marks.sort(key=(COMMA, SEMICOLON, TAB).index)
        return marks[0] if marks else BLANKS
    return marks[0] if marks and (marks[0] == TAB or BLANKS not in line.strip()) else BLANKS


def _split(line: str, separator: str) -> list[str]:
    if separator == BLANKS:
        return line.split()
    fields = line.split(TAB)
    if separator != TAB:
        fields = next(csv.reader([line], delimiter=separator), [])
    return [field.strip() for field in fields]
