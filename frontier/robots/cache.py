"""The robots.txt of every origin: its rules, how long they are valid, when to fetch them again.

An origin is KNOWN while its rules are valid, 24 hours at most. It is TO_ASK without valid rules. It
RESTS after it could not be reached: each failure in a row multiplies the pause by four, up to an
hour; meanwhile the last good file holds, if it is not older than 30 days (RFC 9309, 2.3.1.4). The
files are kept in the store; a rest ends with a restart. The rules of the origins used last are in
memory.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from frontier.records import RobotsRow
from frontier.robots.parser import LIMIT
from frontier.robots.response import DAY, RobotsAnswer, RobotsOutcome
from frontier.robots.rules import RobotsRules

REST = 2.0
"""Seconds from the first failure to the second try: most failures are over by then."""
STALE = 30 * DAY
"""Seconds the last good file holds while no new one can be fetched (RFC 9309, 2.3.1.4)."""
GROWTH = 4.0
LONGEST_REST = 3600.0
"""Most seconds between two tries, whatever Retry-After says: the server may be back any time."""
MOST_ORIGINS = 2_000
"""Origins in memory; each takes some kilobytes."""
MOST_RULES = 200_000
"""Rules in memory, of all origins; each takes 200 bytes to a kilobyte."""

NO_RULES = RobotsRules((), None)


class Freshness(Enum):
    """The state of an origin."""

    KNOWN = "known"
    TO_ASK = "to ask"
    RESTS = "rests"


class RobotsStore(Protocol):
    """The part of the store that keeps robots.txt files, see `frontier.store`."""

    def robots(self, origin: str) -> RobotsRow | None: ...

    def save_robots(self, row: RobotsRow) -> None: ...


@dataclass(slots=True)
class Origin:
    """The robots.txt of one origin; times are Unix seconds."""

    body: bytes | None = None
    """The last good file; None without one."""
    good: float | None = None
    known_until: float = 0.0
    """Until then `body` holds, or everything is allowed if that is None."""
    failures: int = 0
    """Failed tries in a row."""
    rests_until: float = 0.0
    reason: str = ""
    """Why the last try failed."""
    answered: bool = False
    """Whether the last failed try got an HTTP response."""


class RobotsCache:
    """The rules of each origin, or the time of the next try.

    `lifetime` and `stale` are how long a file is used at most, and how long once its origin cannot
    be reached any more; `rest` is the first pause after a failure; all in seconds. With `lenient`,
    an unreachable origin without a valid file allows everything.
    `on_rules` is called with an origin and its rules whenever these are read or have run out.
    """

    def __init__(
        self,
        notes: RobotsStore,
        *,
        limit: int = LIMIT,
        lifetime: float = DAY,
        stale: float = STALE,
        rest: float = REST,
        lenient: bool = False,
        clock: Callable[[], float] = time.time,
        on_rules: Callable[[str, RobotsRules], None] = lambda origin, rules: None,
    ) -> None:
        """`on_rules` is called with an origin and its rules, or NO_RULES, when they are read."""
        self._notes = notes
        self._limit = limit
        self._lifetime = lifetime
        self._stale = stale
        self._rest = rest
        self._lenient = lenient
        self._clock = clock
        self._origins: OrderedDict[str, Origin] = OrderedDict()
        self._rules: OrderedDict[tuple[str, str], RobotsRules] = OrderedDict()
        self._n_rules = 0
        self._on_rules = on_rules

    def freshness(self, origin: str) -> Freshness:
        """The state of an origin now."""
        known = self.known(origin)
        now = self._clock()
        if now < known.known_until:
            return Freshness.KNOWN
        return Freshness.RESTS if now < known.rests_until else Freshness.TO_ASK

    def rules(self, origin: str, token: str) -> RobotsRules:
        """The rules of an origin that is KNOWN, for a product token."""
        body = self.known(origin).body
        if body is None:
            return NO_RULES
        key = origin, token
        rules = self._rules.get(key)
        if rules is None:
            rules = self._rules[key] = RobotsRules.parse(body, token, self._limit)
            self._n_rules += len(rules)
            self._on_rules(origin, rules)
        self._rules.move_to_end(key)
        self._forget_rules()
        return rules

    def _holds(self, known: Origin) -> bool:
        if known.good is None or known.body is None:
            return False
        return self._clock() - known.good < self._stale

    def rest(self, origin: str) -> float:
        """Seconds until an origin may be asked again."""
        return max(0.0, self.known(origin).rests_until - self._clock())

    def rest_for(self, origin: str, seconds: float) -> None:
        """Let an origin rest for a while without a failure."""
        self.known(origin).rests_until = self._clock() + seconds

    def note(self, origin: str, answer: RobotsAnswer) -> None:
        """Store the answer of an origin."""
        known, now = self.known(origin), self._clock()
        unreachable = answer.outcome is RobotsOutcome.UNREACHABLE
        if unreachable and (not self._lenient or self._holds(known)):
            self._fail(known, answer, now)
        else:
            self._learn(known, answer, now)
            self._drop_rules(origin)
            if known.body is None:
                self._on_rules(origin, NO_RULES)
        stored = answer.status, answer.outcome.value, answer.lifetime
        self._notes.save_robots(RobotsRow(origin, now, known.good, *stored, known.body))

    def _learn(self, known: Origin, answer: RobotsAnswer, now: float) -> None:
        has_file = answer.outcome is RobotsOutcome.RULES
        known.body = answer.body[: self._limit + 1] if has_file else None
        known.good = now if has_file else None
        known.known_until = now + min(answer.lifetime, self._lifetime)
        known.failures, known.rests_until, known.reason = 0, 0.0, ""

    def _fail(self, known: Origin, answer: RobotsAnswer, now: float) -> None:
        known.failures += 1
        pause = self._rest * GROWTH ** min(known.failures - 1, 20)
        known.rests_until = now + min(max(pause, answer.retry_after), LONGEST_REST)
        known.reason, known.answered = answer.reason, answer.status is not None
        if self._holds(known):
            known.known_until = known.rests_until

    def known(self, origin: str) -> Origin:
        """The state of an origin, in memory or from the store."""
        known = self._origins.get(origin)
        if known is None:
            known = self._origins[origin] = self._remembered(self._notes.robots(origin))
            if len(self._origins) > MOST_ORIGINS:
                self._drop_rules(self._origins.popitem(last=False)[0])
        else:
            self._origins.move_to_end(origin)
        return known

    def _remembered(self, row: RobotsRow | None) -> Origin:
        """The state by the store; a time in the future is that of a wrong clock, and is ignored."""
        if row is None:
            return Origin()
        known = Origin(row.body, row.good)
        if row.outcome != RobotsOutcome.UNREACHABLE.value and row.fetched <= self._clock():
            known.known_until = row.fetched + min(row.lifetime, self._lifetime)
        return known

    def _drop_rules(self, origin: str) -> None:
        for key in [key for key in self._rules if key[0] == origin]:
            self._n_rules -= len(self._rules.pop(key))

    def _forget_rules(self) -> None:
        while len(self._rules) > MOST_ORIGINS or (
            self._n_rules > MOST_RULES and len(self._rules) > 1
        ):
            self._n_rules -= len(self._rules.popitem(last=False)[1])
