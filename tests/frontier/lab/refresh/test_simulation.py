"""Change logs, and what rules make of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from frontier.errors import LabError
from frontier.lab.refresh.changelog import DAY, ChangeLog, made_up, read_change_log
from frontier.lab.refresh.rules import RULES
from frontier.lab.refresh.simulation import Sitemaps, staleness

URL = "http://h.example/"
SILENT = Sitemaps()


def fresh(log: ChangeLog, rule: str, budget: float = 0.1, sitemaps: Sitemaps = SILENT) -> float:
    important = np.ones(len(log))
    return staleness(log, RULES[rule](log, important), important, budget, sitemaps)


def written(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "log.tsv"
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def test_a_window_of_a_log_has_the_pages_that_were_there_and_their_changes(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        *(f"5\tA\t{URL}old", f"8\tD\t{URL}old"),
        *(f"5\tA\t{URL}a", f"12\tM\t{URL}a", f"19\tM\t{URL}a", f"25\tM\t{URL}a"),
        *(f"15\tA\t{URL}b", f"18\tD\t{URL}b"),
        f"21\tA\t{URL}late",
    )
    log = read_change_log(path, begin=10, seconds=10)
    assert log.urls == (f"{URL}a", f"{URL}b")
    assert log.born.tolist() == [0, 5]
    assert log.gone.tolist() == [np.inf, 8]
    assert (log.times.tolist(), log.pages.tolist()) == ([2, 9], [0, 0])


@pytest.mark.parametrize("line", ["x\tA\turl", "1\tX\turl", "1\tA", "nan\tA\turl"])
def test_a_line_that_is_no_change_is_named(tmp_path: Path, line: str) -> None:
    with pytest.raises(LabError, match="line 2: expected seconds"):
        read_change_log(written(tmp_path, f"1\tA\t{URL}", line), 0, 10)


def test_a_window_without_pages_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="expected pages from 100 to 110"):
        read_change_log(written(tmp_path, f"500\tA\t{URL}"), 100, 10)


def test_nothing_is_stale_where_all_is_looked_at_and_all_that_changed_where_nothing_is() -> None:
    log = made_up(40, 400, seed=0)
    assert fresh(log, "sweep", budget=10) == 0
    firsts = [min(log.times[log.pages == page], default=np.inf) for page in range(40)]
    ends = np.arange(1001, 4001) * DAY / 10
    stale = np.mean([np.mean(np.array(firsts) < end) for end in ends])
    assert fresh(log, "sweep", budget=0) == pytest.approx(stale)


@pytest.mark.parametrize("bursty", [False, True])
def test_auto_is_between_what_a_sweep_brings_and_what_true_rates_would(*, bursty: bool) -> None:
    log = made_up(200, 365, seed=1, bursty=bursty)
    sweep, auto, true = (fresh(log, rule) for rule in ("sweep", "auto", "true"))
    assert true < auto < 0.9 * sweep


def test_sitemaps_that_tell_most_changes_and_lie_a_little_leave_a_third_stale() -> None:
    log = made_up(200, 365, seed=2)
    sweep = fresh(log, "sweep")
    assert fresh(log, "auto", sitemaps=Sitemaps(told=0.7, lies=0.002)) < 0.4 * sweep
    assert fresh(log, "auto", sitemaps=Sitemaps(told=1)) < 0.05 * sweep


def test_sitemaps_that_say_always_today_do_no_harm() -> None:
    log = made_up(200, 365, seed=3)
    assert fresh(log, "auto", sitemaps=Sitemaps(lies=1)) < fresh(log, "sweep")


@pytest.mark.parametrize("rule", list(RULES))
def test_the_same_log_gives_the_same_figure(rule: str) -> None:
    log = made_up(50, 100, seed=4)
    assert fresh(log, rule) == fresh(log, rule)
