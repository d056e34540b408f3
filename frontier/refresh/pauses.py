"""How long a page is left alone after a revisit, by what its last revisits have found."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Final

from frontier.refresh.changes import PastRevisit, past_revisits
from frontier.states import UNSEEN, Change

if TYPE_CHECKING:
    from frontier.refresh.policy import RefreshPolicy

WEEK: Final = 7 * 86400.0
PERMANENT: Final = (301, 308)
"""Redirects by which a page has moved; others may lead to a notice or a log-in page for now."""
_ABSENT: Final = (*UNSEEN, Change.MISSED, Change.GONE)
_MOVES: Final = (5, 3 * 86400.0)
"""Looks in a row that were sent elsewhere, and seconds from the first to the last of them, after
which a page has moved, whatever its server calls that."""
_OVERLOADED: Final = (408, 429)


def earliest(policy: RefreshPolicy, last: float, history: bytes) -> float:
    """Unix seconds from which a page may be revisited; `last` is when it was last seen.

    A revisit that did not see it is followed by a pause, twice as long each time: from
    FRONTIER_REFRESH_MIN to FRONTIER_REFRESH_MAX where the server answered with something else, to a
    week where it did not, or with an error.
    """
    past = past_revisits(history)
    if past and past[-1].found is Change.MOVED:
        return past[-1].at + policy.most
    unseen = _unseen(past)
    if not unseen or unseen[-1].found is Change.MISSED:
        return max([last, *(one.at for one in unseen[-1:])]) + policy.least
    longest = policy.most if _has_page(unseen[-1]) else WEEK
    pause = min(policy.least * 2.0 ** (len(unseen) - 1), longest)
    return unseen[-1].at + max(pause, policy.least)


def has_moved(history: bytes, now: float) -> bool:
    """Whether a page that is sent elsewhere for now, or shows a notice, again, does so for good."""
    past = list(takewhile(_has_page, reversed(_unseen(past_revisits(history)))))
    revisits, seconds = _MOVES
    return len(past) + 1 >= revisits and now - past[-1].at >= seconds


def met_notice(history: bytes) -> bool:
    """Whether a revisit since the page was last seen met a notice in its place."""
    return any(one.found is Change.NOTICE for one in _unseen(past_revisits(history)))


def is_down(status: int | None) -> bool:
    """Whether a revisit that failed says that its host is in trouble, and not only the page."""
    return status is None or status >= 500 or status in _OVERLOADED


def failures(history: bytes) -> list[PastRevisit]:
    """Return the last revisits that say in a row that a host is in trouble, oldest first."""
    unseen = reversed(_unseen(past_revisits(history)))
    return list(takewhile(lambda one: one.found is Change.FAILED and is_down(one.status), unseen))[
        ::-1
    ]


def _unseen(past: list[PastRevisit]) -> list[PastRevisit]:
    """The last revisits that did not see the page, oldest first."""
    return list(takewhile(lambda one: one.found in _ABSENT, reversed(past)))[::-1]


def _has_page(revisit: PastRevisit) -> bool:
    """Whether there was an answer, which was another page."""
    return revisit.status is not None and 200 <= revisit.status < 400
