"""The differences between two versions of a page, as differences of blocks at places.

A block of both versions is the same, wherever it stands. A place is that of the elements in which a
block stands; where a block took the place of another, also the position among the blocks there:
advertisements and related pages often stand in plain paragraphs, first or last. Where they stand
anywhere among them, a place that is a rank counts how many of these blocks differ.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from frontier.refresh.blocks import read_blocks

POSITIONS: Final = 4
"""Positions that are places, from the first block of some elements on, and from the last."""
ELEMENTS: Final = 0xFFFFFFFF
"""Bits of a place for the elements; the next eight are the position, or the rank."""
_RANK: Final = 1 + 2 * POSITIONS
FIGURES: Final = 1 << 40
"""Bit of a place of figures."""


class Block(NamedTuple):
    """A block of a page, see `frontier.refresh.blocks`."""

    hash: int
    place: int
    letters: int
    figures: int
    plain: int


class BlockDifference(NamedTuple):
    """A block of only one of two versions, or one with other figures in the later version."""

    block: Block
    places: tuple[int, ...]
    is_new: bool

    @property
    def is_figure(self) -> bool:
        """Whether its figures alone differ."""
        return bool(self.places[0] & FIGURES)


@dataclass(frozen=True)
class Comparison:
    """Two versions of a page; `counts` are blocks by place, of the version with more there."""

    old: list[Block]
    new: list[Block]
    differences: list[BlockDifference]
    counts: dict[int, int]

    def varied(self, places: Callable[[BlockDifference], Iterable[int]]) -> dict[int, float]:
        """Places of the differences -> the share of the blocks there that differ."""
        at = Counter((place, each.is_new) for each in self.differences for place in places(each))
        return {
            place: max(at[place, True], at[place, False])
            / (self.counts[place & ELEMENTS] if place & ~FIGURES <= ELEMENTS else 1)
            for place, _ in at
        }

    def has(self, place: int) -> bool:
        """Whether a place is on the page."""
        position = place >> 32 & 0xFF
        return self.counts.get(place & ELEMENTS, 0) > max(position - 1, 0) % POSITIONS


def is_rank(place: int) -> bool:
    """Whether a place is a number of differing blocks, and not a place on the page."""
    return place >> 32 & 0xFF >= _RANK


def compare(before: bytes, after: bytes) -> Comparison:
    """Compare two versions of a page."""
    old, new = (
        [Block._make(row) for row in read_blocks(kept).tolist()] for kept in (before, after)
    )
    counts = Counter(block.place for block in old) | Counter(block.place for block in new)
    return Comparison(old, new, list(_differences(old, new)) if before != after else [], counts)


def _differences(old: list[Block], new: list[Block]) -> Iterator[BlockDifference]:
    before, after = ({block.hash for block in blocks} for blocks in (old, new))
    gone = {row for row, block in enumerate(old) if block.hash not in after}
    fresh = {row for row, block in enumerate(new) if block.hash not in before}
    gone, fresh = _without_tokens(old, new, gone, fresh)
    known = {(block.hash, block.figures) for block in old}
    counted = {block.hash for block in old if block.figures}
    figures = {
        row
        for row, block in enumerate(new)
        if block.figures and block.hash in counted and (block.hash, block.figures) not in known
    }
    places: tuple[dict[int, list[int]], ...] = defaultdict(list), defaultdict(list)
    earlier, later = _positions(old), _positions(new)
    for place in sorted(earlier.keys() & later.keys()):
        was, now = earlier[place], later[place]
        if (was in gone and now in fresh) or (now in figures and old[was].hash == new[now].hash):
            places[0][was].append(place)
            places[1][now].append(place)
    for blocks, rows, at, kind, is_new in (
        (old, gone, places[0], 0, False),
        (new, fresh, places[1], 0, True),
        (new, figures, places[1], FIGURES, True),
    ):
        ranks: Counter[int] = Counter()
        for row in sorted(rows):
            block = blocks[row]
            rank = [block.place | _RANK + ranks[block.place] << 32]
            stands = (block.place, *at[row], *(rank if ranks[block.place] < POSITIONS else ()))
            ranks[block.place] += 1
            yield BlockDifference(block, tuple(place | kind for place in stands), is_new)


def _without_tokens(
    old: list[Block], new: list[Block], gone: set[int], fresh: set[int]
) -> tuple[set[int], set[int]]:
    """Leave out pairs of blocks at a place that differ by tokens alone.

    A token may look like a number or a word by chance, but hardly twice.
    """
    was = {(old[row].place, old[row].plain >> 1): row for row in gone}
    for row in sorted(fresh):
        block = new[row]
        pair = was.get((block.place, block.plain >> 1))
        if pair is not None and (old[pair].plain | block.plain) & 1:
            gone, fresh = gone - {pair}, fresh - {row}
    return gone, fresh


def _positions(blocks: list[Block]) -> dict[int, int]:
    """Rows of blocks by their position among those of their elements."""
    rows = {}
    counts = Counter(block.place for block in blocks)
    at: Counter[int] = Counter()
    for row, (_, place, *_) in enumerate(blocks):
        first, last = at[place], counts[place] - at[place] - 1
        at[place] += 1
        if first < POSITIONS:
            rows[place | 1 + first << 32] = row
        if last < POSITIONS:
            rows[place | 1 + POSITIONS + last << 32] = row
    return rows
