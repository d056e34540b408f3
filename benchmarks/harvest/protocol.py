"""Our orders and others on the recorded webs, beside the targets: `python -m benchmarks harvest`.

Runs `scrapy lab run` once for each web, with the topics, draws, variants and
budget that the orders are judged by. What it is run with is fixed here, so that two people who say
"the protocol" mean the same. Development topics are for trying things; test topics are for the end,
and only they have targets. A web that is in none of the folders is skipped. All rows take hours;
`--strategies apprentice,fc-mean,best-first,bfs` takes a fifth of the time.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.children import ROOT, AbsentError, BenchmarkError
from benchmarks.harvest.overall import Row, overall_rows, overall_tables, write_overall
from benchmarks.harvest.webs import BUDGET, WEBS, Judged
from benchmarks.report import AT_LEAST, Figure, tell

DRAWS = 3
_ROWS = "all"
WEB_FOLDERS = (ROOT.parent / "shared" / "webs", ROOT.parent / "webs-built")


def main(arguments: Sequence[str]) -> int:
    """Run what was asked for and print it beside the targets; 1 if one was missed."""
    given = _parser().parse_args(arguments)
    figures: list[Figure] = []
    rows: list[Row] = []
    notes: list[str] = []
    try:
        for web in asked_webs(given):
            try:
                folder = web.folder(given.webs)
            except AbsentError as reason:
                notes.append(f"{web.name}: skipped, {reason}")
                continue
            results = _run(web, folder, given)
            figures += judged(web, results) if given.part == "test" else []
            rows += overall_rows(web.name, results)
    except BenchmarkError as error:
        print(error, file=sys.stderr)
        return 1
    if rows:
        write_overall(given.out / f"overall-{given.part}.tsv", rows)
        print(f"{overall_tables(rows)}\n")
    return tell(figures, given.json, notes)


def asked_webs(given: argparse.Namespace) -> list[Judged]:
    """Those of `--only`, or all."""
    return [web for web in WEBS if web.name in (given.only or [web.name])]


def command(web: Judged, folder: Path, given: argparse.Namespace) -> list[str]:
    """The command line that replays a web whose files lie in a folder."""
    options = web.options_in(folder)
    options += ["--variant", given.variant or ",".join(web.targets), "--split", given.part]
    options += ["--limit", str(given.limit or web.limits[given.part])]
    options += ["--strategies", given.strategies, "--draws", str(given.draws)]
    options += ["--budget", str(given.budget or web.budget)]
    options += ["--out", str(given.out / f"{web.name}-{given.part}")]
    options += ["--jobs", str(given.jobs)] if given.jobs else []
    recording, labels = map(str, web.files(folder))
    asked = [recording, "--topics", labels, *options]
    return [sys.executable, "-m", "scrapy", "lab", "run", *asked]


def _run(web: Judged, folder: Path, given: argparse.Namespace) -> dict[str, Any]:
    """Replay a web, which prints its tables, and return its results."""
    words = command(web, folder, given)
    print(" ".join(words), file=sys.stderr, flush=True)
    done = subprocess.run(words, cwd=ROOT, check=False)
    if done.returncode:
        raise BenchmarkError(f"the lab ended with {done.returncode}; the reason stands above")
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
    """The lead over a rival, at least."""
    said = row["against_reference"]
    if said["high"] is not None:
        surely = -said["high"]
        yield Figure(f"{what}, at least", "nAUC", surely, None, AT_LEAST, 0.0, on_ratio=False)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks harvest", description=__doc__)
    add = parser.add_argument
    add("--part", choices=("development", "test"), default="development", help="of the topics")
    names = [web.name for web in WEBS]
    add("--only", nargs="+", choices=names, metavar="WEB", help=", ".join(names))
    add("--strategies", default=_ROWS, metavar="NAME,...", help=f"rows (default: {_ROWS})")
    add("--variant", metavar="NAME,...", help="of tasks (default: as the web says)")
    add("--budget", type=int, help=f"requests a run (default: as the web says, {BUDGET} for most)")
    add("--limit", type=int, metavar="N", help="topics of each web (default: as the web says)")
    add("--draws", type=int, default=DRAWS, help="of seeds and examples, a topic")
    add("--jobs", type=int, help="processes (default: all cores)")
    add("--webs", type=Path, nargs="+", default=WEB_FOLDERS, metavar="DIR", help="where webs lie")
    add("--out", type=Path, default=Path("harvest").resolve(), metavar="DIR", help="for results")
    add("--json", type=Path, metavar="FILE", help="write the figures there too")
    return parser
