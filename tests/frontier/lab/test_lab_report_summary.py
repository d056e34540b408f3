from __future__ import annotations

import numpy as np
import pytest

from frontier.lab.replay.records import GREEDY_ORACLE, TRUE_LABEL, RunRecord
from frontier.lab.report.curves import harvest_curve, recall_curve
from frontier.lab.report.regret import REPLAYS, regret_of
from frontier.lab.report.scoring import Setting, scored
from frontier.lab.report.statistics import signed_rank
from frontier.lab.report.summary import summarised
from tests.frontier.lab.lab_runs import record

TOPICS = [f"topic {n}" for n in range(6)]


def _runs() -> list[RunRecord]:
    """Two draws of six topics; `ppr` finds the first target n requests later than `bfs`."""
    found = []
    for n, topic in enumerate(TOPICS):
        for draw in (0, 1):
            late = "p" * (n + draw)
            runs = {GREEDY_ORACLE: "hh", TRUE_LABEL: "hph", "bfs": "ph", "ppr": late + "ph"}
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
    (_, row) = summarised(scored(runs).runs, "bfs")
    nauc = row.averages["nauc"]
    assert (nauc.mean, nauc.median, nauc.n) == (0.5, 0.5, 2)
    assert nauc.sd == pytest.approx(np.std([1, 0], ddof=1))


def test_rows_are_compared_by_topic_with_the_reference() -> None:
    rows = {row.strategy: row for row in summarised(scored(_runs()).runs, "bfs", {TRUE_LABEL})}
    ppr = rows["ppr"].against["nauc"]
    # A target found one request later loses 1 of the oracle's 10 + 9; draw 1 is later by one.
    lost = [-(n + 0.5) / 19 for n in range(6)]
    assert ppr.mean == pytest.approx(np.mean(lost))
    assert ppr.low is not None
    assert ppr.high is not None
    assert ppr.low < ppr.mean < ppr.high < 0
    assert ppr.p == signed_rank(lost) == 2 / 64
    assert ppr.n == 6
    assert rows["bfs"].against == {}


def test_rows_that_see_labels_are_no_comparisons_to_correct_for() -> None:
    bounds = {TRUE_LABEL, GREEDY_ORACLE}
    rows = {row.strategy: row for row in summarised(scored(_runs()).runs, "bfs", bounds)}
    assert rows["ppr"].against["nauc"].holm == rows["ppr"].against["nauc"].p
    assert rows[TRUE_LABEL].against["nauc"].holm is None


def test_topics_that_only_one_of_them_has_are_not_compared() -> None:
    runs = [one for one in _runs() if (one.key.strategy, one.key.topic) != ("ppr", TOPICS[0])]
    rows = {row.strategy: row for row in summarised(scored(runs).runs, "bfs")}
    assert rows["ppr"].against["nauc"].n == 5
    assert rows["ppr"].averages["nauc"].n == 5


def test_without_the_reference_nothing_is_compared() -> None:
    assert all(row.against == {} for row in summarised(scored(_runs()).runs, "apprentice"))


def test_a_share_that_was_never_reached_is_no_number_in_a_mean_and_the_worst_in_a_median() -> None:
    runs = []
    for topic, text in {"a": "h", "b": "ph", "c": "pp", "d": "pp", "e": "pp"}.items():
        runs += [record("h", GREEDY_ORACLE, topic, targets=1), record(text, topic=topic, targets=1)]
    (_, row) = summarised(scored(runs).runs, "bfs")
    assert row.averages["pages_to_50"].mean == 1.5
    assert row.averages["pages_to_50"].n == 2
    assert row.averages["pages_to_50"].median is None


def test_runs_without_an_oracle_beside_them_are_told() -> None:
    found = scored([record("h", "bfs"), record("h", "ppr", draw=1), record("h", GREEDY_ORACLE)])
    assert [run.key.strategy for run in found.runs] == ["bfs", GREEDY_ORACLE]
    assert [key.draw for key in found.unscored] == [1]


def test_tables_are_of_one_web_and_variant() -> None:
    runs = [
        record("h", GREEDY_ORACLE, web=web, variant=variant)
        for web in ("a", "b")
        for variant in ("inside", "outside")
    ]
    rows = summarised(scored(runs).runs, "bfs")
    assert [row.setting for row in rows] == [
        Setting(web, variant) for web in ("a", "b") for variant in ("inside", "outside")
    ]


def test_curves_are_means_over_topics_with_the_middle_half() -> None:
    runs = []
    for n, topic in enumerate(TOPICS):
        runs += [record("h", GREEDY_ORACLE, topic, budget=20, targets=1)]
        runs += [record("p" * n + "h", "bfs", topic, budget=20, targets=1)]
    course = [run for run in scored(runs).runs if run.key.strategy == "bfs"]
    recall = recall_curve(course)
    assert recall.at.tolist() == list(range(1, 21))
    assert recall.mean[:6] == pytest.approx([1 / 6, 2 / 6, 3 / 6, 4 / 6, 5 / 6, 1])
    assert recall.low[2] == 0
    assert recall.high[2] == 1
    harvest = harvest_curve(course)
    assert harvest.at[0] == 10
    assert harvest.mean[[0, -1]] == pytest.approx([0.1, 0.05])


def test_losses_by_cause_add_up_to_the_total() -> None:
    texts = {
        "ideal": "hhhhpppppp",
        "politeness": "hhppppppph",
        "batching": "hhhhpppppp",
        "staleness": "hhpppppppp",
        "as configured": "hppppppppp",
    }
    assert texts.keys() == REPLAYS.keys()
    replays = {name: [record(text), record(text, draw=1)] for name, text in texts.items()}
    replays["ideal"].append(record("hhhhpppppp", draw=2))
    (regret,) = regret_of(replays)
    assert regret.tasks == 2
    assert (regret.ideal, regret.found, regret.total) == (4, 1, 3)
    assert regret.lost == {"politeness": 1, "batching": 0, "staleness": 2, "together": 0}
    area = regret.area
    assert area["politeness"] == pytest.approx((8 + 7 - 1) / 40)
    assert sum(area.values()) == pytest.approx((34 - 10) / 40)
