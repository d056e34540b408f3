"""What looks show about pages, against closed forms and a process whose rates are known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.refresh.chances import DAY, FIRST_RATE, FIRST_STRENGTH, STRENGTH, ChangeChances
from frontier.refresh.worth import due, worth
from ranking.arrays import Column

SOME = np.array([0])


def one_page() -> ChangeChances:
    chances = ChangeChances()
    chances.add(0, folder=0, host=0)
    return chances


def revisited(chances: ChangeChances, row: int, at: float, *, changed: bool) -> None:
    chances.revisited(np.array([row]), at, np.array([changed]))


def test_a_page_never_revisited_changes_at_the_rate_of_a_crawl_that_knows_nothing() -> None:
    chances = one_page()
    assert chances.rates(SOME) == pytest.approx([FIRST_RATE])
    assert chances.chances(SOME, 30 * DAY) == pytest.approx([1 - np.exp(-1)])
    assert chances.chances(SOME, 0) == [0]


def test_a_change_counts_as_what_a_poisson_process_is_expected_to_have_had_where_it_had_any() -> (
    None
):
    chances = one_page()
    revisited(chances, 0, 30 * DAY, changed=True)
    expected = 1 / (1 - np.exp(-1))
    crawl = (expected + FIRST_STRENGTH) / (30 * DAY + FIRST_STRENGTH / FIRST_RATE)
    rate = crawl
    for _ in ("host", "folder", "page"):
        rate = (expected + STRENGTH) / (30 * DAY + STRENGTH / rate)
    assert chances.rates(SOME) == pytest.approx([rate], rel=2**-8)
    assert chances.changes(SOME) == pytest.approx([expected], rel=2**-8)


def test_what_is_kept_of_a_page_in_few_bits_goes_on_growing() -> None:
    chances = one_page()
    for day in range(1, 2001):
        revisited(chances, 0, day * DAY, changed=day % 2 == 0)
    alone = (chances.changes(SOME) + STRENGTH) / (2000 * DAY)
    assert chances.rates(SOME) == pytest.approx(alone, rel=0.1)
    assert alone * DAY == pytest.approx(-np.log(0.5), rel=0.1)


def test_what_was_stored_is_restored() -> None:
    chances, again = ChangeChances(), ChangeChances()
    random, rows = np.random.default_rng(6), np.arange(40)
    folders, hosts = rows // 4, rows // 20
    for row in range(40):
        chances.add(row * DAY, int(folders[row]), int(hosts[row]))
    for day in range(50, 80):
        some = np.flatnonzero(random.random(40) < 0.5)
        chances.revisited(some, day * DAY, random.random(len(some)) < 0.2)
    chances.signal([3])
    assert (chances.changes(rows) >= 0).all()
    again.restore(rows * DAY, chances.last, chances.changes(rows), folders, hosts)
    again.signal([3])
    assert again.last.tolist() == chances.last.tolist()
    assert again.rates(rows) == pytest.approx(chances.rates(rows), rel=0.02)
    assert again.add(90 * DAY, 10, 2) == 40


def test_a_row_takes_12_bytes() -> None:
    chances = one_page()
    columns = (value for value in vars(chances).values() if isinstance(value, Column))
    assert sum(column.array.itemsize for column in columns) == 12 + 4  # 4: the host of a folder


def test_pages_of_a_folder_that_changes_are_expected_to_change() -> None:
    chances = ChangeChances()
    for folder in (0, 0, 1, 1):
        chances.add(0, folder, host=0)
    for day in range(1, 11):
        revisited(chances, 0, day * DAY, changed=True)
        revisited(chances, 2, day * DAY, changed=False)
    busy, of_busy, quiet, of_quiet = chances.rates(np.arange(4))
    assert busy > of_busy > of_quiet > quiet


def test_rates_come_near_to_those_of_a_poisson_process() -> None:
    random, chances = np.random.default_rng(5), ChangeChances()
    true = np.array([1 / (2 * DAY), 1 / (10 * DAY), 1 / (50 * DAY)])
    rows = np.arange(3)
    for row in range(3):
        chances.add(0, folder=row, host=0)
    for day in range(1, 801):
        chances.revisited(rows, day * DAY, random.random(3) < -np.expm1(-true * DAY))
    assert chances.rates(rows) == pytest.approx(true, rel=0.25)


def test_pages_of_a_folder_that_is_edited_at_once_are_expected_to_have_changed() -> None:
    chances, rows = ChangeChances(), np.arange(60)
    for row in range(60):
        chances.add(0, folder=row // 20, host=row // 40)
    for revisit in range(10):
        chances.revisited(rows, (revisit + 1) * 30 * DAY, rows % 10 == revisit)
    before = chances.chances(rows, 310 * DAY)
    assert before == pytest.approx(np.full(60, before.mean()), rel=0.5)
    chances.revisited(np.arange(10), 310 * DAY, np.ones(10, np.bool_))
    same_folder, same_host, other_host = chances.chances(np.array([15, 25, 45]), 310 * DAY)
    assert same_folder > 4 * before[15]
    assert same_folder > same_host > 1.5 * before[25]
    assert other_host == pytest.approx(before[45], rel=0.5)
    for day in range(311, 321):
        chances.revisited(np.arange(20), day * DAY, np.zeros(20, np.bool_))
    assert chances.chances(rows, 331 * DAY)[5] == pytest.approx(before[5], rel=0.5)


def test_a_signal_is_worth_what_signals_of_its_host_have_been_worth() -> None:
    chances = ChangeChances()
    for host in (0, 0, 1, 1):
        chances.add(0, folder=host, host=host)
    for day in range(1, 301):
        if day % 10 == 0:
            chances.signal([0, 2])
        revisited(chances, 0, day * DAY, changed=day % 10 == 0)
        revisited(chances, 2, day * DAY, changed=False)
    chances.signal([0, 1, 2, 3])
    now = 300 * DAY + 1
    honest, _, lying, _ = chances.chances(np.arange(4), now)
    assert honest > 0.9
    assert lying < 0.1


def test_a_revisit_takes_back_the_signal() -> None:
    chances = one_page()
    chances.signal([0])
    assert chances.chances(SOME, 0) == [0.5]
    revisited(chances, 0, 0, changed=False)
    assert chances.chances(SOME, 0) == [0]


@pytest.mark.parametrize("now", [-5 * DAY, 0.0])
def test_a_clock_that_was_set_back_makes_no_page_due_and_is_forgiven(now: float) -> None:
    chances = ChangeChances()
    chances.add(10 * DAY, folder=0, host=0)
    assert chances.chances(SOME, now) == [0]
    revisited(chances, 0, max(now, 0), changed=False)
    assert chances.last == [10 * DAY]
    assert chances.chances(SOME, 11 * DAY) > 0


@given(
    st.lists(st.tuples(st.floats(0, 4e9), st.booleans(), st.booleans()), min_size=1, max_size=30)
)
def test_whatever_is_seen_chances_are_below_1_and_rates_above_0(
    revisits: list[tuple[float, bool, bool]],
) -> None:
    chances = one_page()
    for at, changed, signalled in revisits:
        if signalled:
            chances.signal([0])
        revisited(chances, 0, at, changed=changed)
        assert 0 < chances.rates(SOME)[0] < np.inf
        assert 0 <= chances.chances(SOME, at + 1e9)[0] < 1


def test_worth_is_the_derivative_of_freshness_by_the_rate_of_revisits() -> None:
    rate, every, step = 0.3, 4.0, 1e-5

    def freshness(revisits: float) -> float:
        return float(revisits / rate * -np.expm1(-rate / revisits))

    slope = (freshness(1 / every + step) - freshness(1 / every - step)) / (2 * step)
    p = -np.expm1(-rate * every)
    found = worth(np.array([1.0]), np.array([rate]), np.array([p]))
    assert found == pytest.approx([slope], rel=1e-6)


def test_a_page_that_changes_at_every_moment_is_worth_less_than_one_that_stays_fresh() -> None:
    hopeless, steady = worth(np.ones(2), np.array([1.0, 1e-3]), np.array([0.999, 0.9]))
    assert hopeless < steady


def test_the_longest_unseen_come_first_and_then_what_is_worth_most() -> None:
    chances = ChangeChances()
    for at in (3, 2, 1, 4):
        chances.add(at * DAY, folder=0, host=0)
    importance = np.array([0.5, 1.0, 0.0, 0.9])
    assert due(importance, chances, 40 * DAY, 3, longest_unseen=0.1).tolist() == [2, 1, 3]
    assert due(importance, chances, 40 * DAY, 9, longest_unseen=0.0).tolist() == [1, 3, 0, 2]
    importance[[2, 3]] = -1.0
    assert due(importance, chances, 40 * DAY, 3, longest_unseen=0.1).tolist() == [1, 0]
    assert due(np.full(4, -1.0), chances, 40 * DAY, 3, longest_unseen=0.1).tolist() == []
