"""Command line: `python -m benchmarks [throughput|backend|resume] [options]`.

`python -m benchmarks ranking|harvest|outside|cost|memory|guests|profile [options]` are apart: they
take their own options and their own time.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import backend, resume, throughput
from benchmarks.children import BenchmarkError
from benchmarks.report import Figure, table, write_json

if TYPE_CHECKING:
    from collections.abc import Callable


_APART = {
    "ranking": "benchmarks.ranking.__main__",
    "harvest": "benchmarks.harvest.protocol",
    "outside": "benchmarks.harvest.outside",
    "cost": "benchmarks.harvest.cost",
    "memory": "benchmarks.memory",
    "guests": "benchmarks.guests",
    "profile": "benchmarks.profile",
}
"""Modules with a command line of their own; imported when asked for, for they import a lot."""


def main() -> int:
    """Measure what was asked for; 1 if a target was missed or a child failed."""
    if apart := _APART.get(" ".join(sys.argv[1:2])):
        result: int = import_module(apart).main(sys.argv[2:])
        return result
    given = _parser().parse_args()
    wanted: dict[str, tuple[str, Callable[[], list[Figure]]]] = {
        "throughput": (throughput.NOTE, lambda: throughput.measure(given.pages, given.rounds)),
        "backend": (backend.NOTE, lambda: backend.measure(given.urls, given.batches)),
        "resume": (resume.NOTE, lambda: resume.measure(given.resume_urls, given.resume_rounds)),
    }
    figures: list[Figure] = []
    notes = []
    try:
        for name in [given.which] if given.which else wanted:
            print(f"Measuring {name} ...", file=sys.stderr, flush=True)
            note, measure = wanted[name]
            figures += measure()
            notes.append(f"{name}: {note}")
    except BenchmarkError as error:
        print(error, file=sys.stderr)
        return 1
    print("\n".join([table(figures), "", *notes]))
    if given.json:
        write_json(given.json, figures)
    return int(any(one.met is False for one in figures))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("which", nargs="?", choices=("throughput", "backend", "resume"))
    parser.add_argument("--pages", type=int, default=20_000, help="of the crawls (throughput)")
    parser.add_argument("--rounds", type=int, default=2, help="crawls of each kind (throughput)")
    parser.add_argument("--urls", type=int, default=1_000_000, help="known URLs (backend)")
    parser.add_argument("--batches", type=int, default=100, help="hand-outs measured (backend)")
    parser.add_argument("--resume-urls", type=int, default=100_000, help="known URLs (resume)")
    parser.add_argument("--resume-rounds", type=int, default=3, help="starts of each kind (resume)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    return parser


if __name__ == "__main__":
    sys.exit(main())
