"""What an answer to /robots.txt means (RFC 9309, section 2.3.1).

==============================================  ===================================
2xx, whatever comes with it                     its lines hold, also if there are none (2.3.1.1)
3xx that leads nowhere, in circles or too far   unavailable: everything is allowed (2.3.1.2)
4xx but 429, whatever comes with it             unavailable (2.3.1.3)
5xx, 429, any other status                      unreachable: nothing is allowed (2.3.1.4)
no answer in time, or none at all               unreachable
==============================================  ===================================

429 says "not now", not "no rules". Of a file that came, section 2.3.1.1 has the parseable lines
followed: a page of HTML, a picture and noise are files without lines, as Google has it too, and of
a file that breaks off what came holds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

DAY = 86400.0
"""Seconds: a file SHOULD NOT be used for longer (RFC 9309, section 2.4)."""
SHORTEST = 300.0
"""Seconds a file is used at least, whatever Cache-Control says: it may not double the requests."""

_TOO_MANY = 429
_MAX_AGE = re.compile(r"(?:^|[\s,])max-age\s*=\s*\"?(\d{1,12})", re.IGNORECASE)
_NOT_KEPT = re.compile(r"(?:^|[\s,])no-(?:store|cache)\b", re.IGNORECASE)


class RobotsOutcome(str, Enum):
    """What became of asking; the values are stored."""

    RULES = "rules"
    UNAVAILABLE = "unavailable"
    """There is no file: everything is allowed."""
    UNREACHABLE = "unreachable"
    """Nobody can say: nothing is allowed."""


@dataclass(frozen=True)
class RobotsAnswer:
    """One answer to /robots.txt, redirects followed.

    `lifetime` is how long it may be used, that it is unreachable too where nothing follows from
    that; `retry_after` what the server asked for before it is asked again; both in seconds.
    """

    outcome: RobotsOutcome
    status: int | None
    reason: str
    body: bytes = b""
    lifetime: float = DAY
    retry_after: float = 0.0


def judged(status: int, body: bytes, headers: Mapping[str, str]) -> RobotsAnswer:
    """What a response means; `headers` has lower-case names."""
    reason = f"status {status}"
    if 200 <= status < 300:
        return RobotsAnswer(RobotsOutcome.RULES, status, reason, body, _lifetime(headers))
    if 400 <= status < 500 and status != _TOO_MANY:
        return RobotsAnswer(RobotsOutcome.UNAVAILABLE, status, reason, lifetime=_lifetime(headers))
    again = _retry_after(headers)
    return RobotsAnswer(
        RobotsOutcome.UNREACHABLE, status, reason, lifetime=SHORTEST, retry_after=again
    )


def astray(reason: str) -> RobotsAnswer:
    """A redirect that leads to no file, or too far: as unavailable (section 2.3.1.2)."""
    return RobotsAnswer(RobotsOutcome.UNAVAILABLE, None, reason)


def failed(reason: str) -> RobotsAnswer:
    """No response at all, or one that was not there in time."""
    return RobotsAnswer(RobotsOutcome.UNREACHABLE, None, reason, lifetime=SHORTEST)


def _lifetime(headers: Mapping[str, str]) -> float:
    control = headers.get("cache-control", "")
    if _NOT_KEPT.search(control):
        return SHORTEST
    age = _MAX_AGE.search(control)
    return DAY if age is None else min(max(float(age[1]), SHORTEST), DAY)


def _retry_after(headers: Mapping[str, str]) -> float:
    """Seconds; dates are left to the usual back-off."""
    value = headers.get("retry-after", "").strip()
    return float(value) if re.fullmatch(r"[0-9]{1,9}", value, re.ASCII) else 0.0
