"""Links sorted in runs: what comes out, whatever fits into memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ranking.external.sorting import Runs


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("room", [0, 10**9], ids=["many runs", "one run"])
def test_each_link_comes_once_in_order_with_its_largest_weight(
    weighted: bool, room: int, tmp_path: Path
) -> None:
    made = np.random.default_rng(3)
    keys = made.integers(0, 4000, 20_000).astype(np.uint64) << np.uint64(21)
    weights = made.integers(0, 9, len(keys)).astype(np.float32)
    runs = Runs(tmp_path, room, weighted=weighted)
    for start in range(0, len(keys), 777):
        part = slice(start, start + 777)
        runs.add(keys[part], weights[part] if weighted else None)
    pieces = list(runs.merged())
    largest = dict[int, float]()
    for key, weight in zip(keys.tolist(), weights.tolist(), strict=True):
        largest[key] = max(weight, largest.get(key, 0.0))
    assert np.concatenate([piece.keys for piece in pieces]).tolist() == sorted(largest)
    if weighted:
        found = [weight for piece in pieces for weight in piece.weights.tolist()]
        assert found == [largest[key] for key in sorted(largest)]
    assert len(pieces) > 1 or room
    assert not list(tmp_path.iterdir())


def test_no_links_are_none(tmp_path: Path) -> None:
    (links,) = Runs(tmp_path, 0, weighted=True).merged()
    assert not len(links.keys)
