"""Which of many rules is the longest that matches a path (RFC 9309, sections 2.2.2 and 2.2.3).

No regular expression: `*a*a*a*b` would make one try exponentially many ways. Patterns without
wildcards lie in a hash table by their text, and a path is looked up by its beginnings, longest
first: that costs what the path is long, however many rules there are. A pattern with wildcards is
matched from left to right, each part at its first place, which is enough and linear; those are
tried longest first, until one matches or the rest is shorter than what already has.
"""

from __future__ import annotations

from typing import NamedTuple

WILD = "*"
END = "$"


class Match(NamedTuple):
    """Length of the longest pattern that matches, -1 without one, and what its rule says."""

    length: int
    allows: bool


NOTHING = Match(-1, True)


class Pattern(NamedTuple):
    """A pattern with wildcards, ready to be matched."""

    length: int
    allows: bool
    head: str
    parts: tuple[str, ...]
    """What must follow, in this order."""
    tail: str | None
    """What the path must end with; None: it may go on."""

    def matches(self, path: str) -> bool:
        """Whether the path begins as the pattern says, or is what it says up to its end."""
        if not path.startswith(self.head):
            return False
        at = len(self.head)
        for part in self.parts:
            found = path.find(part, at)
            if found < 0:
                return False
            at = found + len(part)
        return self.tail is None or (len(path) - len(self.tail) >= at and path.endswith(self.tail))


class RuleTable:
    """Allow and disallow rules of one group; complete before the first match is asked for."""

    def __init__(self) -> None:
        self._beginnings: dict[str, bool] = {}
        self._whole: dict[str, bool] = {}
        self._wild: dict[str, Pattern] = {}
        self._lengths: list[int] = []
        self._sorted: list[Pattern] = []

    def __len__(self) -> int:
        return len(self._beginnings) + len(self._whole) + len(self._wild)

    def add(self, pattern: str, *, allows: bool) -> None:
        """Add a rule; of an allow and a disallow of the same pattern the allow holds."""
        anchored = pattern.endswith(END)
        text = pattern[:-1] if anchored else pattern
        if WILD in text:
            if allows or pattern not in self._wild:
                self._wild[pattern] = _parsed(pattern, text, allows=allows, anchored=anchored)
            return
        table = self._whole if anchored else self._beginnings
        table[text] = allows or table.get(text, False)

    def finish(self) -> RuleTable:
        """Make ready for `longest`."""
        self._lengths = sorted({len(text) for text in self._beginnings}, reverse=True)
        self._sorted = sorted(self._wild.values(), key=lambda one: (-one.length, not one.allows))
        return self

    def longest(self, path: str) -> Match:
        """Find the longest pattern that matches; an allow before a disallow of the same length."""
        best = self._longest_beginning(path)
        if path in self._whole:
            best = max(best, Match(len(path) + 1, self._whole[path]))
        for one in self._sorted:
            if one.length < best.length:
                break
            if one.matches(path):
                return max(best, Match(one.length, one.allows))
        return best

    def _longest_beginning(self, path: str) -> Match:
        for length in self._lengths:
            if length <= len(path):
                allows = self._beginnings.get(path[:length])
                if allows is not None:
                    return Match(length, allows)
        return NOTHING


def _parsed(pattern: str, text: str, *, allows: bool, anchored: bool) -> Pattern:
    head, *rest = text.split(WILD)
    tail = rest.pop() if anchored else None
    return Pattern(len(pattern), allows, head, tuple(part for part in rest if part), tail)
