"""Projects that are not ours, as they are and with the one line: how much longer their crawls take.

    python -m benchmarks guests [--rounds 3] [--only site,lost]

The time is that between the opening of the spider and its closing, within the process; both take
turns, and the median of each counts. What callbacks and errbacks saw must be the same. On a machine
with other work the ratio of short crawls is that of the CPU they use.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.children import BenchmarkError, run_module, serving
from benchmarks.guest_crawl import KINDS
from benchmarks.report import AT_MOST, Figure, tell

_LIMIT = 180.0
"""Seconds for a crawl that hangs."""
_TARGETS = {"site": 1.15, "site-50ms": 1.15, "site-obey": 1.15}
_TARGET = 1.25


def measure(name: str, rounds: int, address: str, folder: Path) -> list[Figure]:
    """Crawl with both in turns; raises BenchmarkError where they saw different things."""
    seconds: dict[str, list[float]] = {"plain": [], "line": []}
    busy: dict[str, list[float]] = {"plain": [], "line": []}
    seen: dict[str, list[str]] = {}
    for number in range(rounds):
        for which, times in seconds.items():
            arguments = [which, name, address, f"{name}-{which}-{number}"]
            came = run_module(
                "benchmarks.guest_crawl", arguments, folder / f"{name}-{which}.log", _LIMIT
            )
            times.append(came["seconds"])
            busy[which].append(came["busy"])
            if seen.setdefault("", came["seen"]) != came["seen"]:
                raise BenchmarkError(f"{name}, {which}: {_difference(seen[''], came['seen'])}")
    what, target = KINDS[name].what, _TARGETS.get(name, _TARGET)
    both = median(seconds["line"]), median(seconds["plain"])
    of_cpu = median(busy["line"]), median(busy["plain"])
    return [Figure(what, "s", *both, AT_MOST, target), Figure("  CPU of these", "s", *of_cpu)]


def _difference(expected: list[str], found: list[str]) -> str:
    missing, more = sorted(set(expected) - set(found)), sorted(set(found) - set(expected))
    return (
        f"saw {len(found)} things where {len(expected)} were seen before; not {missing[:5]}, "
        f"but {more[:5]}"
    )


def main(arguments: list[str]) -> int:
    """Measure what was asked for; 1 if a target was missed or something else was seen."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks guests", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default=",".join(KINDS), help="kinds, separated by commas")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    given = parser.parse_args(arguments)
    figures, failed = [], False
    with (
        TemporaryDirectory(prefix="benchmark-") as temporary,
        serving("benchmarks.guest_site", []) as address,
    ):
        for name in given.only.split(","):
            print(f"Measuring {name} ...", file=sys.stderr, flush=True)
            try:
                figures.extend(measure(name, given.rounds, address, Path(temporary)))
            except BenchmarkError as error:
                print(error, file=sys.stderr)
                failed = True
    return max(int(failed), tell(figures, given.json))
