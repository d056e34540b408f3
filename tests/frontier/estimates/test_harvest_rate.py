"""The harvest rate from labels: worked examples, an independent reference, and made-up crawls."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
import scipy.optimize
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from frontier.estimates.harvest_rate import FEWEST, Drawn, HarvestRate, harvest_rate

PAGES = st.lists(
    st.builds(Drawn, st.integers(0, 40).map(float), st.sampled_from([True, False, None, True])),
    max_size=25,
    unique_by=lambda page: page.fetched,
)


def labelled(yes: int, n: int) -> HarvestRate:
    found = harvest_rate([Drawn(float(at), at < yes) for at in range(n)])
    assert found is not None
    return found


def test_a_worked_example() -> None:
    """15 of 60: Wilson's interval, worked out by hand with z = 1.2816."""
    assert labelled(15, 60) == (
        0.25,
        pytest.approx(0.18567, abs=1e-5),
        pytest.approx(0.32766, abs=1e-5),
        60,
        math.inf,
    )


@pytest.mark.parametrize(("yes", "n"), [(0, 10), (1, 10), (5, 10), (10, 10), (7, 33), (99, 100)])
def test_the_interval_is_that_of_the_score_test(yes: int, n: int) -> None:
    """Its ends are the rates that the score test would just not refute, found numerically."""
    z, found = scipy.stats.norm.ppf(0.9), labelled(yes, n)

    def beyond(rate: float) -> float:
        return abs(yes / n - rate) - z * math.sqrt(rate * (1 - rate) / n)

    low = scipy.optimize.brentq(beyond, 1e-9, yes / n - 1e-6) if yes else 0.0
    high = scipy.optimize.brentq(beyond, yes / n + 1e-6, 1 - 1e-9) if yes < n else 1.0
    assert (found.low, found.high) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))


@given(st.integers(FEWEST, 200), st.data())
def test_the_interval_holds_the_estimate_and_shrinks_with_more_labels(n, data):
    yes = data.draw(st.integers(0, n))
    found, twice = labelled(yes, n), labelled(2 * yes, 2 * n)
    assert 0 <= found.low <= found.estimate == yes / n <= found.high <= 1
    assert found.low <= twice.low < twice.high <= found.high
    assert twice.high - twice.low < found.high - found.low


def test_nothing_is_told_by_few_labels() -> None:
    assert harvest_rate([]) is None
    assert harvest_rate([Drawn(float(at), True) for at in range(FEWEST - 1)]) is None
    assert harvest_rate([Drawn(float(at), None) for at in range(100)]) is None


def test_labels_with_larger_lots_than_a_page_without_one_do_not_count() -> None:
    """They may have been given because of what the pages say."""
    drawn = [Drawn(5.0 + at, at % 2 == 0) for at in range(12)]
    named = [Drawn(30.0 + at, True) for at in range(50)]
    assert harvest_rate([*drawn, Drawn(1.0, None), *named]) == harvest_rate(drawn)


def test_of_a_crawl_that_went_on_the_part_that_was_labelled_counts() -> None:
    drawn = [Drawn(float(at), at % 2 == 0) for at in range(12)]
    since = [Drawn(100.0, None), Drawn(90.0, None), Drawn(95.0, True)]
    found = harvest_rate([*drawn[:3], *since, *drawn[3:]])
    told = harvest_rate(drawn)
    assert told is not None
    assert found == told._replace(until=90.0)


@pytest.mark.parametrize(("more", "sample"), [(4, (12, math.inf)), (5, (13, 40.0))])
def test_of_equal_samples_that_of_the_larger_part_of_the_crawl_counts(
    more: int, sample: tuple[int, float]
) -> None:
    early = [Drawn(float(at), True) for at in range(20)]
    late = [Drawn(50.0 + at, False) for at in range(4)]
    found = harvest_rate([*late, *early[:8], Drawn(40.0, None), *early[8 : 8 + more]])
    assert found is not None
    assert (found.labelled, found.until) == sample


def by_trial(pages: list[Drawn]) -> tuple[int, float]:
    """The largest sample of any pair of a lot and a time, each tried."""
    times = sorted({math.inf, *(page.fetched for page in pages)})
    best = 0, math.inf
    for last, until in product(range(len(pages) + 1), times):
        inside = [page for page in pages[:last] if page.fetched < until]
        if all(page.wanted is not None for page in inside):
            best = max(best, (len(inside), until))
    return best


@given(PAGES)
def test_the_sample_is_the_largest_there_is(pages):
    found, (count, until) = harvest_rate(pages), by_trial(pages)
    if count < FEWEST:
        assert found is None
    else:
        assert found is not None
        assert found.labelled == count
        inside = [page for page in pages if page.fetched < found.until]
        assert found.until <= until
        assert count <= len(inside)


@pytest.mark.parametrize("rate", [0.05, 0.34])
def test_labels_given_for_other_reasons_do_not_bend_the_estimate(rate: float) -> None:
    """A person names relevant pages, is asked about others by chance, and the crawl goes on."""
    rng = np.random.default_rng(int(1000 * rate))
    estimates, held = [], 0
    for _ in range(1500):
        relevant = rng.random(400) < rate
        times, lots = rng.permutation(400), rng.permutation(400)
        named = relevant & (rng.random(400) < 0.3)
        early = np.flatnonzero(times < 300)
        asked = early[np.argsort(lots[early])][:30]
        is_labelled = named.copy()
        is_labelled[asked] = True
        drawn = np.argsort(lots)[:100]
        found = harvest_rate(
            Drawn(float(times[at]), bool(relevant[at]) if is_labelled[at] else None) for at in drawn
        )
        assert found is not None
        estimates.append(found.estimate)
        held += found.low <= rate <= found.high
    assert np.mean(estimates) == pytest.approx(rate, abs=0.012)
    assert held / 1500 > 0.77
