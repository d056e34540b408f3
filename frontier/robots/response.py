"""The meaning of a response to /robots.txt (RFC 9309, section 2.3.1).

==============================================  ===================================
2xx, whatever comes with it                     its lines hold, also if there are none (2.3.1.1)
3xx that leads nowhere, in circles or too far   unavailable: everything is allowed (2.3.1.2)
4xx but 429, whatever comes with it             unavailable (2.3.1.3)
5xx, 429, any other status                      unreachable: nothing is allowed (2.3.1.4)
no answer in time, or none at all               unreachable
==============================================  ===================================

429 means "not now", not "no rules". By section 2.3.1.1 the parseable lines of a file are followed:
a page of HTML, a picture and noise are files without lines, as for Google, and of a file that
breaks off the first lines hold.
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
"""Seconds a file is used at least, whatever Cache-Control says, to save requests."""

_TOO_MANY = 429
_MAX_AGE = re.compile(r"(?:^|[\s,])max-age\s*=\s*\"?(\d{1,12})", re.IGNORECASE)
_NOT_KEPT = re.compile(r"(?:^|[\s,])no-(?:store|cache)\b", re.IGNORECASE)


class RobotsOutcome(str, Enum):
    """The result of a try; the values are stored."""

    RULES = "rules"
    UNAVAILABLE = "unavailable"
    """There is no file: everything is allowed."""
    UNREACHABLE = "unreachable"
    """The rules are unknown: nothing is allowed."""


@dataclass(frozen=True)
class RobotsAnswer:
    """One answer to /robots.txt, redirects followed.

    `lifetime` is how long the answer is valid, `retry_after` how long the server wants to be left
    alone; both in seconds.
    """

    outcome: RobotsOutcome
    status: int | None
    reason: str
    body: bytes = b""
    lifetime: float = DAY
    retry_after: float = 0.0


def judged(status: int, body: bytes, headers: Mapping[str, str]) -> RobotsAnswer:
    """The answer by a response; `headers` has lower-case names."""
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
    """The answer by a redirect without a target, or too many: unavailable (section 2.3.1.2)."""
    return RobotsAnswer(RobotsOutcome.UNAVAILABLE, None, reason)


def failed(reason: str) -> RobotsAnswer:
    """The answer without a response, or with a late one."""
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
