"""Children in turns: each tool alone in a process, on one core, within limits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.children import ROOT, BenchmarkError
from benchmarks.ranking.peers import PYTHON

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.ranking.jobs import Job

OURS, FROM_EDGES = "ours", "ours, from edges"
WARM, LOOSE = "ours, warm", "ours, as loose"
PUSHES, SWEEPS = "ours, pushes only", "ours, sweeps only"
POWER, SVDS = "scipy power iteration", "scipy svds"
IGRAPH, NETWORKIT, SKNETWORK = "igraph", "networkit", "scikit-network"
GRAPHBLAS, NETWORKX = "python-graphblas", "networkx"
TOOLS: Mapping[str, str] = {
    OURS: "ours:OursFromLog",
    FROM_EDGES: "ours:OursFromEdges",
    WARM: "ours:OursWarm",
    LOOSE: "ours:OursLoose",
    PUSHES: "ours:OursPushes",
    SWEEPS: "ours:OursSweeps",
    POWER: "power:Power",
    SVDS: "power:Svds",
    IGRAPH: "with_igraph:Igraph",
    NETWORKIT: "with_networkit:Networkit",
    SKNETWORK: "with_sknetwork:Sknetwork",
    GRAPHBLAS: "with_graphblas:Graphblas",
    NETWORKX: "with_networkx:Networkx",
}
PEERS = tuple(name for name in TOOLS if not name.startswith("ours"))

SECONDS = 180.0  # of CPU time; a child that takes longer is listed as such
_CLOCK = 4 * SECONDS  # for a child that hangs, or shares its core with others
MIB = 20 * 1024
_SPARE = 1024  # MiB left to the machine
_TICK = 0.02
_LOG_TAIL = 2000


@dataclass(frozen=True)
class Turns:
    """How often a tool runs.

    Attributes:
        rounds: of all tools in turns.
        patience: seconds; a tool that takes longer runs in the first round only.
        left_out: tools that would take longer than all others together.

    """

    rounds: int
    patience: float
    left_out: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Result:
    """What a tool took in the middle of its rounds, or why it has no figures.

    Seconds, peak in MiB; `error` is the true L1 error with `setting`.
    """

    tool: str
    cannot: str = ""
    build: float = 0.0
    rank: float = 0.0
    total: float = 0.0
    error: float = 0.0
    peak: float = 0.0
    setting: Any = None
    rounds: int = 0
    sweeps: int | None = None


_done: dict[tuple[Job, str, int, bool], Result] = {}
"""What this run has measured: a figure that two claims rest on is measured once."""


def compare(
    job: Job, tools: Sequence[str], turns: Turns, cores: int = 1, *, wall: bool = False
) -> dict[str, Result]:
    """Run the tools in turns; seconds are those of the process, or with `wall` of the clock."""
    missing = [tool for tool in tools if (job, tool, cores, wall) not in _done]
    found: dict[str, list[dict[str, Any]]] = {tool: [] for tool in missing}
    for number in range(turns.rounds):
        for tool, rows in found.items():
            if number and (rows[0].get("cannot") or rows[0]["took"] > turns.patience):
                continue
            if tool in turns.left_out:
                rows.append({"cannot": "left to the full run"})
                continue
            setting = rows[0]["setting"] if rows else None
            rows.append(_run_tool(job, tool, cores, setting=setting, wall=wall))
    _done.update({(job, tool, cores, wall): _middle(tool, rows) for tool, rows in found.items()})
    return {tool: _done[job, tool, cores, wall] for tool in tools}


def run_module(module: str, job: Job, cores: int = 1, **more: Any) -> dict[str, Any]:
    """Run one of our own children; it may not fail."""
    result = _run(sys.executable, module, job.text(cores=cores, **more), cores)
    if "cannot" in result:
        raise BenchmarkError(f"{module}: {result['cannot']}")
    return result


def _run_tool(job: Job, tool: str, cores: int, **more: Any) -> dict[str, Any]:
    print(f"  {job.graph} {job.pages or ''} {job.task}: {tool}", file=sys.stderr, flush=True)
    python = str(PYTHON) if tool in PEERS else sys.executable
    text = job.text(tool=TOOLS[tool], cores=cores, **more)
    result = _run(python, "benchmarks.ranking.child", text, cores)
    if "cannot" not in result:
        result["took"] = result["build"] + result["rank"]
    return result


def _run(python: str, module: str, argument: str, cores: int) -> dict[str, Any]:
    threads = {name: str(cores) for name in _THREADS}
    with tempfile.TemporaryDirectory(prefix="benchmark-") as temporary:
        log, errors = Path(temporary) / "log", Path(temporary) / "errors"
        with log.open("wb") as output, errors.open("wb") as complaints:
            child = subprocess.Popen(
                [python, "-m", module, argument],
                cwd=ROOT,
                env={**os.environ, **threads, "PYTHONWARNINGS": "ignore"},
                stdout=output,
                stderr=complaints,
            )
            reason = _watch(child)
        if reason:
            return {"cannot": reason}
        if child.returncode:
            tail = errors.read_text(encoding="utf-8", errors="replace")[-_LOG_TAIL:]
            raise BenchmarkError(f"{module} {argument} ended with {child.returncode}:\n{tail}")
        printed = log.read_text(encoding="utf-8").strip().splitlines()
    result: dict[str, Any] = json.loads(printed[-1])
    return result


_THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)


def _watch(child: subprocess.Popen[bytes]) -> str:
    """Wait for the end of a child; says which limit it broke, if any."""
    began, most = time.monotonic(), min(MIB, _memory("MemAvailable") - _SPARE)
    try:
        while child.poll() is None:
            if _cpu(child.pid) > SECONDS or time.monotonic() - began > _CLOCK:
                return f"over {SECONDS:.0f} s"
            if _resident(child.pid) > most:
                return f"over {most / 1024:.0f} GB"
            time.sleep(_TICK)
    finally:
        if child.poll() is None:
            child.kill()
            child.wait()
    return ""


def _cpu(pid: int) -> float:
    try:
        # After the name in brackets, which may hold spaces: utime and stime are fields 14 and 15.
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _resident(pid: int) -> float:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except (OSError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def _memory(name: str) -> float:
    for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) / 1024
    raise BenchmarkError(f"/proc/meminfo has no {name}")


def _middle(tool: str, rows: Sequence[dict[str, Any]]) -> Result:
    if "cannot" in rows[0]:
        return Result(tool, cannot=rows[0]["cannot"])
    # A later round that broke a limit: the machine was busier, the others still count.
    good = [row for row in rows if "cannot" not in row]
    return Result(
        tool,
        build=median(row["build"] for row in good),
        rank=median(row["rank"] for row in good),
        total=median(row["took"] for row in good),
        error=max(row["error"] for row in good),
        peak=max(row["peak"] for row in good),
        setting=good[0]["setting"],
        rounds=len(good),
        sweeps=good[0].get("sweeps"),
    )
