r"""Text as it may be printed: pages choose titles and links, and a terminal obeys some characters.

Everything that is printed for people goes through `shown`: commands, reports, the line of progress,
the log, messages of errors. Characters that a terminal would obey or could not show (control
characters of both kinds, DEL, marks that turn the direction of writing, ends of lines, halves of
characters) are written as Python writes them, `\x1b` or `\u202e`; nothing is hidden or obeyed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, TextIO
from unicodedata import category, combining, east_asian_width

HIDDEN = "***"
"""Printed in the place of a password."""

_JOINERS = "\u200c\u200d"
"""Without width or effect, and within words of some languages."""
_CUT = "…"
_ENDS_AND_TABS = re.compile(r"[^\n\t]+")
# What follows the host's colon is a password unless it is a port; it may hold what should have been
# percent-encoded. The second form is libpq's.
_PASSWORDS = re.compile(
    r"(://[^\s/?#:@\[]*:)(?!\d*(?:[/?#\s,;'\")\]}>]|$))(?:[^\s/?#]*|[^\s@]*)(?=@)"
    r"|(password\s*=\s*)(?:'(?:[^'\\]|\\.)*'|[^\s&'\"]+)",
    re.IGNORECASE,
)


def shown(text: str) -> str:
    """The text in one line, all of it visible and nothing obeyed."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char in _JOINERS else _spelled(char) for char in text
    )


def hide_passwords(text: str) -> str:
    """The text without passwords: those in URLs, and libpq's `password=...`."""
    if "@" not in text and "=" not in text:
        return text
    return _PASSWORDS.sub(rf"\1\2{HIDDEN}", text)


def shown_lines(text: str) -> str:
    """The same of several lines, whose ends and tabs stay."""
    if text.isprintable():
        return text
    return _ENDS_AND_TABS.sub(lambda line: shown(line[0]), text)


def _spelled(character: str) -> str:
    # Spaces of other widths, of which U+00A0 is the first, are spaces.
    return " " if category(character) == "Zs" else ascii(character)[1:-1]


def columns(text: str) -> int:
    """How many places of a terminal a shown text takes."""
    return len(text) if text.isascii() else sum(map(_places, text))


def _places(character: str) -> int:
    if combining(character) or character in _JOINERS:
        return 0
    return 2 if east_asian_width(character) in "WF" else 1


def padded(text: str, width: int, *, left: bool) -> str:
    """A shown text with blanks, at its right if it stands at the left."""
    blanks = " " * (width - columns(text))
    return text + blanks if left else blanks + text


def cut(text: str, most: int, end: str = _CUT) -> str:
    """A shown text in at most so many places, with a sign where it was cut."""
    if columns(text) <= most:
        return text
    kept, room = [], most - len(end)
    for character in text:
        room -= _places(character)
        if room < 0:
            break
        kept.append(character)
    return "".join(kept) + end


def say(lines: Iterable[str], stream: TextIO) -> None:
    """Print lines, also where the stream lacks a character; raises as its `write` does."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    text = "".join(f"{shown(line)}\n" for line in lines)
    stream.write(text.encode(encoding, "replace").decode(encoding))
    stream.flush()


def as_json(value: Any) -> list[str]:
    """Lines of JSON in printable ASCII; other characters are escaped."""
    # DEL is ASCII, and no control character to JSON.
    return json.dumps(value, indent=2, allow_nan=False).replace("\x7f", "\\u007f").split("\n")
