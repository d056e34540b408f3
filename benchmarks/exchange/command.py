"""Command line of `python -m benchmarks exchange`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.children import BenchmarkError
from benchmarks.exchange import alone, served
from benchmarks.report import tell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.report import Figure

_NAMES = "alone", "served"


def main(arguments: Sequence[str]) -> int:
    """Measure what was asked for; 1 if a promise was missed or a process failed."""
    from crawler.private_postgres import PostgresMissingError

    given = _parser().parse_args(arguments)
    figures: list[Figure] = []
    notes, failed = [], False
    for name in given.names or _NAMES:
        print(f"Measuring {name} ...", file=sys.stderr, flush=True)
        try:
            if name == "alone":
                figures += alone.measure(given.answers)
                notes.append(f"alone: {alone.NOTE}")
            else:
                figures += served.measure(given.pages, given.fetchers, given.settings)
                notes.append(f"served: {served.NOTE}")
        except (BenchmarkError, PostgresMissingError) as error:
            print(f"{name}: {error}", file=sys.stderr)
            failed = True
    return max(int(failed), tell(figures, given.json, notes))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks exchange", description=__doc__)
    add = parser.add_argument
    add("names", nargs="*", metavar="NAME", type=_name, help=", ".join(_NAMES))
    add("--answers", type=int, default=40_000, help="pages that are answered (alone)")
    add("--pages", type=int, default=6000, help="of the web (served)")
    add("--fetchers", type=int, nargs="+", default=[1, 2, 4], metavar="N", help="(served)")
    add("-s", action="append", dest="settings", default=[], metavar="NAME=VALUE", help="(served)")
    add("--json", type=Path, metavar="FILE", help="write the figures there too")
    return parser


def _name(given: str) -> str:
    if given not in _NAMES:
        raise argparse.ArgumentTypeError(f"{given!r} is none of {', '.join(_NAMES)}")
    return given
