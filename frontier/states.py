"""The states of a URL, every one of which is in exactly one, the marks of a page, a link's flags.

QUEUED and LEASED are on the way; the others are final until somebody asks for the URL again.
The first four carry Frontera's meaning, under numbers of our own that the store keeps for ever:
append, never renumber.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag


class State(IntEnum):
    """Where a URL stands; stored as an 8-bit number."""

    QUEUED = 1
    LEASED = 2
    CRAWLED = 3
    ERROR = 4
    ROBOTS = 5
    """robots.txt forbids it."""
    FILTERED = 6
    """A rule of the project (offsite, a middleware's IgnoreRequest) refused it."""
    TRAP = 7
    """It looks like one of endlessly many."""
    REDIRECTED = 8
    """It led to another URL, and did nothing else."""

    @property
    def is_final(self) -> bool:
        """Whether the URL has been answered and waits for nothing."""
        return self > State.LEASED


STATES = tuple(state.name.lower() for state in State)
"""Their names, as people read and write them."""


class Mark(IntFlag):
    """What is special about a page; stored as bits, any of them together."""

    NOINDEX = 1
    """It asks not to be shown: crawled, but not exported."""
    NOFOLLOW = 2
    """It asks that its links pass nothing on."""
    TRUNCATED = 4
    """Only its beginning was read."""
    DUPLICATE = 8
    """Its body or its whole text is that of another page, its twin."""
    NEAR_DUPLICATE = 16
    """Its text is nearly that of another page, its twin."""
    CANONICAL_ELSEWHERE = 32
    """It names another page, its twin, as the one to keep."""
    SOFT_404 = 64
    """It says that there is nothing, with a status that says otherwise."""
    REDIRECT_TO_KNOWN = 128
    """It redirected, and only to URLs that were known without it."""
    REQUESTED = 256
    """It was asked for by more than its URL: by a callback of its own, with headers, a method."""


NO_MARKS = Mark(0)


class Change(IntEnum):
    """What a revisit of a page found; stored as an 8-bit number: append, never renumber."""

    NEW = 0
    """It was fetched for the first time."""
    UNCHANGED = 1
    CHANGED = 2
    """Its text, its title or its links, beyond what changes on all pages of its host."""
    GONE = 3
    """It was not there (404, 410) twice in a row."""
    MOVED = 4
    """It led to another URL."""
    MISSED = 5
    """It was not there, for the first time."""
    FAILED = 6
    """No answer, or an error of the server: nothing is known."""
    FORBIDDEN = 7
    """robots.txt or a rule of the project forbids it by now."""
    NOTICE = 8
    """It showed nothing, or what many pages of its host show at once instead of their own: of the
    page nothing is known."""

    @property
    def is_known(self) -> bool:
        """Whether the revisit told if the page changed."""
        return self in (Change.UNCHANGED, Change.CHANGED, Change.GONE, Change.MOVED)


ENDED = (Change.GONE, Change.MOVED, Change.FORBIDDEN)
"""What is found where there is no such page any more, or none that may be asked for."""
UNSEEN = (Change.FAILED, Change.NOTICE)
"""What is found where nothing is known of a page: it is kept as it was."""
FORBIDDEN_BY_ROBOTS = "forbidden by robots.txt"
"""Why a URL is ROBOTS where its robots.txt was read."""


def mark_names(marks: Mark) -> tuple[str, ...]:
    """Return what a page is marked with, in words for people."""
    shown = [mark for mark in Mark if mark in marks and mark is not Mark.REQUESTED]
    return tuple((mark.name or "").lower().replace("_", " ") for mark in shown)


NOFOLLOW = 1
"""Flag of a link that passes on no authority."""
REDIRECT = 2
"""Flag of the link that stands for a redirect."""
COPIED = 4
"""Flag of a link of a page that repeats another one: its words count nothing."""
TOPICAL = 16
"""Flag of a link whose text or surroundings are the topic's: from half of what can be on."""
NAMED = 64
"""Flag of the link to the address that its page names as canonical; with NOFOLLOW: on another host,
which is not believed."""
ELSEWHERE = 128
"""Flag of a link that counts elsewhere, on the page that its page is a double of."""
WEIGHTLESS = NOFOLLOW | ELSEWHERE
"""Flags of links that pass on no authority."""
