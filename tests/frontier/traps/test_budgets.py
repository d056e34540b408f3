"""What is spent, what is earned, and who goes on when nothing is left."""

from __future__ import annotations

import pytest

from frontier.traps import budgets
from frontier.traps.budgets import (
    DOMAIN_SPENT,
    EARNED,
    HALF,
    HOST_SPENT,
    SHAPE_SPENT,
    UNRELATED,
    WHOLE,
    Budgets,
)
from frontier.traps.limits import TrapLimits

SITE = ("site.example", "www.site.example")


def books(**limits: int) -> Budgets:
    made = Budgets(TrapLimits(**limits))
    made.credit(*SITE, 0)
    return made


def test_a_shape_is_spent_by_pages_that_say_nothing() -> None:
    own = books(shape_budget=3)
    for _ in range(5):
        assert own.refusal(*SITE, 1) is None
        own.charge(*SITE, 1, HALF)
    own.charge(*SITE, 1, HALF)
    assert own.refusal(*SITE, 1) == SHAPE_SPENT
    assert own.refusal(*SITE, 2) is None


def test_a_page_that_says_something_earns_ten_but_nothing_in_advance() -> None:
    own = books(shape_budget=20)
    for _ in range(50):
        own.credit(*SITE, 1)
    for _ in range(20):
        own.charge(*SITE, 1, WHOLE)
    assert own.refusal(*SITE, 1) == SHAPE_SPENT
    own.thank(*SITE, 1, EARNED)
    for _ in range(10):
        assert own.refusal(*SITE, 1) is None
        own.charge(*SITE, 1, WHOLE)
    assert own.refusal(*SITE, 1) == SHAPE_SPENT


def test_one_page_in_ten_keeps_a_shape_going_for_ever() -> None:
    own = books(shape_budget=30)
    for number in range(50_000):
        assert own.refusal(*SITE, 1) is None
        if number % 10:
            own.charge(*SITE, 1, WHOLE)
        else:
            own.credit(*SITE, 1)


def test_a_spent_host_lets_go_on_what_has_proved_something_and_tries_a_few_more() -> None:
    own = books(host_budget=40, shape_budget=30)
    own.credit(*SITE, 1)
    for shape in range(10, 50):
        own.charge(*SITE, shape, WHOLE)
    assert own.refusal(*SITE, 1) is None
    assert own.refusal(*SITE, 10) == HOST_SPENT
    tried = 0
    while own.refusal(*SITE, 100 + tried) is None:
        own.leaves(SITE[1], 100 + tried)
        tried += 1
    assert tried == 12


def test_hosts_that_say_nothing_spend_their_domain() -> None:
    own = Budgets(TrapLimits(domain_hosts=3))
    for number in range(3):
        assert own.refusal("trap.example", f"h{number}.trap.example", 0) is None
        own.charge("trap.example", f"h{number}.trap.example", 0, WHOLE)
        own.charge("trap.example", f"h{number}.trap.example", 0, WHOLE)
    assert own.refusal("trap.example", "h4.trap.example", 0) == DOMAIN_SPENT
    assert own.refusal("trap.example", "h0.trap.example", 0) is None
    own.credit("trap.example", "h0.trap.example", 0)
    assert own.refusal("trap.example", "h4.trap.example", 0) is None


def test_a_host_that_is_never_relevant_waits_until_it_is() -> None:
    own = books(host_unrelated=3)
    for _ in range(3):
        assert own.refusal(*SITE, 1) is None
        own.judged(SITE[1], relevant=False)
    assert own.refusal(*SITE, 1) == UNRELATED
    own.judged(SITE[1], relevant=True)
    assert own.refusal(*SITE, 1) is None


def test_a_budget_of_nothing_is_no_budget() -> None:
    own = books(shape_budget=0, host_budget=0, host_unrelated=0, domain_hosts=0)
    for _ in range(1000):
        own.charge(*SITE, 1, WHOLE)
        own.judged(SITE[1], relevant=False)
    assert own.refusal(*SITE, 1) is None
    assert own.refusal(SITE[0], "other.site.example", 1) is None


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budgets, "_MOST_HOSTS", 10)
    monkeypatch.setattr(budgets, "_MOST_SHAPES", 4)
    monkeypatch.setattr(budgets, "_MOST_BOOKS", 20)
    own = Budgets(TrapLimits())
    for number in range(200):
        own.charge(f"d{number}.example", f"d{number % 50}.example", number, WHOLE)
    assert len(own.hosts) <= 10
    assert len(own.domains) <= 10
    assert sum(len(book.shapes) for book in own.hosts.values()) <= 20
