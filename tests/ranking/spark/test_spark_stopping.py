"""When the iterations of Spark jobs stop."""

from __future__ import annotations

import pytest

from ranking.errors import RankingInputError
from ranking.pagerank.sweeps import residual_allowed
from ranking.spark.stopping import change_allowed, check_stopping, factor_left


@pytest.mark.parametrize("damping", [0.1, 0.85, 0.99])
@pytest.mark.parametrize("tol", [1e-9, 1e-6, 0.1, 5.0])
def test_a_change_leaves_the_residual_that_the_engine_allows(damping, tol):
    assert damping * change_allowed(tol, damping) == pytest.approx(residual_allowed(tol, damping))


def test_without_damping_the_first_iterate_is_exact():
    assert change_allowed(1e-12, 0.0) == float("inf")


@pytest.mark.parametrize("rate", [0.6, 0.9, 0.999])
def test_changes_that_shrink_steadily_leave_the_rest_of_their_series(rate):
    rest = sum(rate**k for k in range(1, 100_000))
    assert factor_left(rate, 1.0) == pytest.approx(rest)


def test_a_fast_rate_is_no_reason_to_believe_less_than_the_last_change():
    assert factor_left(1e-9, 1.0) == 1


def test_a_rate_that_is_unknown_or_grows_promises_no_end():
    assert factor_left(1e-9, 0.0) == factor_left(2.0, 1.0) > 1000


@pytest.mark.parametrize(("tol", "most"), [(0, 1), (float("inf"), 1), (float("nan"), 1), (1, 0)])
def test_what_would_never_or_always_stop_is_refused(tol, most):
    with pytest.raises(RankingInputError):
        check_stopping(tol, most)
