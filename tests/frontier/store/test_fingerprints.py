"""The index answers as a dict would, whatever was added and in whatever way."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from frontier.store import fingerprints as module
from frontier.store.fingerprints import FingerprintIndex

INT64 = st.one_of(st.integers(-(2**63), 2**63 - 1), st.integers(-20, 20))


class IndexMachine(RuleBasedStateMachine):
    """Adds in both ways with a dict of four entries, so that every part is in use."""

    def __init__(self) -> None:
        super().__init__()
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(module, "_MAX_NEWEST", 4)
        self.index = FingerprintIndex()
        self.model: dict[int, int] = {}

    @rule(fingerprint=INT64)
    def add(self, fingerprint: int) -> None:
        if fingerprint not in self.model:
            self.index.add(fingerprint, len(self.model))
            self.model[fingerprint] = len(self.model)

    @rule(fingerprints=st.sets(INT64, max_size=10))
    def bulk(self, fingerprints: set[int]) -> None:
        new = [one for one in fingerprints if one not in self.model]
        ids = range(len(self.model), len(self.model) + len(new))
        self.index.bulk(np.array(new, dtype=np.int64), np.array(ids, dtype=np.int32))
        self.model.update(zip(new, ids, strict=True))

    @rule(fingerprints=st.lists(INT64, max_size=10))
    def lookup(self, fingerprints: list[int]) -> None:
        expected = [self.model.get(one, -1) for one in fingerprints]
        assert self.index.lookup(fingerprints) == expected

    @invariant()
    def knows_all_it_was_given(self) -> None:
        assert len(self.index) == len(self.model)
        assert self.index.lookup(list(self.model)) == list(self.model.values())

    def teardown(self) -> None:
        self.patch.undo()


TestIndex = IndexMachine.TestCase


@given(st.lists(INT64, max_size=20))
def test_an_empty_index_knows_nothing(fingerprints: list[int]) -> None:
    assert FingerprintIndex().lookup(fingerprints) == [-1] * len(fingerprints)


def test_a_fingerprint_gets_one_id_only() -> None:
    index = FingerprintIndex()
    index.add(7, 0)
    with pytest.raises(AssertionError, match="one id"):
        index.add(7, 1)
    with pytest.raises(AssertionError, match="one id"):
        index.bulk([7, 8], [1, 2])
