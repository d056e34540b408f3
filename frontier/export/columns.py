"""What is said of a node and of an edge, in this order in every format."""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple


class Kind(Enum):
    """What the values of a column are, as XML calls it; any of them may be unknown, None."""

    TEXT = "string"
    INTEGER = "long"
    REAL = "double"
    BOOLEAN = "boolean"


class Column(NamedTuple):
    """A name and what stands under it."""

    name: str
    kind: Kind


ID = Column("id", Kind.INTEGER)
NODE_COLUMNS = (
    Column("url", Kind.TEXT),
    Column("state", Kind.TEXT),
    Column("host", Kind.TEXT),
    Column("depth", Kind.INTEGER),
    Column("seed", Kind.BOOLEAN),
    Column("status", Kind.INTEGER),
    Column("error", Kind.TEXT),
    Column("title", Kind.TEXT),
    Column("fetched", Kind.TEXT),
    Column("relevance", Kind.REAL),
    Column("priority", Kind.REAL),
    Column("in_links", Kind.INTEGER),
    Column("marks", Kind.TEXT),
    Column("twin", Kind.INTEGER),
)
"""Behind them stands a column of reals for each score of the crawl's order."""

ENDS = (Column("source", Kind.INTEGER), Column("target", Kind.INTEGER))
WEIGHT = 1
EDGE_COLUMNS = (
    Column("anchor", Kind.TEXT),
    Column("weight", Kind.REAL),
    Column("promise", Kind.REAL),
    Column("redirect", Kind.BOOLEAN),
)

Value = str | int | float | bool | None
Row = tuple[Value, ...]
"""The id of a node, or both of an edge, and the values of its columns."""

# XML 1.0, production 2 (Char).
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def cleaned(text: str) -> str:
    """Return a text with U+FFFD for what XML cannot hold: most controls, lone surrogates, U+FFFE.

    The other formats get the same text: many readers of CSV and UTF-8 stumble over the same.
    """
    return _ILLEGAL.sub("\ufffd", text)
