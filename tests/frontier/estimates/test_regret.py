"""What politeness, answers in flight and old scores cost, on worked examples and by brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.estimates.regret import FEWEST, IN_FLIGHT, KEPT, PAIRS, Losses, Regret, waiting_best
from ranking.calibration import Calibration
from ranking.priority import SEED_PRIORITY

GOOD, BAD = 1.0, 0.0
PRIORITIES = st.lists(st.integers(0, 9).map(float), max_size=8)


def calibrated(regret: Regret) -> Regret:
    """Half of the answers had a high priority and were relevant, the others neither."""
    for _ in range(FEWEST):
        regret.answered(GOOD, relevant=True)
        regret.answered(BAD, relevant=False)
    return regret


def settled(regret: Regret, *waiting: float) -> Losses:
    regret.settle(lambda k: waiting_best(np.array(waiting), k))
    assert regret.losses is not None
    return regret.losses


@pytest.fixture
def regret() -> Regret:
    return calibrated(Regret())


@pytest.fixture
def gain() -> float:
    """Probability that GOOD is relevant less that BAD is."""
    rates = Calibration([GOOD, BAD] * FEWEST, [True, False] * FEWEST)([GOOD, BAD])
    return float(rates[0] - rates[1])


def test_a_crawl_in_the_ideal_order_loses_nothing(regret: Regret) -> None:
    regret.handed_out(1, 1, GOOD, better=0)
    regret.taught(1, lambda: np.array([GOOD]))
    regret.handed_out(2, 2, BAD, better=0)
    assert settled(regret, GOOD, GOOD) == Losses(0, 0, 0)


def test_a_request_that_left_while_a_better_url_waits_still(regret: Regret, gain: float) -> None:
    regret.handed_out(1, 1, BAD, better=1)
    assert settled(regret, GOOD) == Losses(pytest.approx(gain), 0, 0)


def test_what_politeness_only_delayed_costs_nothing_in_the_end(regret: Regret) -> None:
    regret.handed_out(1, 1, BAD, better=1)
    settled(regret, GOOD)
    assert settled(regret, BAD, BAD) == Losses(0, 0, 0)
    assert settled(regret, GOOD) == Losses(0, 0, 0)  # found since: no fault of that request


def test_one_url_that_waits_is_lost_once(regret: Regret, gain: float) -> None:
    for number in range(5):
        regret.handed_out(number, number, BAD, better=1)
    assert settled(regret, GOOD, BAD).politeness == pytest.approx(gain)


def test_an_answer_in_flight_that_leads_to_better(regret: Regret, gain: float) -> None:
    regret.handed_out(1, 1, GOOD, better=0)
    regret.handed_out(2, 2, BAD, better=0)
    regret.handed_out(3, 3, GOOD, better=0)
    regret.taught(1, lambda: np.array([BAD, GOOD]))
    assert settled(regret, GOOD) == Losses(0, pytest.approx(gain), 0)


def test_links_are_looked_up_only_if_something_left_meanwhile(regret: Regret) -> None:
    regret.handed_out(1, 1, GOOD, better=0)
    regret.taught(1, lambda: pytest.fail("nothing left after it"))


def test_scores_that_were_old(regret: Regret, gain: float) -> None:
    regret.handed_out(1, 71, GOOD, better=0)
    regret.handed_out(2, 72, GOOD, better=0)
    asked = []

    def fresh(ids: list[int]) -> np.ndarray:
        asked.extend(ids)
        return np.array([GOOD, BAD])

    # Of three that wait, the first two were the best; by now the last one is.
    before, after = np.array([GOOD, GOOD, BAD]), np.array([BAD, GOOD, GOOD])
    regret.renewed(before, after, fresh)
    assert asked == [71, 72]
    assert settled(regret, GOOD, BAD) == Losses(0, 0, pytest.approx(gain))
    regret.renewed(after, before, lambda _: pytest.fail("nothing left since"))


def test_scores_that_rise_where_they_were_best_anyway_were_not_too_old(regret: Regret) -> None:
    regret.handed_out(1, 71, BAD, better=0)
    regret.renewed(np.array([0.5, 0.0]), np.array([GOOD, 0.0]), lambda _: np.array([BAD]))
    assert settled(regret, GOOD) == Losses(0, 0, 0)


def test_a_request_has_one_cause(regret: Regret, gain: float) -> None:
    regret.handed_out(1, 1, GOOD, better=0)
    regret.handed_out(2, 2, BAD, better=1)
    regret.taught(1, lambda: np.array([GOOD]))
    waiting = np.array([BAD, GOOD]), np.array([GOOD, BAD])
    regret.renewed(*waiting, lambda ids: np.full(len(ids), BAD))
    assert settled(regret, GOOD, GOOD).politeness == pytest.approx(gain)
    assert regret.losses is not None
    assert regret.losses.batching == 0


def test_seeds_do_not_count(regret: Regret) -> None:
    regret.handed_out(1, 1, SEED_PRIORITY - 1, better=1)
    regret.answered(SEED_PRIORITY - 1, relevant=True)
    assert settled(regret, SEED_PRIORITY - 2) == Losses(0, 0, 0)


def test_nothing_is_said_before_there_are_answers() -> None:
    regret = Regret()
    regret.handed_out(1, 1, BAD, better=1)
    for _ in range(FEWEST - 1):
        regret.answered(GOOD, relevant=True)
    regret.settle(lambda _: pytest.fail("nothing to calibrate"))
    assert regret.losses is None


@given(PRIORITIES, PRIORITIES)
def test_the_losses_are_those_of_the_best_exchange(on_record, waiting):
    """Brute force: exchange any number of the requests for as many URLs that wait."""
    regret = Regret()
    pairs = [(float(p), (7 * p + i) % 10 < p) for p in range(10) for i in range(10)]
    for priority, relevant in pairs:
        regret.answered(priority, relevant=relevant)
    for number, priority in enumerate(on_record):
        regret.handed_out(number, number, priority, better=1)
    p = Calibration(*zip(*pairs, strict=True))
    had, could = np.sort(p(on_record)), np.sort(p(waiting))[::-1]
    most = min(len(had), len(could))
    best = max(could[:k].sum() - had[:k].sum() for k in range(most + 1))
    assert sum(settled(regret, *waiting)) == pytest.approx(best)


@given(PRIORITIES, st.integers(0, 9))
def test_the_best_that_wait(priorities, k):
    seeds = [SEED_PRIORITY, SEED_PRIORITY - 5]
    found = waiting_best(np.array(priorities + seeds), k)
    assert found.tolist() == sorted(priorities, reverse=True)[: max(k, 0)]


def test_memory_is_bounded(regret: Regret) -> None:
    for number in range(3 * KEPT):
        regret.handed_out(number, number, BAD, better=1)
        regret.answered(9.0 * (number % 2), relevant=bool(number % 2))
    settled(regret, *np.full(3 * KEPT, 9.0))
    sizes = [len(held) for held in (regret._record, regret._since, regret._in_flight)]
    assert sizes == [KEPT, KEPT, IN_FLIGHT]
    assert len(regret._pairs) == PAIRS
