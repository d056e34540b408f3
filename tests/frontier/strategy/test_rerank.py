"""Re-ranks: when they are due, that there is never more than one, what a failure does."""

from __future__ import annotations

import logging
import threading
from concurrent.futures import Executor, Future
from typing import Any

import numpy as np
import pytest

from frontier.strategy.rerank import Reranker, RerankSchedule
from ranking import Ranking
from tests.support.told import tells

RANKING = {"score": Ranking(np.ones(1), iterations=3, residual=1e-5, converged=True)}


class Inline(Executor):
    """Runs a job where it is submitted."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


@pytest.mark.parametrize(
    ("fetched", "interval"), [(0, 10), (499, 10), (500, 10), (1000, 20), (250_000, 5000)]
)
def test_the_interval_is_a_share_of_the_crawl_within_bounds(fetched: int, interval: int) -> None:
    assert RerankSchedule(pages=5000, growth=0.02, min_pages=10).interval(fetched) == interval


def test_a_result_is_installed_half_an_interval_after_its_start_and_only_once() -> None:
    reranker = Reranker(RerankSchedule(min_pages=10), Inline())
    assert next(n for n in range(30) if reranker.is_due(n)) == 10
    reranker.start(10, lambda: RANKING)
    assert [reranker.take(n) is RANKING for n in range(10, 20)] == [False] * 5 + [True] + [
        False
    ] * 4
    assert reranker.is_due(20)
    assert reranker.figures.done == 1
    assert reranker.figures.late == 0


def test_there_are_never_two_at_once_and_a_late_one_is_counted() -> None:
    release, started = threading.Event(), threading.Event()

    def rank() -> dict[str, Ranking]:
        started.set()
        release.wait(10)
        return RANKING

    reranker = Reranker(RerankSchedule(min_pages=2))
    reranker.start(2, rank)
    assert started.wait(10)
    assert reranker.running
    assert reranker.is_overdue(3)
    assert [reranker.take(n) for n in (2, 3, 4)] == [None] * 3
    assert not reranker.is_due(100)
    release.set()
    reranker.close()
    assert not reranker.running


def test_a_re_rank_that_fails_is_logged_and_the_next_one_runs(
    caplog: pytest.LogCaptureFixture,
) -> None:
    reranker = Reranker(RerankSchedule(min_pages=2), Inline())
    reranker.start(2, lambda: 1 / 0)  # type: ignore[arg-type,return-value]  # it raises
    with caplog.at_level(logging.ERROR):
        assert reranker.take(3) is None
    assert tells(caplog.text, "previous scores")
    assert reranker.figures.failed == 1
    assert reranker.is_due(4)
    reranker.start(4, lambda: RANKING)
    assert reranker.take(5) is RANKING


def test_one_that_did_not_converge_is_installed_and_reported(
    caplog: pytest.LogCaptureFixture,
) -> None:
    poor = {"score": Ranking(np.ones(1), iterations=500, residual=0.1, converged=False)}
    reranker = Reranker(RerankSchedule(min_pages=2), Inline())
    reranker.start(2, lambda: poor)
    with caplog.at_level(logging.WARNING, "frontier.strategy.rerank"):  # the lab raises it
        assert reranker.take(3) is poor
    assert tells(caplog.text, "score", 500, 0.1)
    assert reranker.figures.residual == 0.1


def test_a_resumed_crawl_counts_on_from_where_it_was() -> None:
    reranker = Reranker(RerankSchedule(min_pages=10, growth=0.1), Inline())
    reranker.resume(1000)
    assert not reranker.is_due(1099)
    assert reranker.is_due(1100)
