"""What rules decide about an answer, and the order in which they do.

A rule reads facts and writes nothing: it returns the `Verdict` so far, or one that says more. What
all of them came to is written into the record of the page once, by `merge`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from frontier.states import NAMED, NO_MARKS, Mark, State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from frontier.records import Lease, PageRecord, UrlRecord


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """What is decided about an answer so far; `links` are those of its links that are followed."""

    links: list[UrlRecord]
    state: State | None = None
    """None: that of the answer."""
    marks: Mark = NO_MARKS
    """Beside those that it was read with."""
    twin: int | None = None
    is_worthless: bool = False
    """Whether it counts as not relevant, if it was judged."""
    flags: int = 0
    """Bits that each link gets, but the one to the address that the page names; see `states`."""
    claim_flags: int = 0
    """Bits that that one gets."""

    def state_of(self, page: PageRecord) -> State:
        """State of the page, as far as it is decided."""
        return page.state if self.state is None else self.state


class Rule(Protocol):
    """Decides about answers, before they are written down."""

    def judge(self, lease: Lease, so_far: Verdict) -> Verdict:
        """Return what is decided by now; `so_far` is what the rules before this one came to."""


def decided(lease: Lease, links: list[UrlRecord], rules: Sequence[Rule]) -> Verdict:
    """Return what rules decide about an answer, each of which sees what those before it did."""
    verdict = Verdict(links)
    for rule in rules:
        verdict = rule.judge(lease, verdict)
    return verdict


def merge(page: PageRecord, verdict: Verdict) -> None:
    """Write down in the record of a page, and on its links, what was decided."""
    page.state = verdict.state_of(page)
    page.marks |= verdict.marks
    if verdict.twin is not None:
        page.twin = verdict.twin
    if verdict.is_worthless:
        page.relevance = page.similarity = None if page.relevance is None else 0.0
    if verdict.flags or verdict.claim_flags:
        for link in verdict.links:
            link.flags |= verdict.claim_flags if link.flags & NAMED else verdict.flags
