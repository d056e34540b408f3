"""The states of a URL: every URL is in exactly one of them.

QUEUED and LEASED are on the way; the others are final until somebody asks for the URL again.
The first four carry Frontera's meaning, under numbers of our own that the store keeps for ever:
append, never renumber.
"""

from __future__ import annotations

from enum import IntEnum


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
