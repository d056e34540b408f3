"""CPU a page of ordering and judging, by known URLs: `python -m benchmarks cost`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchmarks.children import BenchmarkError, run_module
from benchmarks.report import AT_MOST, Figure, tell

if TYPE_CHECKING:
    from collections.abc import Sequence

NOTE = (
    "CPU milliseconds a page; half of its links lead to new URLs; store on disk, commits and "
    "re-ranks included, Scrapy and network not. The peer of a row is the same at the smallest "
    "frontier. Parsing HTML into a tree is told apart: a crawl without a frontier needs it too. "
    "Pages are generated (3 KB of text, 20 links) or those of --web."
)
SIZES = (10_000, 100_000, 1_000_000)
_JUDGED_AT = 100_000
_MOST = 5.0
_TIMEOUT = 1800.0
_STEPS = {
    "text": "text extraction",
    "judging": "judging page and links",
    "ordering": "ordering, with the commit",
    "reranks": "re-ranks, in their thread",
}


def main(arguments: Sequence[str]) -> int:
    """Measure and print; 1 if a target was missed or a child failed."""
    given = _parser().parse_args(arguments)
    try:
        figures = measure(given.urls, given.pages, given.strategy, given.web)
    except BenchmarkError as error:
        print(error, file=sys.stderr)
        return 1
    return tell(figures, given.json, [f"{given.strategy}: {NOTE}"])


def measure(
    sizes: Sequence[int], pages: int, strategy: str, recording: Path | None = None
) -> list[Figure]:
    """Measure at each number of known URLs, in ascending order."""
    figures: list[Figure] = []
    smallest: dict[str, float] | None = None
    for urls in sorted(sizes):
        print(f"Measuring at {urls:,} known URLs ...", file=sys.stderr, flush=True)
        spent = _spent(urls, pages, strategy, recording)
        smallest = smallest or spent
        figures += _figures(urls, spent, smallest)
    return figures


def _spent(urls: int, pages: int, strategy: str, recording: Path | None) -> dict[str, float]:
    with TemporaryDirectory(prefix="benchmark-") as temporary:
        arguments = ["--urls", str(urls), "--pages", str(pages), "--strategy", strategy]
        arguments += ["--directory", str(Path(temporary) / "job")]
        if recording:
            arguments += ["--web", str(recording.resolve())]
        log = Path(temporary) / "cost.log"
        return run_module("benchmarks.harvest.costing", arguments, log, _TIMEOUT)


def _figures(urls: int, spent: dict[str, float], smallest: dict[str, float]) -> list[Figure]:
    where = f"at {urls:,} URLs"
    first = smallest is spent
    rows = [
        Figure(f"{name} {where}", "ms/page", spent[step], None if first else smallest[step])
        for step, name in _STEPS.items()
    ]
    whole, least = _whole(spent), _whole(smallest)
    at_most = _MOST if urls == _JUDGED_AT else None
    share = spent["text"] / whole
    return [
        *rows,
        Figure(f"all of that {where}", "ms/page", whole, None, AT_MOST, at_most, on_ratio=False),
        Figure(f"growth {where}", "x", whole / least),
        Figure(f"text extraction, share {where}", "of 1", share),
        Figure(f"links a page {where}", "links", spent["links"]),
        Figure(f"parsing {where}", "ms/page", spent["parsing"]),
        Figure(f"peak memory {where}", "MiB", spent["peak"]),
    ]


def _whole(spent: dict[str, float]) -> float:
    return sum(spent[step] for step in _STEPS)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks cost", description=__doc__)
    parser.add_argument("--urls", type=int, nargs="+", default=SIZES, help="known URLs")
    parser.add_argument("--pages", type=int, default=1000, help="pages measured at each")
    parser.add_argument("--strategy", default="apprentice", help="crawl order")
    parser.add_argument("--web", type=Path, metavar="WARC", help="read its pages")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    return parser
