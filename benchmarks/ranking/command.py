"""The link analysis beside the libraries: `python -m benchmarks ranking [--quick] [--only PART]`.

Children run in turns, each tool alone in a process, on one core, within limits of CPU and memory;
of its rounds the median counts. Peers are installed into an environment of their own below build/.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from benchmarks.children import BenchmarkError, run_module
from benchmarks.ranking.graphs import grown
from benchmarks.ranking.problems import (
    CACHE,
    CNR,
    CNR_PAGES,
    HITS,
    PAGERANK,
    PPR,
    SEEDS,
    TOPIC,
    TOPIC_HITS,
    UNIFORM,
    Job,
)
from benchmarks.report import AT_MOST, Figure, tell

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

REQUIREMENTS = Path(__file__).resolve().parent.parent / "peers.txt"
PYTHON = CACHE / "peers" / "bin" / "python"
OURS, FROM_EDGES = "ours", "ours, from edges"
WARM, LOOSE = "ours, warm", "ours, as loose"
POWER, SVDS = "scipy power iteration", "scipy svds"
IGRAPH, NETWORKIT, SKNETWORK = "igraph", "networkit", "scikit-network"
GRAPHBLAS, NETWORKX = "python-graphblas", "networkx"
TOOLS: Mapping[str, str] = {
    OURS: "ours:OursFromLog",
    FROM_EDGES: "ours:OursFromEdges",
    WARM: "ours:OursWarm",
    LOOSE: "ours:OursLoose",
    POWER: "peers:Power",
    SVDS: "peers:Svds",
    IGRAPH: "peers:Igraph",
    NETWORKIT: "peers:Networkit",
    SKNETWORK: "peers:Sknetwork",
    GRAPHBLAS: "peers:Graphblas",
    NETWORKX: "peers:Networkx",
}
_WALKERS = (POWER, IGRAPH, NETWORKIT, SKNETWORK, GRAPHBLAS, NETWORKX)
_ON_HITS = (POWER, SVDS, IGRAPH, SKNETWORK, GRAPHBLAS, NETWORKX)
_TENTH, _BIG = 100_000, 1_000_000
"""Fetched pages of the synthetic crawls; about ten times as many ids and 45 times as many links."""
_MOST_MEMORY = 2048
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
_LIMIT = 720.0
"""Seconds by the clock, for a child that hangs, or shares its core with others."""
_INSTALLING = 900


@dataclass(frozen=True)
class Plan:
    """How much is measured.

    Attributes:
        pages: fetched pages of the synthetic graph.
        rounds: of all tools in turns.
        patience: seconds; a tool that takes longer runs in the first round only.
        left_out: tools that would take longer than all others together.

    """

    pages: int
    rounds: int
    patience: float
    left_out: frozenset[str] = frozenset()

    def job(self, task: str, restart: str = UNIFORM) -> Job:
        """The synthetic graph, from nothing."""
        return Job(f"synthetic-{self.pages}", self.pages, task, restart, 1e-6)

    def grown(self, share: float, restart: str) -> Job:
        """The same after it grew, from its scores before, to what is enough for the order."""
        task = PAGERANK if restart == UNIFORM else PPR
        pages = grown(self.pages, share)
        return Job(f"synthetic-{self.pages}", pages, task, restart, 1e-4, self.pages)


QUICK = Plan(_TENTH, 2, 0.5, frozenset({NETWORKX}))
FULL = Plan(_BIG, 3, 15.0)


class Measuring:
    """Figures of one run, and why some tools have none."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.figures: list[Figure] = []
        self.notes: list[str] = []

    def walks(self) -> None:
        """Personalized and uniform PageRank, from nothing."""
        self._cold(self.plan.job(PPR, TOPIC), dict.fromkeys(_WALKERS, 8))
        self._cold(self.plan.job(PAGERANK), dict.fromkeys((POWER, NETWORKIT), 8))

    def hits(self) -> None:
        """HITS by topic, from nothing."""
        self._cold(self.plan.job(TOPIC_HITS), dict.fromkeys(_ON_HITS, 4) | {SKNETWORK: 10})

    def real(self) -> None:
        """All of it on a real graph."""
        if not CNR.is_file():
            self.notes.append(f"{CNR_PAGES}: skipped, {CNR} is not there")
            return
        for task in (PAGERANK, PPR, HITS, TOPIC_HITS):
            restart = TOPIC if task == PPR else UNIFORM
            peers = _ON_HITS if task in (HITS, TOPIC_HITS) else _WALKERS
            self._cold(Job(CNR_PAGES, None, task, restart, 1e-6), dict.fromkeys(peers, 2))

    def warm(self) -> None:
        """Again after the crawl grew; with restart vectors that change, never do, or always."""
        usual = self.plan.grown(0.01, TOPIC)
        found = self._compare(usual, [WARM, LOOSE, POWER, IGRAPH, GRAPHBLAS, NETWORKX])
        what = "PPR after +1 %"
        # Both as loose as the true error allows.
        self._beside(what, found[LOOSE], POWER, found, 11)
        for peer, least in ((POWER, None), (IGRAPH, 100), (GRAPHBLAS, None), (NETWORKX, None)):
            self._beside(f"{what}, tolerance kept", found[WARM], peer, found, least)
        little = self._compare(self.plan.grown(0.001, TOPIC), [WARM, POWER])
        self._beside("PPR after +0.1 %", little[WARM], POWER, little)
        both = little[WARM]["total"], found[WARM]["total"]
        self.figures.append(Figure("PPR after +0.1 % by +1 %", "s", *both, AT_MOST, 1 / 3))
        for restart in (SEEDS, UNIFORM):
            found = self._compare(self.plan.grown(0.01, restart), [WARM, POWER])
            self._beside(f"after +1 %, restart {restart}", found[WARM], POWER, found, 11)

    def _cold(self, job: Job, peers: Mapping[str, float]) -> None:
        found = self._compare(job, [OURS, FROM_EDGES, *peers])
        what, ours, edges = f"{job.task} of {job.graph}", found[OURS], found[FROM_EDGES]
        for peer, least in peers.items():
            self._beside(what, ours, peer, found, least)
        self._beside(f"{what}, from edges", edges, POWER, found)
        memory = ours["peak"], None, AT_MOST, _MOST_MEMORY
        self.figures.append(Figure(f"{what}, peak memory", "MiB", *memory, on_ratio=False))

    def _beside(
        self,
        what: str,
        ours: Mapping[str, Any],
        peer: str,
        found: Mapping[str, Mapping[str, Any]],
        least: float | None = None,
    ) -> None:
        """A figure of seconds, build included; the peer is to take `least` times as long."""
        if why := found[peer].get("cannot"):
            self.notes.append(f"{what}, {peer}: {why}")
            return
        promised = (AT_MOST, 1 / least) if least else ("", None)
        both = ours["total"], found[peer]["total"]
        self.figures.append(Figure(f"{what}, beside {peer}", "s", *both, *promised))

    def _compare(self, job: Job, tools: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Run the tools in turns; medians of their rounds, or why a tool `cannot`."""
        for one in (job.earlier, job) if job.before is not None else (job,):
            size = _run(one)
            self.notes.append(
                f"{one.task} of {one.graph}: {size['n']:,} nodes, {size['pages']:,} of them "
                f"fetched, {size['links']:,} links; exact to {size['exact']:.0e}"
            )
        rows: dict[str, list[dict[str, Any]]] = {tool: [] for tool in tools}
        for number in range(self.plan.rounds):
            for tool, of_tool in rows.items():
                if tool in self.plan.left_out:
                    of_tool.append({"cannot": "left to the full run"})
                elif not number or _goes_on(of_tool[0], self.plan.patience):
                    of_tool.append(_run_tool(job, tool, of_tool))
        return {tool: _middle(of_tool) for tool, of_tool in rows.items()}


PARTS = ("walks", "hits", "real", "warm")


def main(arguments: Sequence[str]) -> int:
    """Measure what was asked for; 1 if a promise was missed or a child failed."""
    given = _parser().parse_args(arguments)
    measuring = Measuring(QUICK if given.quick else FULL)
    try:
        install_peers()
        for part in given.only or PARTS:
            getattr(measuring, part)()
    except BenchmarkError as error:
        print(error, file=sys.stderr)
        return 1
    return tell(measuring.figures, given.json, list(dict.fromkeys(measuring.notes)))


def install_peers(requirements: Path = REQUIREMENTS, place: Path = CACHE / "peers") -> None:
    """Install what a file pins into an environment, unless exactly that was installed before."""
    wanted = hashlib.sha256(requirements.read_bytes()).hexdigest()
    done = place / "installed"
    if done.is_file() and done.read_text(encoding="ascii") == wanted:
        return
    print(f"Installing {requirements.name} ...", file=sys.stderr, flush=True)
    install = "install", "--quiet", "--disable-pip-version-check", "-r", str(requirements)
    try:
        venv.create(place, with_pip=True)
        python = place / "bin" / "python"
        subprocess.run((python, "-m", "pip", *install), check=True, timeout=_INSTALLING)
    except (subprocess.SubprocessError, OSError) as error:
        raise BenchmarkError(f"The peers could not be installed: {error}") from error
    done.write_text(wanted, encoding="ascii")


def _run_tool(job: Job, tool: str, before: Sequence[dict[str, Any]]) -> dict[str, Any]:
    print(f"  {job.graph} {job.pages or ''} {job.task}: {tool}", file=sys.stderr, flush=True)
    setting = before[0]["setting"] if before else None
    is_ours = tool.startswith(OURS)
    python = sys.executable if is_ours else str(PYTHON)
    try:
        found = _run(job, python, tool=TOOLS[tool], setting=setting)
    except BenchmarkError as error:
        found = {"cannot": str(error).splitlines()[0].partition(" ended ")[2]}
    if is_ours and "cannot" in found:
        raise BenchmarkError(f"{tool}, {job}: {found['cannot']}")
    return found


def _run(job: Job, python: str = sys.executable, **more: Any) -> dict[str, Any]:
    environment = {**dict.fromkeys(_THREADS, "1"), "PYTHONWARNINGS": "ignore"}
    with TemporaryDirectory(prefix="benchmark-") as temporary:
        log = Path(temporary) / "log"
        # The peak that counts is the child's own, from where it has read what is given.
        text = job.text(**more)
        module = "benchmarks.ranking.child"
        return {**run_module(module, [text], log, _LIMIT, python, **environment)}


def _goes_on(first: Mapping[str, Any], patience: float) -> bool:
    return "cannot" not in first and first["total"] <= patience


def _middle(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    # A later round that broke a limit: the machine was busier, the others still count.
    good = [row for row in rows if "cannot" not in row]
    if "cannot" in rows[0] or not good:
        return rows[0]
    return {**good[0], "total": median(row["total"] for row in good)}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks ranking", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the graph, two rounds")
    parser.add_argument("--only", nargs="+", choices=PARTS, metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    return parser
