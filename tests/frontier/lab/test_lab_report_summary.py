from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import bootstrap

from frontier.lab.replay.records import GREEDY_ORACLE, RunRecord
from frontier.lab.report.metrics import scored
from frontier.lab.report.summary import bootstrap_interval, summarised
from tests.frontier.lab.lab_runs import record

SEES = "sees labels"
TOPICS = [f"topic {n}" for n in range(6)]


def _runs() -> list[RunRecord]:
    """Two draws of six topics; `ppr` finds the first target n requests later than `bfs`."""
    found = []
    for n, topic in enumerate(TOPICS):
        for draw in (0, 1):
            late = "p" * (n + draw)
            runs = {GREEDY_ORACLE: "hh", SEES: "hph", "bfs": "ph", "ppr": late + "ph"}
            found += [
                record(text, name, topic, draw=draw, targets=2) for name, text in runs.items()
            ]
    return found


def test_draws_are_averaged_within_a_topic_before_topics_are() -> None:
    runs = [
        *(record("hh", GREEDY_ORACLE, "a", draw=n, targets=2) for n in range(3)),
        *(record("hh", "bfs", "a", draw=n, targets=2) for n in range(3)),
        record("hh", GREEDY_ORACLE, "b", targets=2),
        record("", "bfs", "b", targets=2),
    ]
    (_, row) = summarised(scored(runs), "bfs")
    nauc = row.averages["nauc"]
    assert (nauc.mean, nauc.n) == (0.5, 2)
    assert nauc.sd == pytest.approx(np.std([1, 0], ddof=1))


def test_rows_are_compared_by_topic_with_the_reference() -> None:
    rows = {row.strategy: row for row in summarised(scored(_runs()), "bfs")}
    ppr = rows["ppr"].against
    # A target found one request later loses 1 of the oracle's 10 + 9; draw 1 is later by one.
    lost = [-(n + 0.5) / 19 for n in range(6)]
    assert ppr is not None
    assert ppr.mean == pytest.approx(np.mean(lost))
    assert ppr.low is not None
    assert ppr.high is not None
    assert ppr.low < ppr.mean < ppr.high < 0
    assert ppr.n == 6
    assert rows["bfs"].against is None


def test_an_interval_is_that_of_scipys_percentile_bootstrap() -> None:
    differences = np.random.default_rng(3).normal(0.1, 0.2, 12)
    low, high = bootstrap_interval(differences.tolist())
    expected = bootstrap(
        (differences,), np.mean, n_resamples=50_000, method="percentile", random_state=1
    ).confidence_interval
    width = expected.high - expected.low
    assert low == pytest.approx(expected.low, abs=0.03 * width)
    assert high == pytest.approx(expected.high, abs=0.03 * width)


def test_an_interval_is_the_same_at_every_call_and_none_of_one_topic() -> None:
    assert bootstrap_interval([1.0, 2.0, 4.0]) == bootstrap_interval([1.0, 2.0, 4.0])
    assert bootstrap_interval([1.0]) == (None, None)
    assert bootstrap_interval([0.5, 0.5]) == (0.5, 0.5)
