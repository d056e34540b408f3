"""Command line: `python -m benchmarks ranking [--quick] [--only PART ...] [--json FILE]`."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.children import BenchmarkError
from benchmarks.ranking import cold, peers, system, warm
from benchmarks.ranking.plan import FULL, QUICK
from benchmarks.ranking.report import Section, verdicts_text, write_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from benchmarks.ranking.plan import Plan

PARTS: Mapping[str, Callable[[Plan], list[Section]]] = {
    "walks": cold.walks,
    "hits": cold.topic_hits,
    "real": cold.real,
    "warm": warm.reranks,
    "restarts": warm.other_restarts,
    "scaling": cold.scaling,
    "change": warm.same_change,
    "graph": system.growing,
    "cores": system.two_cores,
    "memory": system.memory_limit,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what was asked for; 1 if a target was missed or a child failed."""
    given = _parser().parse_args(arguments)
    plan = QUICK if given.quick else FULL
    began = time.monotonic()
    try:
        peers.install()
        sections = [one for part in given.only or PARTS for one in _measured(part, plan)]
    except BenchmarkError as error:
        print(error, file=sys.stderr)
        return 1
    print("\n".join(["", verdicts_text(sections), "", f"{time.monotonic() - began:.0f} s"]))
    if given.json:
        write_json(given.json, sections)
    return int(any(one.met is False for section in sections for one in section.verdicts))


def _measured(part: str, plan: Plan) -> list[Section]:
    sections = PARTS[part](plan)
    # At once: a long run shows what it has, and keeps it if a later part fails.
    print("\n\n".join(one.text() for one in sections), "\n", flush=True)
    return sections


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks ranking", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the graph, two rounds")
    parser.add_argument(
        "--only", nargs="+", choices=tuple(PARTS), metavar="PART", help=str([*PARTS])
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything there too")
    return parser


if __name__ == "__main__":
    sys.exit(main())
