"""What rules decide: they read facts and write nothing, and what they came to is merged once."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import pytest

from frontier import records
from frontier.records import Lease, UrlRecord
from frontier.states import COPIED, ELSEWHERE, NAMED, NOFOLLOW, Mark, State
from frontier.topic.relevance import plain_link
from frontier.verdict import Rule, Verdict, decided, flag_links
from tests.support.answers import lease_of
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


def read(**known: Any) -> records.Page:
    facts = {"state": State.CRAWLED, "relevance": 0.5, "similarity": 0.25, **known}
    return records.Page(fetched=1.0, **facts)


class Unwriting:
    """Checks that a rule changes nothing that it is given."""

    def __init__(self, rule: Rule, asked: list[str]) -> None:
        self._rule, self._asked = rule, asked

    def judge(self, lease: Lease, page: records.Page, so_far: Verdict) -> Verdict:
        before, links = replace(lease), [(link, link.flags) for link in so_far.links]
        verdict = self._rule.judge(lease, page, so_far)
        for field in fields(Lease):
            assert getattr(lease, field.name) is getattr(before, field.name), field.name
        assert [(link, link.flags) for link in so_far.links] == links
        self._asked += [type(self._rule).__name__] * (verdict is not so_far)
        return verdict


def test_rules_write_nothing_and_all_of_them_decide_something() -> None:
    crawl = DrivenCrawl(None, WEB, strategy="bfs", topic="t")
    decisive: list[str] = []
    crawl.backend.rules = tuple(Unwriting(rule, decisive) for rule in crawl.backend.rules)
    crawl.seed(ROOT)
    crawl.run()
    crawl.close()
    assert {"CanonicalPages", "DuplicatePages", "RedirectToKnown"} <= set(decisive)
    states = [crawl.backend.ledger.state_of(number) for number in range(4)]
    assert states == [State.CRAWLED] * 3 + [State.REDIRECTED]


def test_a_rule_sees_what_those_before_it_decided() -> None:
    class Merges:
        def judge(self, lease: Lease, page: records.Page, so_far: Verdict) -> Verdict:
            return replace(so_far, state=State.REDIRECTED)

    class Asks:
        seen: list[State]

        def judge(self, lease: Lease, page: records.Page, so_far: Verdict) -> Verdict:
            self.seen = [page.state, so_far.state_of(page)]
            return so_far

    asks = Asks()
    verdict = decided(lease_of(ROOT, 1), read(), Verdict([]), [Merges(), asks])
    assert asks.seen == [State.CRAWLED, State.REDIRECTED]
    assert verdict.state is State.REDIRECTED


def test_flags_that_were_decided_are_set_on_the_links_and_the_claim() -> None:
    other, named = link(FIRST, NOFOLLOW), link(OTHER, NAMED)
    flag_links(Verdict([other, named], flags=ELSEWHERE | COPIED, claim_flags=NOFOLLOW))
    assert other.flags == NOFOLLOW | ELSEWHERE | COPIED
    assert named.flags == NAMED | NOFOLLOW


def test_a_stored_row_is_the_page_with_what_was_decided() -> None:
    crawl = DrivenCrawl(None, WEB, strategy="bfs", topic="t")
    crawl.seed(ROOT)
    lease, page = crawl.lease_next(), read(marks=Mark.NOINDEX, error="cut")
    assert lease is not None
    as_read = crawl.backend.ledger.row(lease, page, Verdict([]))
    verdict = Verdict([], marks=Mark.DUPLICATE, twin=7, is_worthless=True)
    decided_row = crawl.backend.ledger.row(lease, page, verdict)
    crawl.close()
    assert (as_read.state, as_read.error, as_read.twin) == (State.CRAWLED, "cut", None)
    assert (as_read.relevance, as_read.similarity, as_read.marks) == (0.5, 0.25, Mark.NOINDEX)
    assert (decided_row.state, decided_row.twin) == (State.CRAWLED, 7)
    assert decided_row.marks == Mark.NOINDEX | Mark.DUPLICATE
    assert (decided_row.relevance, decided_row.similarity) == (0.0, 0.0)


def test_a_page_that_is_not_judged_has_no_relevance_however_little_it_is_worth() -> None:
    assert Verdict([], is_worthless=True).relevance_of(read(relevance=None)) is None
    failed = Verdict([], state=State.ERROR)
    assert (failed.relevance_of(read()), failed.similarity_of(read())) == (None, None)


def test_a_page_is_not_written_into() -> None:
    with pytest.raises(FrozenInstanceError):
        read().title = "another"  # type: ignore[misc]


def test_a_verdict_is_not_written_into() -> None:
    with pytest.raises(FrozenInstanceError):
        Verdict([]).twin = 1  # type: ignore[misc]
