"""What is spent, what is earned, and who goes on when nothing is left."""

from __future__ import annotations

import json
import logging
from collections import Counter

import pytest

from frontier.traps.budgets import (
    BEHIND,
    DOMAIN_HOSTS,
    DOMAIN_SPENT,
    EARNED,
    HALF,
    HOST_SPENT,
    PATTERN_SPENT,
    WHOLE,
    BudgetPlace,
    Budgets,
)
from frontier.traps.refusals import Refusals
from tests.support.told import tells


def at(pattern: int, host: str = "www.site.example") -> BudgetPlace:
    return BudgetPlace("site.example", host, pattern)


def books(budget: int) -> Budgets:
    made = Budgets(budget)
    made.credit(at(0), EARNED)
    return made


def test_a_pattern_is_spent_by_pages_without_new_text() -> None:
    own = books(3)
    for _ in range(6):
        assert own.refusal(at(1)) is None
        own.charge(at(1), HALF)
    assert own.refusal(at(1)) == PATTERN_SPENT
    assert own.refusal(at(2)) is None


def test_a_page_with_new_text_earns_ten_but_nothing_in_advance() -> None:
    own = books(20)
    for _ in range(50):
        own.credit(at(1), EARNED)
    for _ in range(20):
        own.charge(at(1), WHOLE)
    assert own.refusal(at(1)) == PATTERN_SPENT
    own.credit_pattern(at(1), EARNED)
    for _ in range(10):
        assert own.refusal(at(1)) is None
        own.charge(at(1), WHOLE)
    assert own.refusal(at(1)) == PATTERN_SPENT


def test_one_page_in_ten_keeps_a_pattern_going_for_ever() -> None:
    own = books(30)
    for number in range(50_000):
        assert own.refusal(at(1)) is None
        if number % 10:
            own.charge(at(1), WHOLE)
        else:
            own.credit(at(1), EARNED)


def test_a_spent_host_lets_go_on_what_has_earned_something_and_tries_a_few_more() -> None:
    own = books(30)
    own.credit(at(1), EARNED)
    for pattern in range(10, 60):
        own.charge(at(pattern), WHOLE)
    assert own.refusal(at(1)) is None
    assert own.refusal(at(10)) == HOST_SPENT
    tried = 0
    while own.refusal(at(100 + tried)) is None:
        own.leaves(at(100 + tried))
        tried += 1
    assert tried == 12


def test_hosts_without_new_text_spend_their_domain() -> None:
    own = Budgets(60)
    for number in range(DOMAIN_HOSTS):
        host = at(0, f"h{number}.site.example")
        assert own.refusal(host) is None
        own.charge(host, WHOLE)
        own.charge(host, WHOLE)
    assert own.refusal(at(0, "next.site.example")) == DOMAIN_SPENT
    assert own.refusal(at(0, "h0.site.example")) is None
    own.credit(at(0, "h0.site.example"), EARNED)
    assert own.refusal(at(0, "next.site.example")) is None


def harvested(*pages: tuple[str, int, bool]) -> Budgets:
    own = Budgets(60)
    for host, _, _ in pages:
        own.credit(at(0, host), EARNED)
        own.judged(host, relevant=False)
    for host, n, relevant in pages:
        for _ in range(n):
            own.judged(host, relevant=relevant)
    return own


@pytest.mark.parametrize(
    ("pages", "waits"),
    [
        ([("good", 20, True), ("good", 80, False), ("bad", 100, False)], {"bad"}),
        ([("good", 5, True), ("good", 40, False), ("new", 20, False)], set()),
        ([("a", 3000, False), ("b", 3000, False)], set()),
        ([("only", 100, True), ("only", 3000, False)], set()),
    ],
)
def test_a_host_without_a_relevant_page_waits_for_those_that_have_many(
    pages: list[tuple[str, int, bool]], waits: set[str]
) -> None:
    own = harvested(*pages)
    hosts = {host for host, _, _ in pages}
    assert {host for host in hosts if own.refusal(at(0, host)) == BEHIND} == waits


def test_when_nothing_else_is_left_the_host_with_the_fewest_pages_in_vain_goes_on() -> None:
    own = harvested(("good", 50, True), ("a", 100, False), ("b", 60, False))
    assert own.best_behind({"a", "b"}) == "b"
    assert own.refusal(at(0, "b")) is None
    assert own.refusal(at(0, "a")) == BEHIND


def test_a_budget_of_nothing_is_no_budget() -> None:
    own = books(0)
    for _ in range(6000):
        own.charge(at(1), WHOLE)
        own.judged("www.site.example", relevant=False)
    assert own.refusal(at(1)) is None
    assert own.refusal(at(1, "other.site.example")) is None


def test_what_was_spent_is_kept_and_a_larger_budget_has_more_left() -> None:
    own = books(3)
    for _ in range(3):
        own.charge(at(1), WHOLE)
    state = json.loads(json.dumps(own.state()))
    again, larger = Budgets(3), Budgets(6)
    again.restore(state)
    larger.restore(state)
    assert again.state() == own.state()
    assert again.refusal(at(1)) == PATTERN_SPENT
    assert larger.refusal(at(1)) is None


class Kept(Counter[tuple[str, str]]):
    """A table of refusals that is none."""

    def __init__(self) -> None:
        super().__init__()
        self.examples: dict[tuple[str, str], str] = {}

    def add(self, reason: str, domain: str, count: int, example: str) -> None:
        self[reason, domain] += count
        self.examples.setdefault((reason, domain), example)


def test_each_refusal_is_counted_by_reason_and_domain_with_an_example() -> None:
    kept = Kept()
    noted = Refusals(kept.add)
    noted.note("too long", "http://a.site.example/1")
    noted.note("too long", "http://b.site.example/2")
    noted.note("too deep", "http://a.site.example/3")

    assert kept == {("too long", "site.example"): 2, ("too deep", "site.example"): 1}
    assert kept.examples["too long", "site.example"] == "http://a.site.example/1"
    assert noted.counts == {"too long": 2, "too deep": 1}


def test_one_line_is_logged_for_a_reason_and_a_domain(caplog: pytest.LogCaptureFixture) -> None:
    noted = Refusals(Kept().add, known=[("too deep", "site.example")])
    with caplog.at_level(logging.INFO):
        for number in range(5):
            noted.note("too long", f"http://site.example/{number}")
            noted.note("too deep", f"http://site.example/{number}")

    (line,) = (record.getMessage() for record in caplog.records)
    assert tells(line, "http://site.example/0", "too long", "site.example")
