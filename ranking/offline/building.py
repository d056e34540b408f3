"""Links as they are read -> arrays of ids.

As long as all ids are integers below 2**31 - 1, they are kept as such and numbered at the end, in
ascending order. The first id that is none makes names of all of them, those before it included:
then ids are given in the order of first appearance. Either way an id is worth 4 bytes a link end,
and what comes out does not depend on how the input was cut into pieces.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ranking.arrays import Column, FloatArray, IntArray, LongArray, SingleArray
from ranking.offline._names import NameTable
from ranking.offline._numbers import format_numbers, parse_numbers
from ranking.offline.errors import OfflineInputError
from ranking.offline.lines import Tokens
from ranking.offline.names import Names, NumberNames, Text, TextNames, close_gaps

BLOCK = 1 << 16  # links renamed at a time
NEGATIVE = 2  # of ranking/offline/_numbers.pyx
LARGEST_WEIGHT = float(np.finfo(np.float32).max)


@dataclass(frozen=True, eq=False)
class Links:
    """What was read.

    Attributes:
        sources: (L,) ids.
        targets: (L,) ids.
        weights: (L,) float32 >= 0, or None when no link has one.
        names: n names, by id.

    """

    sources: IntArray
    targets: IntArray
    weights: SingleArray | None
    names: Names


class LinkBuilder:
    """Columns of links that grow piece by piece.

    Invariant: `_table` is None and the columns hold numbers, or they hold ids of the table.
    """

    def __init__(self, table: NameTable | None = None) -> None:
        self._table = table
        self._sources, self._targets = Column(np.int32), Column(np.int32)
        self._weights: Column[np.float32] | None = None

    @property
    def numeric(self) -> bool:
        """Whether all ids so far are numbers."""
        return self._table is None

    def add(self, tokens: Tokens, name: str) -> None:
        """Append the links of a piece of text.

        Raises OfflineInputError for a negative id where all before are integers, and for a
        weight that float32 cannot hold.
        """
        ids = np.empty(len(tokens.starts), np.int32)
        if self._table is None:
            read, problem = parse_numbers(tokens.piece.text, tokens.starts, tokens.lengths, ids)
            if problem == NEGATIVE:
                line = tokens.piece.number(int(tokens.starts[read]))
                raise negative_id(f"{name}, line {line}", tokens.name(read))
            if problem:
                self.name_all()
        if self._table is not None:
            self._table.intern(tokens.piece.text, tokens.starts, tokens.lengths, ids)
        weights = None if tokens.values is None else _single(tokens, name)
        self._extend(ids[0::2], ids[1::2], weights)

    def add_numbers(
        self, sources: IntArray, targets: IntArray, weights: SingleArray | None
    ) -> None:
        """Append links between numbers in [0, 2**31 - 1)."""
        assert self._table is None
        self._extend(sources, targets, weights)

    def add_names(
        self, text: Text, starts: LongArray, lengths: IntArray, weights: SingleArray | None
    ) -> None:
        """Append links between names: source, target, source, ... (2k,) in a text."""
        self.name_all()
        assert self._table is not None
        ids = np.empty(len(starts), np.int32)
        self._table.intern(text, starts, lengths, ids)
        self._extend(ids[0::2], ids[1::2], weights)

    def name_all(self) -> None:
        """Make names of the numbers read so far, and of all that follow."""
        if self._table is not None:
            return
        self._table = NameTable()
        sources, targets = self._sources.array, self._targets.array
        self._sources, self._targets = Column(np.int32), Column(np.int32)
        for block in _blocks(len(sources)):
            numbers = np.stack([sources[block], targets[block]], axis=1).ravel()
            self._table.intern(*format_numbers(numbers), numbers)
            self._sources.extend(numbers[0::2])
            self._targets.extend(numbers[1::2])

    def finish(self) -> Links:
        """All links; the builder is not to be used any more."""
        sources, targets = self._sources.array, self._targets.array
        weights = None if self._weights is None else self._weights.array
        names: Names
        if self._table is not None:
            names = TextNames(self._table)
        else:
            names = close_gaps(sources, targets) if len(sources) else NumberNames(sources)
        return Links(sources, targets, weights, names)

    def _extend(self, sources: IntArray, targets: IntArray, weights: SingleArray | None) -> None:
        if weights is not None and self._weights is None:
            self._weights = Column(np.float32)
            self._weights.extend(np.ones(len(self._sources.array), np.float32))
        self._sources.extend(sources)
        self._targets.extend(targets)
        if self._weights is not None:
            ones = np.ones(len(sources), np.float32)
            self._weights.extend(ones if weights is None else weights)


def negative_id(where: str, name: str) -> OfflineInputError:
    """The error for an integer id below 0."""
    return OfflineInputError(
        f"{where}: expected integer ids of 0 or more, got {name}; read ids as names with --names"
    )


def single_weights(values: FloatArray) -> tuple[SingleArray, int]:
    """Weights as float32 and the position of the first that does not fit, -1 if all do.

    None may become 0, which would make a followed link a nofollow link.
    """
    with np.errstate(over="ignore", under="ignore"):
        single = values.astype(np.float32)
    bad = np.flatnonzero((values > LARGEST_WEIGHT) | ((single == 0) & (values > 0)))
    return single, int(bad[0]) if bad.size else -1


def _single(tokens: Tokens, name: str) -> SingleArray:
    assert tokens.values is not None
    weights, bad = single_weights(tokens.values)
    if bad >= 0:
        line = tokens.piece.number(int(tokens.starts[2 * bad]))
        raise OfflineInputError(
            f"{name}, line {line}: expected a weight that a float32 can hold (1e-45 to 3e38), "
            f"got {tokens.values[bad]}; scale the weights"
        )
    return weights


def _blocks(size: int) -> Iterator[slice]:
    for start in range(0, size, BLOCK):
        yield slice(start, start + BLOCK)
