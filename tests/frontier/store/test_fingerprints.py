"""The index answers as a dict would, whatever was added and in whatever way."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from frontier.store.fingerprints import FingerprintIndex

INT64 = st.one_of(st.integers(-(2**63), 2**63 - 1), st.integers(-20, 20))


class IndexMachine(RuleBasedStateMachine):
    """Begins with some and adds others; a dict holds what it should know."""

    @initialize(fingerprints=st.sets(INT64, max_size=2000))
    def begin(self, fingerprints: set[int]) -> None:
        self.index = FingerprintIndex(np.array(list(fingerprints), dtype=np.int64))
        self.model = {one: number for number, one in enumerate(fingerprints)}

    @rule(fingerprints=st.sets(INT64, max_size=300))
    def add(self, fingerprints: set[int]) -> None:
        news = [one for one in fingerprints if one not in self.model]
        self.index.add(news)
        self.model.update(
            zip(news, range(len(self.model), len(self.model) + len(news)), strict=True)
        )

    @rule(fingerprints=st.lists(INT64, max_size=10))
    def lookup(self, fingerprints: list[int]) -> None:
        expected = [self.model.get(one, -1) for one in fingerprints]
        assert self.index.lookup(fingerprints) == expected

    @invariant()
    def knows_all_it_was_given(self) -> None:
        assert len(self.index) == len(self.model)
        assert self.index.lookup(self.model) == list(self.model.values())
        assert self.index.fingerprints.array.tolist() == list(self.model)


TestIndex = IndexMachine.TestCase


@pytest.mark.parametrize("begun", [0, 1, 2, 50_000])
def test_many_come_one_by_one(begun: int) -> None:
    numbers = np.random.default_rng(begun).integers(-(2**63), 2**63, 100_000, dtype=np.int64)
    index = FingerprintIndex(numbers[:begun].copy())
    for one in numbers[begun:].tolist():
        index.add([one])
    assert index.lookup(numbers.tolist()) == list(range(len(numbers)))
    assert set(index.lookup((numbers ^ 1).tolist())) == {-1}


def test_a_fingerprint_has_one_id() -> None:
    with pytest.raises(AssertionError):
        FingerprintIndex(np.array([1, 2, 1]))
    index = FingerprintIndex(np.array([1, 2]))
    with pytest.raises(AssertionError):
        index.add([2])
