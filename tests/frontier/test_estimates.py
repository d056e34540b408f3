"""The harvest rate from labels: worked examples, independent references, and made-up crawls."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
import scipy.optimize
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from frontier.estimates import FEWEST, Drawn, Harvest, HarvestRate, harvest_rate
from frontier.topic.samples import LEAST_WEIGHT

FAR = 1e-6
"""Between the draws of two pages: of so large a crawl that the chances are next to nothing."""
LAST = Drawn(0.1, 1.0, 20.0, wanted=True)
"""A labelled page behind others."""
Said = tuple[float, bool | None]
"""When a page was fetched, and what was said of it."""


def told(said: Sequence[Said], step: float = FAR) -> HarvestRate | None:
    """The rate from pages of equal weight in the order of their draws."""
    pages = [Drawn(step * at, 1.0, *one) for at, one in enumerate(said, start=1)]
    return harvest_rate(pages, complete=False)


def labelled(yes: int, n: int) -> HarvestRate:
    """Of n labels and one more, which does not count, so many say yes."""
    found = told([(float(at), at < yes) for at in range(n + 1)])
    assert found is not None
    return found


def test_a_worked_example() -> None:
    """15 of 60: Wilson's interval, worked out by hand with z = 1.2816."""
    assert labelled(15, 60) == (
        pytest.approx(0.25),
        pytest.approx(0.18567, abs=1e-5),
        pytest.approx(0.32766, abs=1e-5),
        61,
        math.inf,
    )


def test_a_worked_example_with_weights() -> None:
    """Ten pages drawn with a chance of 1/2, two of them relevant, ten with 1/10, one relevant.

    They stand for 4 relevant of 20 and 10 of 100: 14 of 120, with a variance of 0.005874, which
    17.5 pages drawn evenly would leave.
    """
    likely = [Drawn(0.001 * at, 5.0, float(at), at < 2) for at in range(10)]
    others = [Drawn(0.05 + 0.001 * at, 1.0, 10.0 + at, at < 1) for at in range(10)]
    found = harvest_rate([*likely, *others, LAST], complete=False)
    share = 14 / 120
    variance = (
        *(2 * 0.5 * (2 * (1 - share)) ** 2, 8 * 0.5 * (2 * share) ** 2),
        *(1 * 0.9 * (10 * (1 - share)) ** 2, 9 * 0.9 * (10 * share) ** 2),
    )
    assert sum(variance) / 120**2 == pytest.approx(0.005874, abs=1e-6)
    n = share * (1 - share) / (sum(variance) / 120**2)
    assert n == pytest.approx(17.5, abs=0.05)

    def beyond(rate: float) -> float:
        return abs(share - rate) - 1.2816 * math.sqrt(rate * (1 - rate) / n)

    assert found is not None
    assert found.estimate == pytest.approx(share)
    assert found.low == pytest.approx(scipy.optimize.brentq(beyond, 1e-9, share), abs=1e-4)
    assert found.high == pytest.approx(scipy.optimize.brentq(beyond, share, 1 - 1e-9), abs=1e-4)


def test_of_a_crawl_that_is_labelled_to_the_last_page_the_rate_is_known() -> None:
    pages = [Drawn(0.1 * at, 0.1 + at, float(at), at < 3) for at in range(12)]
    assert harvest_rate(pages, complete=True) == (0.25, 0.25, 0.25, 12, math.inf)
    since = [Drawn(0.05, 1.0, 20.0, None)]
    found = harvest_rate([*since, *pages], complete=True)
    assert found == (0.25, 0.25, 0.25, 12, 20.0), "of its first twelve pages"
    assert harvest_rate([*pages, Drawn(1.2, 1.0, 5.0, None)], complete=True) != found


@given(st.integers(FEWEST, 200), st.data())
def test_the_interval_holds_the_estimate_and_shrinks_with_more_labels(n, data):
    yes = data.draw(st.integers(0, n))
    found, twice = labelled(yes, n), labelled(2 * yes, 2 * n)
    assert 0 <= found.low <= found.estimate <= found.high <= 1
    assert found.estimate == pytest.approx(yes / n)
    assert found.low <= twice.low < twice.high <= found.high
    assert twice.high - twice.low < found.high - found.low


def test_nothing_is_told_by_few_labels() -> None:
    assert told([]) is None
    assert told([(float(at), True) for at in range(FEWEST - 1)]) is None
    assert told([(float(at), None) for at in range(100)]) is None


@pytest.mark.parametrize("rate", [0.05, 0.34])
@pytest.mark.parametrize("judged", [False, True])
def test_labels_given_for_other_reasons_do_not_bend_the_estimate(rate: float, judged: bool) -> None:
    """A person names relevant pages, is asked about others by chance, and the crawl goes on.

    Whether pages draw with equal weights, or with such as a judge gives who is mostly right.
    """
    rng = np.random.default_rng(int(1000 * rate))
    errors, held = [], 0
    for _ in range(600):
        relevant = rng.random(400) < rate
        times = rng.permutation(400)
        seen = np.where(rng.random(400) < 0.7, relevant, rng.random(400))
        weights = np.maximum(seen, LEAST_WEIGHT) if judged else np.ones(400)
        draws = rng.random(400) / weights
        named = relevant & (rng.random(400) < 0.3)
        early = np.flatnonzero(times < 300)
        asked = early[np.argsort(draws[early])][:30]
        is_labelled = named.copy()
        is_labelled[asked] = True
        drawn = np.argsort(draws)
        pages = [
            Drawn(
                *(float(draws[at]), float(weights[at]), float(times[at])),
                bool(relevant[at]) if is_labelled[at] else None,
            )
            for at in drawn[:100]
        ]
        found = harvest_rate(pages, complete=False)
        assert found is not None
        truth = relevant[times < found.until].mean()
        errors.append(found.estimate - truth)
        held += found.low <= truth <= found.high
    assert abs(np.mean(errors)) < 0.02
    assert 0.75 < held / 600 < 0.85


@given(st.lists(st.booleans(), max_size=400), st.integers(0, 400))
def test_a_crawl_that_goes_on_counts_as_one_that_never_stopped(
    relevant: list[bool], stop: int
) -> None:
    resumed, whole = Harvest(relevant[:stop]), Harvest()
    for one in relevant[stop:]:
        resumed.add(one)
    for one in relevant:
        whole.add(one)
    assert vars(resumed) == vars(whole)
    assert whole.last(50) == (sum(relevant[-50:]), min(50, len(relevant)))
