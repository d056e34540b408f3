"""What the columns of a text file are, read from its first lines.

The separator is the first of tab, blanks, comma and semicolon under which the first line is a
link: two names, and a number if there is a third field; a suffix .csv decides before that. A first
line is a head line if it names the columns in one of the usual ways, or if it holds words where
the second line holds integers.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

TAB, BLANKS, COMMA, SEMICOLON = "\t", " ", ",", ";"
SEPARATORS = {"tab": TAB, "space": BLANKS, "comma": COMMA, "semicolon": SEMICOLON}
NONE = -1

_ENDS = (("source", "target"), ("from", "to"), ("src", "dst"), ("fromnodeid", "tonodeid"))
_NAMES = ("name", "url", "node", "id")


@dataclass(frozen=True)
class Layout:
    """Where the fields of a line are.

    Attributes:
        separator: one character; a blank stands for any run of blanks and tabs.
        first: column of the first name.
        second: column of the second name; NONE: lines have one name.
        value: column of the number; NONE: there is none.
        limit: the most fields a line may have; 0: any number.
        head: the first line names the columns, and is no data.
        commented: lines that start with # or % are comments.

    """

    separator: str
    first: int = 0
    second: int = 1
    value: int = 2
    limit: int = 0
    head: bool = False
    commented: bool = True

    @property
    def names(self) -> int:
        """Names a line."""
        return 1 if self.second == NONE else 2


def edge_layout(lines: Sequence[str], path: str, separator: str | None = None) -> Layout:
    """The layout of an edge list.

    Args:
        lines: its first lines, without comments and empty lines; may be empty.
        path: for its suffix.
        separator: of SEPARATORS' values; None: to be found out.

    """
    first = lines[0] if lines else ""
    if separator is None:
        separator = _separator(path, first)
    fields = _split(first, separator)
    low = [field.lower() for field in fields]
    for source, target in _ENDS:
        if source in low and target in low:
            weight = low.index("weight") if "weight" in low else NONE
            return Layout(separator, low.index(source), low.index(target), weight, head=True)
    # Blanks may well be part of names: more fields than a link has are a mistake there.
    limit = 3 if separator == BLANKS else 0
    return Layout(separator, limit=limit, head=_is_head(fields, lines[1:], separator))


def value_layout(lines: Sequence[str], separator: str) -> Layout:
    """The layout of a file of names and values, one name a line.

    Args:
        lines: its first lines, without comments and empty lines.
        separator: of the edge list; a tab in the first line goes before it.

    """
    first = lines[0] if lines else ""
    separator = TAB if TAB in first else separator
    fields = _split(first, separator)
    # A table that a program wrote has no comments, but may have names that look like one.
    head = len(fields) > 1 and fields[0].lower() in _NAMES and not is_number(fields[1])
    return Layout(separator, 0, NONE, 1, head=head, commented=not head)


def is_number(field: str) -> bool:
    """Whether a field is any number, one that no weight may be included."""
    try:
        float(field)
    except ValueError:
        return False
    return "_" not in field


def _separator(path: str, line: str) -> str:
    if ".csv" in map(str.lower, Path(path).suffixes[-2:]):
        usual = next((one for one in (COMMA, SEMICOLON, TAB) if one in line), None)
        if usual is not None:
            return usual
    fitting = (one for one in SEPARATORS.values() if _is_edge(_split(line, one), one))
    return next(fitting, COMMA if COMMA in line else BLANKS)


def _is_edge(fields: list[str], separator: str) -> bool:
    if separator == TAB:
        return len(fields) > 1
    listed = any(field.endswith((COMMA, SEMICOLON)) for field in fields[:-1])
    if separator == BLANKS and (listed or len(fields) > 3):
        return False
    return len(fields) == 2 or (len(fields) > 2 and is_number(fields[2]))


def _split(line: str, separator: str) -> list[str]:
    if separator == BLANKS:
        return line.split()
    if separator == TAB:
        return [field.strip() for field in line.split(TAB)]
    return [field.strip() for field in next(csv.reader([line], delimiter=separator), [])]


def _is_head(fields: list[str], following: Sequence[str], separator: str) -> bool:
    if len(fields) < 2 or not following:
        return False
    second = _split(following[0], separator)[:2]
    return not any(is_number(field) for field in fields[:2]) and (
        len(second) == 2 and all(field.isascii() and field.isdigit() for field in second)
    )
