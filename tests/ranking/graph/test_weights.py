import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ranking.graph.weights import CodedWeights, WeightColumn

FEW = st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), max_size=20)


def values(column: WeightColumn) -> list[float]:
    snapshot = column.snapshot()
    array = snapshot.decoded() if isinstance(snapshot, CodedWeights) else snapshot
    return array.tolist()


@given(st.lists(st.one_of(st.integers(0, 5), FEW), max_size=8))
def test_what_was_appended_is_read_back(parts):
    column, expected = WeightColumn(), []
    for part in parts:
        if isinstance(part, int):
            column.extend_ones(part)
            expected += [1.0] * part
        else:
            column.extend(np.array(part, np.float32))
            expected += part
    assert values(column) == expected
    assert len(column) == len(expected)
    assert column.span(1, 3).tolist() == expected[1:3]


def test_few_different_weights_take_a_byte_each():
    column = WeightColumn()
    column.extend(np.tile(np.arange(200, dtype=np.float32), 10))
    snapshot = column.snapshot()
    assert isinstance(snapshot, CodedWeights)
    assert snapshot.codes.nbytes == 2000


def test_many_different_weights_are_kept_exactly():
    rng = np.random.default_rng(2)
    parts = [rng.random(100).astype(np.float32) for _ in range(5)]
    column = WeightColumn()
    column.extend_ones(2)
    for part in parts:
        column.extend(part)
    column.extend_ones(1)
    assert values(column) == [1.0, 1.0, *np.concatenate(parts).tolist(), 1.0]
    assert column.span(2, 4).tolist() == parts[0][:2].tolist()


def test_a_snapshot_outlives_a_new_palette():
    column = WeightColumn()
    column.extend(np.array([0.5], np.float32))
    before = column.snapshot()
    column.extend(np.arange(10, dtype=np.float32))
    assert isinstance(before, CodedWeights)
    assert before.decoded().tolist() == [0.5]
