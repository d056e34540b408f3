"""What differs between two looks at a page, as differences of blocks at places.

A block that both looks show is the same, wherever it stands. A place is that of the elements in
which a block stands, and besides, where one block took the place of another, the position among the
blocks there: advertisements and related pages often stand in plain paragraphs, first or last. Where
they stand anywhere among them, it is told at least that one block of them differs, or two.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from frontier.refresh.blocks import read_blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

POSITIONS: Final = 4
"""Positions from the first block of some elements on, and from the last, that are places."""
ELEMENTS: Final = 0xFFFFFFFF
"""Bits of a place that tell the elements; the next eight tell the position, or the rank."""
_RANK: Final = 1 + 2 * POSITIONS
FIGURES: Final = 1 << 40
"""Bit of a place that is one of figures."""


class Block(NamedTuple):
    """A block of a page, see `frontier.refresh.blocks`."""

    hash: int
    place: int
    letters: int
    figures: int
    shape: int


class Difference(NamedTuple):
    """A block that only one of two revisits shows, or that has other figures in the later one."""

    block: Block
    places: tuple[int, ...]
    is_new: bool

    @property
    def is_figure(self) -> bool:
        """Whether its figures alone differ."""
        return bool(self.places[0] & FIGURES)


@dataclass(frozen=True)
class Comparison:
    """Two looks at a page; `counts` are blocks by place, of the revisit that has more there."""

    old: list[Block]
    new: list[Block]
    differences: list[Difference]
    counts: dict[int, int]

    def varied(self, places: Callable[[Difference], Iterable[int]]) -> dict[int, float]:
        """Each of some places of differences, with the share of its blocks that differ."""
        at = Counter((place, one.is_new) for one in self.differences for place in places(one))
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
    """Whether a place is none on the page, but how many blocks of some elements differ."""
    return place >> 32 & 0xFF >= _RANK


def compare(before: bytes, after: bytes) -> Comparison:
    """Hold two looks at a page against each other."""
    old, new = _blocks(before), _blocks(after)
    counts = Counter(one.place for one in old) | Counter(one.place for one in new)
    return Comparison(old, new, list(_differences(old, new)) if before != after else [], counts)


def _blocks(kept: bytes) -> list[Block]:
    return [Block._make(one) for one in read_blocks(kept).tolist()]


def _differences(old: list[Block], new: list[Block]) -> Iterator[Difference]:
    before, after = ({one.hash for one in blocks} for blocks in (old, new))
    gone = {row for row, one in enumerate(old) if one.hash not in after}
    fresh = {row for row, one in enumerate(new) if one.hash not in before}
    gone, fresh = _without_tokens(old, new, gone, fresh)
    known = {(one.hash, one.figures) for one in old}
    counted = {one.hash for one in old if one.figures}
    figures = {
        row
        for row, one in enumerate(new)
        if one.figures and one.hash in counted and (one.hash, one.figures) not in known
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
            one = blocks[row]
            rank = [one.place | _RANK + ranks[one.place] << 32]
            found = (one.place, *at[row], *(rank if ranks[one.place] < POSITIONS else ()))
            ranks[one.place] += 1
            yield Difference(one, tuple(place | kind for place in found), is_new)


def _without_tokens(
    old: list[Block], new: list[Block], gone: set[int], fresh: set[int]
) -> tuple[set[int], set[int]]:
    """Leave out pairs of blocks at a place of which at most a token differs.

    A token may look like a number or a word by chance, but hardly twice.
    """
    was = {(old[row].place, old[row].shape >> 1): row for row in gone}
    for row in sorted(fresh):
        one = new[row]
        pair = was.get((one.place, one.shape >> 1))
        if pair is not None and (old[pair].shape | one.shape) & 1:
            gone, fresh = gone - {pair}, fresh - {row}
    return gone, fresh


def _positions(blocks: list[Block]) -> dict[int, int]:
    """Rows of blocks by their position among those of their elements."""
    found = {}
    counts = Counter(one.place for one in blocks)
    at: Counter[int] = Counter()
    for row, one in enumerate(blocks):
        first, last = at[one.place], counts[one.place] - at[one.place] - 1
        at[one.place] += 1
        if first < POSITIONS:
            found[one.place | 1 + first << 32] = row
        if last < POSITIONS:
            found[one.place | 1 + POSITIONS + last << 32] = row
    return found
