"""Which links never become URLs of the crawl, by how they are spelled.

A program that makes endless URLs makes them longer and longer, or of the same parts over and over.
What is refused here no honest site was found to link to; what is merely odd is admitted and left to
the budgets (`frontier/traps/budgets.py`). Session ids are no reason to refuse a link: well-known
ones are taken out of its canonical URL, and others lead to pages that say nothing new.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from frontier.traps._urls import is_plain

if TYPE_CHECKING:
    from frontier.traps.limits import TrapLimits

TOO_LONG = "URL longer than FRONTIER_MAX_URL_LENGTH"
TOO_DEEP = "path deeper than FRONTIER_MAX_PATH_DEPTH"
REPEATS = "path repeats itself"
TOO_MANY_ARGUMENTS = "more query arguments than FRONTIER_MAX_QUERY_ARGUMENTS"
ARGUMENT_REPEATS = "query repeats an argument"
ESCAPED_ESCAPES = "escapes of escapes"

_ROUNDS = 3
"""How often a path may go through the same folders at once: /a/b/a/b is a name for something,
/a/b/a/b/a/b a link that grew out of itself. Heritrix draws the line there as well."""
_ROUNDS_OF_NUMBERS = 5
"""The same of a number alone: /2011/11/11/11 is the 11th post of a day."""
_SAME_PART = 5
"""How often a folder's name may stand anywhere in a path."""
_LONGEST_ROUND = 6
_MOST_PARTS = 24
"""Of a path whose parts are compared at a glance."""
_SAME_ARGUMENT = 8
"""How often an argument may have a name: lists of filters and forms are written that way."""
# A percent sign escaped three times; "&amp;" escaped twice more.
_ESCAPES = re.compile(r"%25(?:25){2}|&(?:amp;){3}", re.IGNORECASE)


class UrlLimits:
    """Says why a link is refused."""

    def __init__(self, limits: TrapLimits) -> None:
        self._limits = limits

    def refusal(self, url: str) -> str | None:
        """Return the reason to refuse an absolute URL, None if there is none; never raises."""
        limits = self._limits
        if limits.url_length and len(url) > limits.url_length:
            return TOO_LONG
        if is_plain(url, limits.path_depth or _MOST_PARTS, _SAME_ARGUMENT - 1):
            return None
        if ("%25" in url or "amp;" in url) and _ESCAPES.search(url):
            return ESCAPED_ESCAPES
        path, _, query = url.partition("?")
        parts = path.rstrip("/").split("/")[3:]
        if limits.path_depth and len(parts) > limits.path_depth:
            return TOO_DEEP
        if len(parts) >= _ROUNDS and _repeats(parts):
            return REPEATS
        return self._of_query(query) if query else None

    def _of_query(self, query: str) -> str | None:
        n = query.count("&") + 1
        if n < _SAME_ARGUMENT:
            return None
        if self._limits.query_arguments and n > self._limits.query_arguments:
            return TOO_MANY_ARGUMENTS
        names = Counter(one.partition("=")[0] for one in query.split("&"))
        return ARGUMENT_REPEATS if max(names.values()) > _SAME_ARGUMENT else None


def _repeats(parts: list[str]) -> bool:
    """Whether folders follow one another again and again, or one name stands everywhere."""
    if len(set(parts)) == len(parts):
        return False
    parts = [part.lower() for part in parts]
    if any(_goes_round(parts, length) for length in range(1, min(_LONGEST_ROUND, len(parts)) + 1)):
        return True
    names = Counter(part for part in parts if part and not part.isdigit())
    return bool(names) and max(names.values()) >= _SAME_PART


def _goes_round(parts: list[str], length: int) -> bool:
    """Whether the same `length` parts stand several times in a row."""
    same = 0
    for at in range(length, len(parts)):
        same = same + 1 if parts[at] == parts[at - length] else 0
        if same and same >= _needed(parts[at - length + 1 : at + 1]):
            return True
    return False


def _needed(unit: list[str]) -> int:
    """How many parts in a row must equal those one round before."""
    numbers = all(part.isdigit() for part in unit)
    return ((_ROUNDS_OF_NUMBERS if numbers else _ROUNDS) - 1) * len(unit)
