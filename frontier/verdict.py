"""What is decided about an answer, by rules that read facts and write nothing.

A rule returns the `Verdict` so far, or another one that adds to it. The last verdict is merged
once: flags into the links that are followed (`flag_links`), the rest into the stored row
(`UrlLedger.row`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from frontier.states import NAMED, NO_MARKS, Change, Mark, State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from frontier.records import Lease, Page, UrlRecord


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """What is decided about an answer so far; `links` are those of its links that are followed."""

    links: list[UrlRecord]
    refetched: bool = False
    """Whether the URL was fetched as a page before."""
    state: State | None = None
    """None: that of the answer."""
    error: str | None = None
    """None: that of the answer."""
    fetched: float | None = None
    """Unix seconds, by the clock of revisits; None: the time of the answer."""
    marks: Mark = NO_MARKS
    """Added to those that the page was read with."""
    twin: int | None = None
    """Id of the page that it repeats or names as the one to keep."""
    is_worthless: bool = False
    """Whether the page counts as not relevant, if it was judged."""
    flags: int = 0
    """Bits of each link but the one to the address that the page names; see `states`."""
    claim_flags: int = 0
    """Bits of that link."""
    change: Change | None = None
    """Result of a revisit, where pages are revisited."""
    share: float | None = None
    """[0, 1]: share of the text that changed."""
    previous: float | None = None
    """Unix seconds of the visit before."""

    def state_of(self, page: Page) -> State:
        """State of the page, as far as it is decided."""
        return page.state if self.state is None else self.state

    def fetched_at(self, page: Page) -> float:
        """Unix seconds of the answer."""
        return page.fetched if self.fetched is None else self.fetched

    def relevance_of(self, page: Page) -> float | None:
        """Relevance of the page in [0, 1]; None where it is not judged."""
        return self._judged(page, page.relevance)

    def similarity_of(self, page: Page) -> float | None:
        """Similarity of the page and the topic in [0, 1]; None where it is not judged."""
        return self._judged(page, page.similarity)

    def _judged(self, page: Page, value: float | None) -> float | None:
        if value is None or self.state is State.ERROR:
            return None
        return 0.0 if self.is_worthless else value

    def is_sample_of(self, page: Page) -> bool:
        """Whether the text of the page may be kept for questions: once, where others repeat it."""
        is_judged = self.state_of(page) is State.CRAWLED and page.relevance is not None
        return is_judged and self.twin is None and Mark.NOINDEX not in page.marks | self.marks


class Rule(Protocol):
    """Decides about answers before they are stored."""

    def judge(self, lease: Lease, page: Page, so_far: Verdict) -> Verdict:
        """Return what is decided by now; `so_far` comes from the rules before this one."""


def decided(lease: Lease, page: Page, so_far: Verdict, rules: Sequence[Rule]) -> Verdict:
    """Return what rules decide about an answer; each sees the decisions of those before it."""
    for rule in rules:
        so_far = rule.judge(lease, page, so_far)
    return so_far


def flag_links(verdict: Verdict) -> None:
    """Set the flags that were decided on the links that are followed."""
    if verdict.flags or verdict.claim_flags:
        for link in verdict.links:
            link.flags |= verdict.claim_flags if link.flags & NAMED else verdict.flags
