"""What can happen to the files of a crawl, by chance."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

PAGE = 4096
NAME = "frontier.sqlite"
WAL = f"{NAME}-wal"
Damage = Callable[[Path, random.Random], None]


def _in(name: str, change: Callable[[bytearray, random.Random], None]) -> Damage:
    def damage(job: Path, rng: random.Random) -> None:
        path = job / name
        data = bytearray(path.read_bytes()) if path.exists() else bytearray()
        if data:
            change(data, rng)
            path.write_bytes(data)

    return damage


def _flipped(data: bytearray, rng: random.Random) -> None:
    for _ in range(rng.choice([1, 5, 50, 500])):
        data[rng.randrange(PAGE, len(data))] ^= 1 << rng.randrange(8)


def _head_flipped(data: bytearray, rng: random.Random) -> None:
    for _ in range(rng.choice([1, 5])):
        data[rng.randrange(PAGE)] ^= 1 << rng.randrange(8)


def _zeroed(data: bytearray, rng: random.Random) -> None:
    for _ in range(rng.choice([1, 3])):
        start = PAGE * rng.randrange(len(data) // PAGE)
        data[start : start + PAGE] = bytes(PAGE)


def _scribbled(data: bytearray, rng: random.Random) -> None:
    start, length = rng.randrange(len(data)), rng.choice([10, 1000, 20000])
    data[start : start + length] = rng.randbytes(min(length, len(data) - start))


def _cut(data: bytearray, rng: random.Random) -> None:
    del data[round(len(data) * rng.choice([0.03, 0.1, 0.25, 0.5, 0.75, 0.9, 0.97, 0.99])) :]


def _swapped(data: bytearray, rng: random.Random) -> None:
    a, b = (PAGE * rng.randrange(1, len(data) // PAGE) for _ in range(2))
    data[a : a + PAGE], data[b : b + PAGE] = data[b : b + PAGE], data[a : a + PAGE]


def _no_wal(job: Path, rng: random.Random) -> None:
    (job / WAL).unlink(missing_ok=True)


def _cut_wal(data: bytearray, rng: random.Random) -> None:
    del data[rng.randrange(len(data)) :]


DAMAGES: dict[str, Damage] = {
    "bits flipped": _in(NAME, _flipped),
    "bits flipped in the first page": _in(NAME, _head_flipped),
    "pages zeroed": _in(NAME, _zeroed),
    "scribbled over": _in(NAME, _scribbled),
    "cut short": _in(NAME, _cut),
    "pages swapped": _in(NAME, _swapped),
    "WAL missing": _no_wal,
    "half a WAL": _in(WAL, _cut_wal),
}
