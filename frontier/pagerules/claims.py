"""What a page claims of its own address: the canonical one that it names among its links."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from frontier import meta as key
from frontier.states import NAMED, Mark
from frontier.urls.resolve import OWN_PORTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from frontera.core.models import Request

    from frontier.facts import PageFacts


def same_origin(url: str, other: str) -> bool:
    """Tell whether two addresses are of one host: the same name, and port where it is not usual."""
    try:
        one, two = urlsplit(url), urlsplit(other)
        hosts = one.hostname, two.hostname
        ports = [part.port or OWN_PORTS.get(part.scheme) for part in (one, two)]
    except ValueError:
        return False
    usual = ports == [OWN_PORTS.get(part.scheme) for part in (one, two)]
    return hosts[0] == hosts[1] and bool(hosts[0]) and (ports[0] == ports[1] or usual)


def claim_among(links: Sequence[Request]) -> Request | None:
    """Return the link to the address that its page names as canonical, None without one."""
    return next((link for link in links if link.meta[key.FLAGS] & NAMED), None)


def with_twin(facts: PageFacts, links: Sequence[Request]) -> PageFacts:
    """Return what is known of a page with the id of what it is merged with; links have theirs."""
    if Mark.CANONICAL_ELSEWHERE not in facts.marks:
        return facts
    claim = claim_among(links)
    return facts if claim is None else replace(facts, twin=claim.meta[key.ID])
