"""The states of URLs, the marks of pages, the changes that revisits find, the flags of links.

A URL has exactly one state. QUEUED and LEASED are on the way; the others are final until the URL is
requested again. The first four have the meaning of Frontera's. The store keeps the numbers for
ever: append, never renumber.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag


class State(IntEnum):
    """The state of a URL; stored as an 8-bit number."""

    QUEUED = 1
    LEASED = 2
    CRAWLED = 3
    ERROR = 4
    ROBOTS = 5
    """robots.txt forbids it."""
    FILTERED = 6
    """A rule of the project (offsite, a middleware's IgnoreRequest) refused it."""
    TRAP = 7
    """It looks like a URL of a crawler trap."""
    REDIRECTED = 8
    """It redirected to another URL."""

    @property
    def is_final(self) -> bool:
        """Whether the URL has been answered and waits for nothing."""
        return self > State.LEASED


STATES = tuple(state.name.lower() for state in State)
"""The names of the states, as people read and write them."""
GONE_ERROR = "gone: "
"""Beginning of the error of a page that is gone for good."""


class Mark(IntFlag):
    """The marks of a page; stored as bits, in any combination."""

    NOINDEX = 1
    """It asks not to be shown: crawled, but not exported."""
    NOFOLLOW = 2
    """It asks that its links pass on nothing."""
    TRUNCATED = 4
    """Only its beginning was read."""
    DUPLICATE = 8
    """Its body or its whole text is that of another page, its twin."""
    NEAR_DUPLICATE = 16
    """Its text is nearly that of another page, its twin."""
    CANONICAL_ELSEWHERE = 32
    """It names another page, its twin, as canonical."""
    SOFT_404 = 64
    """It is an error page with the status of a success."""
    REDIRECT_TO_KNOWN = 128
    """It redirected, and only to URLs that were known without it."""
    REQUESTED = 256
    """Its request had more than a URL: a callback of its own, headers, a method."""
    RENDERED = 512
    """Its text and links are those that a browser showed."""


NO_MARKS = Mark(0)


class Change(IntEnum):
    """The result of a revisit; stored as an 8-bit number: append, never renumber."""

    NEW = 0
    """It was fetched for the first time."""
    UNCHANGED = 1
    CHANGED = 2
    """Its text, its title or its links, beyond what changes on all pages of its host."""
    GONE = 3
    """It was missing (404, 410) twice in a row."""
    MOVED = 4
    """It redirected to another URL."""
    MISSED = 5
    """It was missing for the first time."""
    FAILED = 6
    """No response, or an error of the server: nothing is known of the page."""
    FORBIDDEN = 7
    """robots.txt or a rule of the project forbids it now."""
    NOTICE = 8
    """It was empty, or showed a text that many pages of its host show at once instead of their own:
    nothing is known of the page."""

    @property
    def is_known(self) -> bool:
        """Whether the revisit found out if the page has changed."""
        return self in (Change.UNCHANGED, Change.CHANGED, Change.GONE, Change.MOVED)


ENDED = (Change.GONE, Change.MOVED, Change.FORBIDDEN)
"""Results for a page that is not there any more, or must not be requested."""
UNSEEN = (Change.FAILED, Change.NOTICE)
"""Results without knowledge of the page, which is kept as it was."""
FORBIDDEN_BY_ROBOTS = "forbidden by robots.txt"
"""The reason of a ROBOTS URL whose robots.txt was read."""


def mark_names(marks: Mark) -> tuple[str, ...]:
    """Return the marks of a page in words."""
    shown = [mark for mark in Mark if mark in marks and mark is not Mark.REQUESTED]
    return tuple((mark.name or "").lower().replace("_", " ") for mark in shown)


NOFOLLOW = 1
"""Flag of a link that passes on no authority."""
REDIRECT = 2
"""Flag of the link that stands for a redirect."""
COPIED = 4
"""Flag of a link of a duplicate: its words count nothing."""
TOPICAL = 16
"""Flag of a link whose text or context matches the topic, by half of the possible matches."""
NAMED = 64
"""Flag of the link to the canonical address of its page; with NOFOLLOW: on another host, which is
not believed."""
ELSEWHERE = 128
"""Flag of a link that counts on the page whose duplicate its page is."""
WEIGHTLESS = NOFOLLOW | ELSEWHERE
"""Flags of links that pass on no authority."""
