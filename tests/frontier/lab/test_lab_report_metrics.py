from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.lab.report.metrics import figure_names, figures, trace_of
from tests.frontier.lab.lab_runs import record

BEST = trace_of(record("hhhhpppppp"))


def _area(outcomes: str, targets: int, budget: int) -> float:
    """Mean recall, summed up request by request."""
    found, total = 0, 0.0
    for n in range(budget):
        found += outcomes[n : n + 1] == "h"
        total += found / targets
    return total / budget


def test_a_worked_example() -> None:
    trace = trace_of(record("phrhtfnhpp"))
    assert (trace.hits, trace.absent, trace.failed) == ((2, 4, 8), (7,), 2)
    assert trace.area() == pytest.approx((9 + 7 + 3) / 40)
    assert BEST.area() == pytest.approx((10 + 9 + 8 + 7) / 40)
    found = figures(trace, BEST)
    assert found["nauc"] == pytest.approx(19 / 34)
    assert found["recall_1t"] == 0.5
    assert found["recall_2t"] == 0.75
    assert found["recall_4t"] is None
    assert found["recall"] == 0.75
    assert found["failed"] == 2
    assert found["not_recorded"] == 1
    assert found["harvest_100"] is None


def test_harvest_rates_are_of_all_requests_that_could_have_been_made() -> None:
    ended = figures(
        trace_of(record("ph" * 10, budget=250, targets=20)),
        trace_of(record("h" * 20, budget=250, targets=20)),
    )
    assert ended["harvest_100"] == 0.1
    assert ended["harvest_250"] == 0.04
    assert ended["harvest_500"] is None


def test_the_oracle_itself_scores_one_and_an_empty_run_nothing() -> None:
    assert figures(BEST, BEST)["nauc"] == 1.0
    nothing = figures(trace_of(record("")), BEST)
    assert nothing["nauc"] == 0.0
    assert tuple(nothing) == figure_names()


@given(st.text(alphabet="hprtfn", max_size=30), st.integers(0, 20), st.integers(0, 20))
def test_areas_and_bounds_hold_for_any_run(outcomes: str, more: int, longer: int) -> None:
    targets = max(1, outcomes.count("h") + more)
    budget = max(1, len(outcomes) + longer)
    trace = trace_of(record(outcomes, budget=budget, targets=targets))
    assert trace.area() == pytest.approx(_area(outcomes, targets, budget))
    recalls = [trace.recall(n) for n in range(budget + 1)]
    assert recalls == sorted(recalls)
    assert np.isclose(recalls[-1], outcomes.count("h") / targets)
