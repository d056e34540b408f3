"""Which groups of a robots.txt are for a crawler (RFC 9309, section 2.2.1).

All groups of a product token are one group, and those of `*` are for whoever has none. A token is
compared as a whole, in any case: neither `probe-news` nor `pro` is `probe`. Only allow and disallow
lines end the list of user agents of a group: neither sitemaps nor delays nor unknown lines do
(section 2.2.4). A delay, of which the RFC knows nothing, is for the user agents right before it
alone: whoever writes one for `probe` and then one for `*` means two groups.
"""

from __future__ import annotations

import math
import re

from frontier.robots.parser import Field

ANYBODY = "*"
_NAME = re.compile(r"[^/();,:%*]+")


def group_name(value: str) -> str:
    """Whom a user-agent line is for: ANYBODY, or a product token in lower case; "" for nobody.

    `value` is percent-encoded. What follows the token (a version, a second word) is ignored, as
    Google's parser does.
    """
    if value.partition("%")[0] == ANYBODY:
        return ANYBODY
    named = _NAME.match(value)
    return named[0].lower() if named else ""


class Groups:
    """Reads groups line by line, and keeps what is for a token (lower case) and for anybody."""

    def __init__(self, token: str) -> None:
        self._token = token
        self._rules: dict[str, list[tuple[Field, str]]] = {ANYBODY: []}
        self._delays: dict[str, list[float]] = {ANYBODY: [], token: []}
        self._open: set[str] = set()
        self._delayed: set[str] = set()
        self._delay_came = False
        self._ended = False

    def take(self, field: Field, value: str) -> None:
        """Read the next line: a user agent, a rule or a delay."""
        if field is Field.AGENT:
            self._agent(group_name(value))
        elif field is Field.DELAY:
            self._delay_came = True
            for name in self._delayed:
                self._delays[name] += _seconds(value)
        else:
            self._ended = True
            for name in self._open:
                self._rules[name].append((field, value))

    def _agent(self, name: str) -> None:
        if self._ended:
            self._open.clear()
        if self._ended or self._delay_came:
            self._delayed.clear()
            self._ended = self._delay_came = False
        if name == ANYBODY or (name and name == self._token):
            self._rules.setdefault(name, [])
            self._open.add(name)
            self._delayed.add(name)

    def ours(self) -> tuple[list[tuple[Field, str]], list[float]]:
        """Rules and delays of our group, if there is one, or else of anybody's."""
        name = self._token if self._token in self._rules else ANYBODY
        return self._rules[name], self._delays[name]


def _seconds(value: str) -> list[float]:
    """The delay a value says, if it does; garbage is ignored."""
    try:
        delay = float(value)
    except ValueError:
        return []
    return [delay] if math.isfinite(delay) and delay >= 0 else []
