"""The table of a comparison of rules."""

from __future__ import annotations

import json

import pytest

from frontier.lab.refresh.comparison import (
    RefreshFigures,
    RefreshProtocol,
    compare,
    json_of,
    lines_of,
)
from frontier.lab.refresh.rules import RULES
from tests.support.told import tells

STALE = {"sweep": 0.4, "nutch": 0.5, "cho": 0.3, "auto": 0.2, "true": 0.1}


def test_staleness_is_that_of_the_sweep_and_the_others_are_shares_of_it() -> None:
    found, protocol = [RefreshFigures("web", 1234, 5678, STALE)], RefreshProtocol()
    row = next(line for line in lines_of(found, protocol) if line.startswith("web"))
    assert row.split() == [
        "web",
        "1,234",
        "5,678",
        "0.4000",
        "1.000",
        *("1.250", "0.750", "0.500", "0.250"),
    ]
    assert tells(lines_of(found, protocol)[0], 730)
    assert json.loads(json_of(found, protocol))["runs"][0]["staleness"] == STALE


def test_where_nothing_was_stale_all_rules_are_as_good_as_the_sweep() -> None:
    figures = RefreshFigures("web", 1, 0, dict.fromkeys(RULES, 0.0))
    assert figures.against_sweep("auto") == 1


def test_the_same_seed_gives_the_same_figures_and_another_one_others() -> None:
    ticks: list[tuple[int, int]] = []
    protocols = [RefreshProtocol(days=10, seed=seed) for seed in (1, 1, 2)]
    runs = [compare(["made-up"], one, lambda *at: ticks.append(at)) for one in protocols]
    assert runs[0] == runs[1] != runs[2]
    assert (runs[0][0].log, runs[0][0].pages) == ("made-up", 1000)
    assert ticks[:5] == [(done, 5) for done in range(1, 6)]


@pytest.mark.parametrize("names", [[], ["made-up-bursty"]])
def test_each_log_is_a_row(names: list[str]) -> None:
    found = compare(names, RefreshProtocol(days=5), lambda *_: None)
    assert [one.log for one in found] == names
