from __future__ import annotations

import logging
from collections import Counter

import pytest

from frontier.traps.refusals import Refusals
from tests.support.told import tells


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
