"""Command line: `python -m benchmarks [NAME ...] [options]`; all that are promised without a NAME.

`python -m benchmarks NAME [options]` with one of ranking, harvest, outside, webs, exchange, guests,
watch, search, texts, render and export are apart: they take their own options and their own time.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import crawls, parts
from benchmarks.children import AbsentError, BenchmarkError
from benchmarks.report import Figure, tell

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


_APART = {
    "ranking": "benchmarks.ranking.command",
    "harvest": "benchmarks.harvest.protocol",
    "outside": "benchmarks.harvest.outside",
    "webs": "benchmarks.webs.command",
    "exchange": "benchmarks.fetchers",
    "guests": "benchmarks.guests",
    "watch": "benchmarks.watch",
    "search": "benchmarks.search",
    "texts": "benchmarks.texts",
    "render": "benchmarks.rendering",
    "export": "benchmarks.export",
}
"""Modules with a command line of their own; imported when asked for, for they import a lot."""
_PROMISED: dict[str, tuple[str, Callable[[argparse.Namespace], list[Figure]]]] = {
    "throughput": (crawls.THROUGHPUT_NOTE, lambda on: crawls.throughput(on.pages, on.rounds)),
    "realpages": (
        crawls.REALPAGES_NOTE,
        lambda on: crawls.realpages(on.web, on.real_pages, on.real_rounds),
    ),
    "reading": (parts.READING_NOTE, lambda on: parts.reading(on.web, on.bytes, on.readings)),
    "ordering": (
        parts.ORDERING_NOTE,
        lambda on: parts.ordering(on.ordering_urls, on.ordering_pages),
    ),
    "large": (
        parts.LARGE_NOTE,
        lambda on: parts.large(on.memory_urls, on.resume_urls, on.resume_rounds),
    ),
}


def main(arguments: Sequence[str]) -> int:
    """Measure what was asked for; 1 if a promise was missed or a child failed."""
    if apart := _APART.get(" ".join(arguments[:1])):
        result: int = import_module(apart).main(arguments[1:])
        return result
    given = _parser().parse_args(arguments)
    figures: list[Figure] = []
    notes, failed = [], False
    for name in given.names or _PROMISED:
        print(f"Measuring {name} ...", file=sys.stderr, flush=True)
        note, measure = _PROMISED[name]
        try:
            figures += measure(given)
            notes.append(f"{name}: {note}")
        except AbsentError as reason:
            notes.append(f"{name}: skipped, {reason}")
        except BenchmarkError as error:
            print(f"{name}: {error}", file=sys.stderr)
            failed = True
    return max(int(failed), tell(figures, given.json, notes))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    add = parser.add_argument
    add("names", nargs="*", metavar="NAME", type=_name, help=", ".join(_PROMISED))
    add("--pages", type=int, default=20_000, help="of the crawls (throughput)")
    add("--rounds", type=int, default=2, help="crawls of each kind (throughput)")
    add("--web", type=Path, default=crawls.WEB, metavar="WARC", help="(realpages, reading)")
    add("--real-pages", type=int, default=1000, help="of each crawl (realpages)")
    add("--real-rounds", type=int, default=1, help="crawls of each kind (realpages)")
    add("--bytes", type=int, default=168_000, help="of a page (reading)")
    add("--readings", type=int, default=30, help="of each page by each reader (reading)")
    add("--ordering-urls", type=int, default=50_000, help="known at the start (ordering)")
    add("--ordering-pages", type=int, default=2000, help="answered (ordering)")
    add("--memory-urls", type=int, default=5_000_000, help="known URLs (large)")
    add("--resume-urls", type=int, default=10_000_000, help="known URLs (large)")
    add("--resume-rounds", type=int, default=1, help="starts of each kind (large)")
    add("--json", type=Path, metavar="FILE", help="write the figures there too")
    return parser


def _name(given: str) -> str:
    if given not in _PROMISED:
        raise argparse.ArgumentTypeError(f"{given!r} is none of {', '.join(_PROMISED)}")
    return given


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
