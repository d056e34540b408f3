"""Command line of `python -m benchmarks exchange`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.children import ROOT, AbsentError, BenchmarkError
from benchmarks.exchange import alone, harvest, served
from benchmarks.report import tell

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.report import Figure

_FOLDER = ROOT.parent / "shared/webs"
_WEBS = "docs", "wikispeedia"
_MEASURED: dict[str, tuple[str, Callable[[argparse.Namespace], list[Figure]]]] = {
    "alone": (alone.NOTE, lambda on: alone.measure(on.answers)),
    "served": (served.NOTE, lambda on: served.measure(on.pages, on.fetchers, on.settings)),
    "harvest": (
        harvest.NOTE,
        lambda on: harvest.measure(on.webs, on.web, on.harvest_pages, on.topics, on.settings),
    ),
}


def main(arguments: Sequence[str]) -> int:
    """Measure what was asked for; 1 if a promise was missed or a process failed."""
    from crawler.private_postgres import PostgresMissingError
    from ranking.errors import LinkRankError

    given = _parser().parse_args(arguments)
    figures: list[Figure] = []
    notes, failed = [], False
    for name in given.names or _MEASURED:
        print(f"Measuring {name} ...", file=sys.stderr, flush=True)
        note, measure = _MEASURED[name]
        try:
            figures += measure(given)
            notes.append(f"{name}: {note}")
        except AbsentError as reason:
            notes.append(f"{name}: skipped, {reason}")
        except (BenchmarkError, LinkRankError, PostgresMissingError) as error:
            print(f"{name}: {error}", file=sys.stderr)
            failed = True
    return max(int(failed), tell(figures, given.json, notes))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks exchange", description=__doc__)
    add = parser.add_argument
    add("names", nargs="*", metavar="NAME", type=_name, help=", ".join(_MEASURED))
    add("--answers", type=int, default=40_000, help="pages that are answered (alone)")
    add("--pages", type=int, default=6000, help="of the web (served)")
    add("--fetchers", type=int, nargs="+", default=[1, 2, 4], metavar="N", help="(served)")
    add("--harvest-pages", type=int, default=600, help="that count, of each crawl (harvest)")
    add("--topics", type=int, default=4, help="of each web (harvest)")
    add("--web", nargs="+", choices=_WEBS, default=_WEBS, help="(harvest)")
    add("--webs", type=Path, default=_FOLDER, metavar="DIR", help="where they lie (harvest)")
    add(
        "-s",
        action="append",
        dest="settings",
        default=[],
        metavar="NAME=VALUE",
        help="of fetchers (served, harvest)",
    )
    add("--json", type=Path, metavar="FILE", help="write the figures there too")
    return parser


def _name(given: str) -> str:
    if given not in _MEASURED:
        raise argparse.ArgumentTypeError(f"{given!r} is none of {', '.join(_MEASURED)}")
    return given
