"""What rules make of change logs."""

from __future__ import annotations

import numpy as np
import pytest

from frontier.lab.refresh.rules import RULES
from frontier.lab.refresh.simulation import Sitemaps, staleness
from frontier.web.changelog import DAY, ChangeLog, made_up, made_up_urls

SILENT = Sitemaps()


def fresh(log: ChangeLog, rule: str, budget: float = 0.1, sitemaps: Sitemaps = SILENT) -> float:
    important = np.ones(len(log))
    return staleness(log, RULES[rule](log, important), important, budget, sitemaps)


def test_nothing_is_stale_where_all_is_looked_at_and_all_that_changed_where_nothing_is() -> None:
    log = made_up(made_up_urls(40), 400, seed=0)
    assert fresh(log, "sweep", budget=10) == 0
    firsts = [min(log.times[log.pages == page], default=np.inf) for page in range(40)]
    ends = np.arange(1001, 4001) * DAY / 10
    stale = np.mean([np.mean(np.array(firsts) < end) for end in ends])
    assert fresh(log, "sweep", budget=0) == pytest.approx(stale)


@pytest.mark.parametrize("bursty", [False, True])
def test_auto_is_between_what_a_sweep_brings_and_what_true_rates_would(*, bursty: bool) -> None:
    log = made_up(made_up_urls(200), 365, seed=1, bursty=bursty)
    sweep, auto, true = (fresh(log, rule) for rule in ("sweep", "auto", "true"))
    assert true < auto < 0.9 * sweep


def test_sitemaps_that_tell_most_changes_and_lie_a_little_leave_a_third_stale() -> None:
    log = made_up(made_up_urls(200), 365, seed=2)
    sweep = fresh(log, "sweep")
    assert fresh(log, "auto", sitemaps=Sitemaps(announced=0.7, lies=0.002)) < 0.4 * sweep
    assert fresh(log, "auto", sitemaps=Sitemaps(announced=1)) < 0.05 * sweep


def test_sitemaps_that_say_always_today_do_no_harm() -> None:
    log = made_up(made_up_urls(200), 365, seed=3)
    assert fresh(log, "auto", sitemaps=Sitemaps(lies=1)) < fresh(log, "sweep")


@pytest.mark.parametrize("rule", list(RULES))
def test_the_same_log_gives_the_same_figure(rule: str) -> None:
    log = made_up(made_up_urls(50), 100, seed=4)
    assert fresh(log, rule) == fresh(log, rule)
