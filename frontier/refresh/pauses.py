"""The pause after a revisit of a page, by its last revisits."""

from __future__ import annotations

from itertools import takewhile
from typing import Final

from frontier.refresh.changes import PastRevisit, past_revisits
from frontier.refresh.policy import RefreshPolicy
from frontier.states import UNSEEN, Change

WEEK: Final = 7 * 86400.0
PERMANENT: Final = (301, 308)
"""Redirects by which a page has moved; others may lead to a notice or a log-in page for a time."""
_ABSENT: Final = (*UNSEEN, Change.MISSED, Change.GONE)
_MOVES: Final = (5, 3 * 86400.0)
"""Revisits in a row that were redirected, and seconds from the first to the last of them, after
which a page has moved, whatever its server calls the redirect."""
_OVERLOADED: Final = (408, 429)


def earliest(policy: RefreshPolicy, last: float, history: bytes) -> float:
    """Unix seconds from which a page may be revisited; `last` is when the page was last seen.

    A revisit that did not see it is followed by a pause, twice as long each time: from
    FRONTIER_REFRESH_MIN to FRONTIER_REFRESH_MAX where the server answered with something else, to a
    week where it did not, or with an error.
    """
    past = past_revisits(history)
    if past and past[-1].change is Change.MOVED:
        return past[-1].at + policy.most
    unseen = _unseen(past)
    if not unseen or unseen[-1].change is Change.MISSED:
        return max([last, *(revisit.at for revisit in unseen[-1:])]) + policy.least
    longest = policy.most if _has_page(unseen[-1]) else WEEK
    pause = min(policy.least * 2.0 ** (len(unseen) - 1), longest)
    return unseen[-1].at + max(pause, policy.least)


def has_moved(history: bytes, now: float) -> bool:
    """Whether a page that is redirected, or shows a notice, once more, does so for good."""
    past = list(takewhile(_has_page, reversed(_unseen(past_revisits(history)))))
    revisits, seconds = _MOVES
    return len(past) + 1 >= revisits and now - past[-1].at >= seconds


def met_notice(history: bytes) -> bool:
    """Whether a revisit since the page was last seen met a notice in its place."""
    return any(revisit.change is Change.NOTICE for revisit in _unseen(past_revisits(history)))


def is_down(status: int | None) -> bool:
    """Whether a failed revisit means that the host is in trouble, and not only the page."""
    return status is None or status >= 500 or status in _OVERLOADED


def failures(history: bytes) -> list[PastRevisit]:
    """Return the last revisits, in a row, that mean that the host is in trouble, oldest first."""
    failed = takewhile(
        lambda revisit: revisit.change is Change.FAILED and is_down(revisit.status),
        reversed(past_revisits(history)),
    )
    return list(failed)[::-1]


def _unseen(past: list[PastRevisit]) -> list[PastRevisit]:
    """The last revisits that did not see the page, oldest first."""
    return list(takewhile(lambda revisit: revisit.change in _ABSENT, reversed(past)))[::-1]


def _has_page(revisit: PastRevisit) -> bool:
    """Whether there was an answer, of another page."""
    return revisit.status is not None and 200 <= revisit.status < 400
