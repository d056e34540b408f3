"""What the frontier calls a request that brought no response."""

from __future__ import annotations

from scrapy.exceptions import IgnoreRequest

from frontier.states import State

ROBOTS_REFUSAL = "Forbidden by robots.txt"
"""What Scrapy's RobotsTxtMiddleware says; it raises no class of its own."""


def failure_of(error: object) -> tuple[State, str]:
    """Return the state of its URL and the reason to note there."""
    if not isinstance(error, BaseException):
        return State.ERROR, f"the downloader returned {type(error).__name__}"
    text = f"{type(error).__name__}: {error}".strip(": ")
    if not isinstance(error, IgnoreRequest):
        return State.ERROR, text
    if str(error) == ROBOTS_REFUSAL:
        return State.ROBOTS, "forbidden by robots.txt"
    return State.FILTERED, text
