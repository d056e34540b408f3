"""What each part of a crawl costs: `python -m benchmarks profile`.

One crawl of the generated web, of which a timer takes a sample every millisecond of CPU; each is
counted for the innermost of the parts below that was at work, so that the rows add up. Samples cost
little and tell C code too, by who called it; shares are within a few per cent of a long crawl.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchmarks import web
from benchmarks.children import BenchmarkError, serving
from benchmarks.crawls import OURS, check_items, crawl
from benchmarks.report import Figure, tell

if TYPE_CHECKING:
    from collections.abc import Sequence

PARTS = {
    "read: text and links": "ResponseReader.read",
    "read: relevance of the page": "judgement",
    "read: link-text matches": "OpenPage.candidates",
    "read: URLs of links": "CrawlSession.follow_links",
    "order: canonical pages": "CanonicalPages",
    "order: traps": "TrappedUrls.follow",
    "order: duplicates": "DuplicatePages.rule",
    "order: rows of page and links": "LedgerMetadata.links_extracted",
    "order: best link texts": "BestMatches",
    "order: learning": "OrderDriver.links_extracted",
    "order: priorities of links": "Pricing.price_met",
    "order: repricing the queue": "Pricing.renew",
    "order: install a re-rank": "OrderDriver.install_rerank",
    "order: the rest of an answer": "LinkRankBackend.links_extracted",
    "dispatch: queue and lease": "FrontierQueue.get_next_requests",
    "dispatch: commit": "Store.commit",
    "dispatch: the rest": "FrontierScheduler.next_request",
    "Scrapy, network, items": "",
}
"""Part -> how the qualified name of the function that it begins with starts; the last: all else."""
_SECONDS_A_PAGE = 0.05


def main(arguments: Sequence[str]) -> int:
    """Measure and print; 1 if the crawl failed."""
    given = _parser().parse_args(arguments)
    try:
        figures = measure(given.pages, given.strategy)
    except BenchmarkError as error:
        print(error, file=sys.stderr)
        return 1
    return tell(figures)


def measure(pages: int, strategy: str) -> list[Figure]:
    """Milliseconds of CPU a page of each part, the sum last."""
    with (
        TemporaryDirectory(prefix="benchmark-") as temporary,
        serving("benchmarks.web", ["--pages", str(pages)]) as address,
    ):
        directory, samples = Path(temporary) / "job", Path(temporary) / "samples.json"
        options = ["-a", f"strategy={strategy}"]
        patience = 60 + pages * _SECONDS_A_PAGE
        module = "benchmarks.sampled"
        seed = f"{address}{web.page_path(0)}"
        used = crawl(OURS, seed, directory, patience, *options, module=module, samples=samples)
        check_items(directory, pages)
        counted: dict[str, int] = json.loads(samples.read_text(encoding="utf-8"))
    a_sample = 1000 * used.cpu / pages / sum(counted.values())
    rows = [Figure(part, "ms/page", counted.get(part, 0) * a_sample) for part in PARTS]
    return [*rows, Figure(f"all, {strategy}, {pages:,} pages", "ms/page", 1000 * used.cpu / pages)]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks profile", description=__doc__)
    parser.add_argument("--pages", type=int, default=6000, help="of the crawl")
    parser.add_argument("--strategy", default="apprentice", help="crawl order")
    return parser
