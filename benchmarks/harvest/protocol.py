"""Our orders and others on the recorded webs, beside the targets: `python -m benchmarks harvest`.

Runs `scrapy lab run`, with the ablations, once for each web, with the topics, draws, variants and
budget that the orders are judged by. What it is run with is fixed here, so that two people who say
"the protocol" mean the same. Development topics are for trying things; test topics are for the end,
and only they have targets. All rows take hours; an interrupted run goes on when it is asked for
again, and `--strategies apprentice,fc-mean,best-first,bfs` takes a fifth of the time.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.children import ROOT, BenchmarkError
from benchmarks.report import AT_LEAST, AT_MOST, Figure, tell

BUDGET = 1500
DRAWS = 3
_KEYWORDS = ROOT / "benchmarks" / "harvest" / "docs.keywords.tsv"
_ROWS = "all,frontera,scrapy"
_SIGNIFICANT = 0.05
_FEWEST = 6
"""Topics: with five, no difference can have a p below .05 (2 of 32 signs)."""


@dataclass(frozen=True)
class Judged:
    """A recorded web as orders are judged by it.

    Attributes:
        name: of its files.
        labels: file of labels.
        options: of `scrapy lab run`, `{}` standing for the folder of the webs.
        limits: topics at most, by part.
        targets: variant -> figure -> least value.
        rivals: orders that have to be beaten in every variant.

    """

    name: str
    labels: str
    options: tuple[str, ...]
    limits: dict[str, int]
    targets: dict[str, dict[str, float]]
    rivals: tuple[str, ...]


_EVERYWHERE: Final = {"recall_2t": 0.55, "harvest_100": 0.37}
WEBS: Final = (
    Judged(
        "wikispeedia",
        "wikispeedia.topics.tsv",
        ("--min-pages", "40", "--max-pages", "200"),
        {"development": 10, "test": 12},
        {
            "inside": {"nauc": 0.81, **_EVERYWHERE},
            "outside": {"nauc": 0.81, **_EVERYWHERE},
            "keywords": {"nauc": 0.80, **_EVERYWHERE},
        },
        ("fc-mean", "best-first", "bfs"),
    ),
    Judged(
        "docs",
        "docs.subjects.tsv",
        ("--seeds", "{}/docs.seeds.txt", "--keywords", str(_KEYWORDS)),
        {"development": 5, "test": 5},
        {"keywords": {"nauc": 0.78}},
        ("fc-mean", "best-first", "anchor-only"),
    ),
)


def main(arguments: Sequence[str]) -> int:
    """Run what was asked for and print it beside the targets; 1 if one was missed."""
    given = _parser().parse_args(arguments)
    figures: list[Figure] = []
    try:
        for web in WEBS:
            if web.name in (given.only or web.name):
                results = _run(web, given)
                figures += judged(web, results) if given.part == "test" else []
    except BenchmarkError as error:
        print(error, file=sys.stderr)
        return 1
    return tell(figures, given.json)


def command(web: Judged, given: argparse.Namespace) -> list[str]:
    """The command line that replays a web."""
    folder = given.webs
    options = [option.format(folder) for option in web.options]
    options += ["--variant", ",".join(web.targets), "--split", given.part]
    options += ["--limit", str(web.limits[given.part]), "--strategies", given.strategies]
    options += ["--budget", str(given.budget), "--draws", str(given.draws)]
    options += ["--out", str(given.out / f"{web.name}-{given.part}")]
    options += ["--jobs", str(given.jobs)] if given.jobs else []
    recording = f"{folder}/{web.name}.warc.gz"
    labels = ["--topics", f"{folder}/{web.labels}"]
    return [sys.executable, "-m", "benchmarks.harvest.lab", "run", recording, *labels, *options]


def _run(web: Judged, given: argparse.Namespace) -> dict[str, Any]:
    """Replay a web, which prints its tables, and return its results."""
    words = command(web, given)
    print(" ".join(words), file=sys.stderr, flush=True)
    done = subprocess.run(words, cwd=ROOT, check=False)
    if done.returncode:
        raise BenchmarkError(f"the lab ended with {done.returncode}; the same command goes on")
    path = given.out / f"{web.name}-{given.part}" / "results.json"
    results: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return results


def judged(web: Judged, results: dict[str, Any]) -> list[Figure]:
    """The figures of the reference beside their targets."""
    rows = {(row["variant"], row["strategy"]): row for row in results["summary"]}
    reference = results["protocol"]["reference"]
    return [
        figure
        for variant, least in web.targets.items()
        if (variant, reference) in rows
        for figure in _variant(web, variant, least, rows, reference)
    ]


def _variant(
    web: Judged,
    variant: str,
    least: dict[str, float],
    rows: dict[tuple[str, str], dict[str, Any]],
    reference: str,
) -> Iterator[Figure]:
    where = f"{web.name}, {variant}"
    for name, bound in least.items():
        value = rows[variant, reference]["figures"][name]["mean"]
        yield Figure(f"{where}: {name}", "of 1", value, None, AT_LEAST, bound, on_ratio=False)
    for rival in web.rivals:
        if (variant, rival) in rows:
            yield from _against(f"{where}: lead over {rival}", rows[variant, rival])


def _against(what: str, row: dict[str, Any]) -> Iterator[Figure]:
    """The lead over a rival, at least, and its p value where there are topics enough for one."""
    said = row["against_reference"]["nauc"]
    if said["high"] is not None:
        surely = -said["high"]
        yield Figure(f"{what}, at least", "nAUC", surely, None, AT_LEAST, 0.0, on_ratio=False)
    if said["n"] >= _FEWEST:
        chance = said["p"] if said["mean"] < 0 else 1.0
        yield Figure(f"{what}, p", "of 1", chance, None, AT_MOST, _SIGNIFICANT, on_ratio=False)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks harvest", description=__doc__)
    add = parser.add_argument
    add("--part", choices=("development", "test"), default="development", help="of the topics")
    add("--only", nargs="+", choices=[web.name for web in WEBS], metavar="WEB")
    add("--strategies", default=_ROWS, metavar="NAME,...", help=f"rows (default: {_ROWS})")
    add("--budget", type=int, default=BUDGET, help="requests a run")
    add("--draws", type=int, default=DRAWS, help="of seeds and examples, a topic")
    add("--jobs", type=int, help="processes (default: all cores)")
    add("--webs", type=Path, default=ROOT.parent / "shared" / "webs", help="folder of the webs")
    add("--out", type=Path, default=Path("harvest").resolve(), metavar="DIR", help="for results")
    add("--json", type=Path, metavar="FILE", help="write the figures there too")
    return parser
