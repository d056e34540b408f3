"""The account of one download: its limits, and what became of it.

It goes with the request through agent, pool, connection and parser, none of which knows the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from frontier.states import NO_MARKS, Mark

if TYPE_CHECKING:
    from scrapy.http import Response

    from frontier.plugin.net.protocol import GuardedParser

TRUNCATED = "truncated: "
"""How the flag of a response begins whose body is not whole; the reason follows."""
TLS = "tls: "
"""How the flag of a response begins whose certificate is not in order; the reason follows."""


@dataclass(slots=True, eq=False)
class Watch:
    """One download. `limit` is in bytes on the wire, 0 for none; `seconds` is for all of it."""

    limit: int = 0
    seconds: float = 60.0
    refused: str | None = None
    """Why no address of the host was connected to."""
    answered: bool = False
    """Whether a byte of an answer came."""
    reused: bool = False
    """Whether the connection had been used before."""
    cut: str | None = None
    """Why the body is not whole."""
    certificate: str | None = None
    """What is wrong with the server's certificate."""
    in_handshake: bool = False
    """Whether the connection ended before TLS was agreed on."""
    parser: GuardedParser | None = None

    def expire(self) -> None:
        """The time is over: what came of a body is all there is."""
        if self.parser is not None:
            self.parser.cut_body(f"the answer took longer than {self.seconds:g} seconds")

    def finish(self, response: Response) -> Response:
        """Note on the response what was noticed on its way."""
        if self.cut is not None:
            response.flags.append(TRUNCATED + self.cut)
        if self.certificate is not None:
            response.flags.append(TLS + self.certificate)
        return response


def truncated(response: Response) -> Mark:
    """TRUNCATED for a response whose body is only the beginning."""
    cut = any(flag.startswith(TRUNCATED) for flag in response.flags)
    return Mark.TRUNCATED if cut else NO_MARKS


def notes(response: Response) -> str | None:
    """What the store keeps of the way of a response beside its status, None if all was well."""
    found = [one for one in response.flags if one.startswith((TRUNCATED, TLS))]
    return "; ".join(found) or None
