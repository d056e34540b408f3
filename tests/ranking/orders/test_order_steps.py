"""Steps of hubs and authorities, against the same in NumPy, to the last bit."""

import numpy as np
import pytest

from ranking.orders import _steps


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("judged", [False, True])
def test_a_step_rounds_as_the_formula_on_whole_arrays_does(dtype, weighted, judged):
    rng = np.random.default_rng(7)
    ids = rng.permutation(99)[:40].astype(np.int32)
    weights = rng.random(40, np.float32) if weighted else None
    authority, relevance = rng.random(99).astype(dtype), rng.random(99, np.float32)
    told, mean, scale, handed = rng.random(99) < 0.5, 0.3, 0.7, 0.9
    weight = scale if weights is None else np.float32(scale) * weights
    counts = np.where(told, relevance, np.float32(mean))[ids] if judged else dtype(1)
    factor = dtype(weight) if weights is None else weight
    expected = (authority[ids] * counts) * factor
    found = np.empty(40, dtype)
    marks = told.view(np.uint8) if judged else None
    _steps.named(ids, weights, scale, authority, marks, relevance, mean, found)
    assert found.tobytes() == expected.astype(dtype).tobytes()
    raised = authority.copy()
    raised[ids] += dtype(handed * scale) if weights is None else np.float32(handed) * weight
    _steps.raised(ids, weights, scale, handed, authority)
    assert authority.tobytes() == raised.tobytes()


def test_steps_to_unknown_ids_are_refused():
    ids, few, more = np.array([3], np.int32), np.ones(3), np.ones(4)
    with pytest.raises(IndexError, match="id 3 is not below n=3"):
        _steps.raised(ids, None, 1.0, 1.0, few)
    told, relevance = np.ones(3, np.uint8), np.ones(3, np.float32)
    with pytest.raises(IndexError, match="id 3 is not below n=3"):
        _steps.named(ids, None, 1.0, more, told, relevance, 0.5, np.empty(1))
