"""What rules decide: they read facts and write nothing, and what they came to is merged once."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import pytest

from frontier.records import Lease, PageRecord, UrlRecord
from frontier.states import COPIED, ELSEWHERE, NAMED, NOFOLLOW, Mark, State
from frontier.topic.relevance import plain_link
from frontier.verdict import Rule, Verdict, decided, merge
from tests.support.driven_crawl import DrivenCrawl, Page

ROOT, FIRST, COPY, OTHER = (f"http://a.example/{name}" for name in ("", "first", "copy", "other"))
TEXT = " ".join(f"word{number}" for number in range(200))
WEB = {
    ROOT: Page({FIRST: 0.5, COPY: 0.5, OTHER: 0.5}, 0.5, text="nothing of the kind"),
    FIRST: Page({ROOT: 0.5}, 0.5, text=TEXT),
    COPY: Page({ROOT: 0.5, "http://a.example/new": 0.5}, 0.5, text=TEXT),
    OTHER: Page({ROOT: 0.5}, 0.5, text="other words", canonical=FIRST),
}


def link(url: str, flags: int = 0, url_id: int = -1) -> UrlRecord:
    return replace(plain_link(url, hash(url), url, 1), flags=flags, url_id=url_id)


def lease(state: State = State.CRAWLED, **known: Any) -> Lease:
    page = PageRecord(url_id=0, state=state, relevance=0.5, similarity=0.25, **known)
    return Lease(url=ROOT, fingerprint=1, canonical=ROOT, slot="a.example", depth=0, page=page)


class Unwriting:
    """A rule of which it is known that it changed nothing that it was given."""

    def __init__(self, rule: Rule, asked: list[str]) -> None:
        self._rule, self._asked = rule, asked

    def judge(self, lease: Lease, so_far: Verdict) -> Verdict:
        before, links = replace(lease.page), [(one, one.flags) for one in so_far.links]
        verdict = self._rule.judge(lease, so_far)
        for one in fields(PageRecord):
            assert getattr(lease.page, one.name) is getattr(before, one.name), one.name
        assert [(one, one.flags) for one in so_far.links] == links
        self._asked += [type(self._rule).__name__] * (verdict is not so_far)
        return verdict


def test_rules_write_nothing_and_all_of_them_decide_something() -> None:
    crawl = DrivenCrawl(None, WEB, strategy="bfs", topic="t")
    decisive: list[str] = []
    crawl.backend.rules = tuple(Unwriting(rule, decisive) for rule in crawl.backend.rules)
    crawl.seed(ROOT)
    crawl.run()
    crawl.close()
    assert {"CanonicalPages", "DuplicatePages", "LedBack"} <= set(decisive)
    states = [crawl.backend.ledger.state_of(number) for number in range(4)]
    assert states == [State.CRAWLED] * 3 + [State.REDIRECTED]


def test_a_rule_sees_what_those_before_it_decided() -> None:
    class Merges:
        def judge(self, lease: Lease, so_far: Verdict) -> Verdict:
            return replace(so_far, state=State.REDIRECTED)

    class Asks:
        seen: list[State]

        def judge(self, lease: Lease, so_far: Verdict) -> Verdict:
            self.seen = [lease.page.state, so_far.state_of(lease.page)]
            return so_far

    asks = Asks()
    verdict = decided(lease(), [], [Merges(), asks])
    assert asks.seen == [State.CRAWLED, State.REDIRECTED]
    assert verdict.state is State.REDIRECTED


def test_what_was_decided_is_merged() -> None:
    one, named = link(FIRST, NOFOLLOW), link(OTHER, NAMED)
    page = lease(marks=Mark.NOINDEX).page
    verdict = Verdict([one, named], None, Mark.DUPLICATE, 7, True, ELSEWHERE | COPIED, NOFOLLOW)
    merge(page, verdict)
    assert (page.state, page.twin) == (State.CRAWLED, 7)
    assert page.marks == Mark.NOINDEX | Mark.DUPLICATE
    assert (page.relevance, page.similarity) == (0.0, 0.0)
    assert one.flags == NOFOLLOW | ELSEWHERE | COPIED
    assert named.flags == NAMED | NOFOLLOW


def test_what_no_rule_spoke_of_stays_and_what_was_not_judged_is_not() -> None:
    page = lease().page
    before = replace(page)
    merge(page, Verdict([]))
    assert page == before
    unjudged = replace(page, relevance=None)
    merge(unjudged, Verdict([], is_worthless=True))
    assert (unjudged.relevance, unjudged.similarity) == (None, None)


def test_a_verdict_is_not_written_into() -> None:
    with pytest.raises(FrozenInstanceError):
        Verdict([]).twin = 1  # type: ignore[misc]
