"""Figures from samples: exact where nothing is left to draw, honest where something is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.inspection.compare.sampling import drawn, estimated, exactly, narrower, relative_size
from frontier.inspection.reports import Figure


@st.composite
def samples(draw: st.DrawFn) -> tuple[int, int, int]:
    total = draw(st.integers(1, 10_000))
    m = draw(st.integers(1, total))
    return draw(st.integers(0, m)), m, total


@given(samples())
def test_an_estimate_lies_in_its_interval_and_contradicts_nothing_seen(
    sample: tuple[int, int, int],
) -> None:
    hits, m, total = sample
    figure = estimated(hits, m, total)
    assert hits <= figure.low <= figure.high <= total - (m - hits)
    assert figure.low - 1e-6 <= figure.value <= figure.high + 1e-6
    assert figure.value == pytest.approx(hits / m * total)


@given(st.integers(0, 500), st.integers(1, 500))
def test_what_was_counted_is_exact(hits: int, total: int) -> None:
    assert estimated(min(hits, total), total, total) == exactly(min(hits, total))


def test_nothing_drawn_says_nothing() -> None:
    assert estimated(0, 0, 5) == Figure(0, 0, 5)
    assert estimated(0, 0, 0) == exactly(0)


def test_without_a_correction_it_is_wilsons_interval() -> None:
    """30 of 100: .2189 to .3958, as tabulated; of endless pages the correction is nothing."""
    figure = estimated(30, 100, 10**12)
    assert figure.low / 10**12 == pytest.approx(0.2189, abs=1e-4)
    assert figure.high / 10**12 == pytest.approx(0.3958, abs=1e-4)


@pytest.mark.parametrize("share", [0.02, 0.3, 0.9])
def test_the_interval_holds_the_truth_about_95_times_in_100(share: float) -> None:
    rng = np.random.default_rng(4)
    total, m = 2000, 400
    there = round(share * total)
    seen = rng.hypergeometric(there, total - there, m, size=2000)
    figures = [estimated(int(hits), m, total) for hits in seen]
    held = np.mean([figure.low <= there <= figure.high for figure in figures])
    assert 0.93 <= held <= 0.98


def test_the_relative_size_holds_the_truth_about_95_times_in_100() -> None:
    """1,000 pages of 5,000 shared with a crawl of 2,000."""
    rng = np.random.default_rng(5)
    here = rng.hypergeometric(1000, 4000, 500, size=2000)
    there = rng.hypergeometric(1000, 1000, 500, size=2000)
    figures = [
        relative_size((int(a), 500, 5000), (int(b), 500, 2000))
        for a, b in zip(here, there, strict=True)
    ]
    held = [figure is not None and figure.low <= 2.5 <= figure.high for figure in figures]
    assert 0.93 <= np.mean(held) <= 0.98


def test_the_relative_size_of_counted_crawls_is_that_of_their_pages() -> None:
    size = relative_size((30, 60, 60), (30, 40, 40))
    assert size is not None
    assert (size.value, size.low, size.high) == pytest.approx((1.5, 1.5, 1.5))


@pytest.mark.parametrize("hits", [(0, 5), (5, 0), (0, 0)])
def test_crawls_whose_samples_share_nothing_have_no_relative_size(hits: tuple[int, int]) -> None:
    assert relative_size((hits[0], 10, 100), (hits[1], 10, 100)) is None


@given(st.integers(0, 300), st.integers(1, 400))
def test_a_drawing_is_a_part_in_order_and_repeats(n: int, sample: int) -> None:
    ids = np.arange(n, dtype=np.int64) * 3
    part = drawn(ids, sample)
    assert len(part) == min(n, sample)
    assert set(part.tolist()) <= set(ids.tolist())
    assert (np.diff(part) > 0).all()
    np.testing.assert_array_equal(part, drawn(ids, sample))
    assert drawn(ids, None) is ids


def test_a_drawing_favours_no_part() -> None:
    """4,000 of 40,000: 100 in each fortieth, within five standard deviations."""
    often = np.bincount(drawn(np.arange(40_000, dtype=np.int64), 4000) // 1000, minlength=40)
    assert (np.abs(often - 100) < 50).all()


def test_the_narrower_of_two_figures_is_taken() -> None:
    wide, narrow = Figure(5, 1, 9), Figure(6, 5, 7)
    assert narrower(wide, narrow) is narrower(narrow, wide) is narrow
