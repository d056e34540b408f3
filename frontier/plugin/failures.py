"""What the frontier calls a request that brought no response."""

from __future__ import annotations

from scrapy.exceptions import IgnoreRequest

from frontier.errors import AddressError, FrontierError, RobotsError, described
from frontier.states import State

ROBOTS_REFUSAL = "Forbidden by robots.txt"
"""What Scrapy's RobotsTxtMiddleware says, if a project keeps it; it raises no class of its own."""
UNREACHABLE = "robots.txt unreachable"
"""How the reason of a URL begins whose origin could not be asked for its rules."""


class AddressRefusedError(AddressError, IgnoreRequest):
    """The host has no address that may be connected to; `refusal` says why."""

    def __init__(self, refusal: str) -> None:
        super().__init__(
            f"{refusal} and is not connected to; FRONTIER_ALLOW_NETWORKS lists networks to allow"
        )
        self.refusal = refusal


class ClosingError(FrontierError, IgnoreRequest):
    """A download that is not needed any more: the crawl closes."""

    def __init__(self) -> None:
        super().__init__("the crawl is closing")


class ForbiddenByRobotsError(RobotsError, IgnoreRequest):
    """A URL that the rules of its origin forbid."""

    def __init__(self) -> None:
        super().__init__(ROBOTS_REFUSAL)


class UnreachableRobotsError(RobotsError, IgnoreRequest):
    """A URL whose origin could not be asked; `answered` is whether there was an HTTP answer."""

    def __init__(self, reason: str, *, answered: bool) -> None:
        super().__init__(f"{UNREACHABLE}: {reason}")
        self.answered = answered


def failure_of(error: object) -> tuple[State, str]:
    """Return the state of its URL and the reason to note there."""
    if not isinstance(error, BaseException):
        return State.ERROR, f"the downloader returned {type(error).__name__}"
    text = described(error)
    if isinstance(error, UnreachableRobotsError):
        # A host that does not answer at all is no matter of rules.
        return State.ROBOTS if error.answered else State.ERROR, str(error)
    if not isinstance(error, IgnoreRequest):
        return State.ERROR, text
    if str(error) == ROBOTS_REFUSAL:
        return State.ROBOTS, "forbidden by robots.txt"
    return State.FILTERED, text
